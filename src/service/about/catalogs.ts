/** Writes documents that help programs find the service: catalogs, the security contact, and the list of pages. */
import type { Config } from "../../settings/config.ts";

/** Path of the catalog of MCP servers (SEP-2127, docs/discovery.md). */
export const MCP_CATALOG = "/.well-known/mcp/catalog.json";
/** Path of the server card: the path of the MCP endpoint with a reserved suffix (SEP-2127, "Server Card Location"). */
export const SERVER_CARD = "/mcp/server-card";
/** Media type of the server card. */
export const SERVER_CARD_TYPE = "application/mcp-server-card+json";
/** Path of the catalog of APIs (RFC 9727). */
export const API_CATALOG = "/.well-known/api-catalog";
/** Media type of the catalog of APIs (RFC 9727, 4.1). */
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
/** Path of the security contact (RFC 9116). */
export const SECURITY_TXT = "/.well-known/security.txt";
export const SITEMAP = "/sitemap.xml";
/** Path of the page about stored and logged data. */
export const RETENTION = "/retention";
/** Path of the page with the changes that callers notice. */
export const CHANGELOG = "/changelog";

/**
 * Returns the operator's published URLs and the URL of the retention page, by name. Omits missing URLs. The OpenAPI
 * document and the cards contain these URLs.
 */
export function publishedLinks(origin: string, { links }: Config): Record<string, string> {
  const { terms, privacy, imprint, status } = links;
  return {
    ...(terms && { terms }),
    ...(privacy && { privacy }),
    ...(imprint && { imprint }),
    ...(status && { status }),
    retention: origin + RETENTION,
  };
}

/** Paths of the pages for people, in order of importance. */
const PAGES = ["/", "/docs", "/mcp", RETENTION, CHANGELOG];

/** Returns the document at {@link MCP_CATALOG}. */
export function mcpCatalog(origin: string) {
  const { hostname } = new URL(origin);
  const entry = {
    identifier: `urn:air:${hostname}:overprint`,
    displayName: "Overprint",
    type: SERVER_CARD_TYPE,
    url: origin + SERVER_CARD,
  };
  return { specVersion: "draft", entries: [entry] };
}

/** Returns the document at {@link API_CATALOG}: the HTTP API and the MCP server, with their descriptions (RFC 9264). */
export function apiCatalog(origin: string, { links }: Config) {
  const link = (path: string, type: string) => [{ href: origin + path, type }];
  const page = (href: string | undefined) => (href === undefined ? [] : [{ href }]);
  return {
    linkset: [
      { anchor: origin + API_CATALOG, item: [{ href: `${origin}/v1` }, { href: `${origin}/mcp` }] },
      {
        anchor: `${origin}/v1`,
        "service-desc": link("/openapi.json", "application/json"),
        "service-doc": [...link("/docs", "text/html"), ...link("/llms.txt", "text/plain")],
        status: [...link("/healthz", "application/json"), ...page(links.status)],
        ...(links.terms && { "terms-of-service": page(links.terms) }), // RFC 6903
        "privacy-policy": [...page(links.privacy), ...link(RETENTION, "text/html")], // RFC 6903
      },
      {
        anchor: `${origin}/mcp`,
        "service-desc": link(SERVER_CARD, SERVER_CARD_TYPE),
        "service-doc": link("/mcp", "text/html"),
      },
    ],
  };
}

/**
 * Returns the document at {@link SECURITY_TXT}. Returns undefined if the operator has configured no contact. The
 * document expires at the start of the month after next, so that its text changes only once a month.
 * @param now current time in Unix milliseconds
 */
export function securityTxt(origin: string, { contactEmail }: Config, now: number): string | undefined {
  if (contactEmail === undefined) return undefined;
  const time = new Date(now);
  const expires = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 2));
  return `Contact: mailto:${contactEmail}\nExpires: ${expires.toISOString()}\nCanonical: ${origin}${SECURITY_TXT}\n`;
}

/** Returns the list of pages for search engines (sitemaps.org). */
export function sitemap(origin: string): string {
  const urls = PAGES.map((path) => `<url><loc>${origin}${path}</loc></url>`).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>\n`;
}
