import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../../src/app.ts";
import { PRODUCTS } from "../../../src/service/sale/products.ts";
import { ORIGIN, send, TEXT } from "../../support/client.ts";
import { connect, MCP } from "../../support/mcp.ts";
import { decodeHeader, termsV2 } from "../../support/x402.ts";

test("/.well-known/x402 lists all paid endpoints and tools, and describes how to call them", async () => {
  const document = await (await send("/.well-known/x402")).json<{ resources: string[]; instructions: string }>();
  expect(document).toEqual({
    version: 1,
    resources: PRODUCTS.map(({ path }) => ORIGIN + path),
    mcp: { url: MCP, tools: PRODUCTS.map(({ tool }) => tool) },
    instructions: expect.stringContaining("PAYMENT-SIGNATURE"),
    links: { retention: `${ORIGIN}/retention` },
  });
  for (const url of document.resources) expect((await send(url, { method: "POST" })).status).toBe(402);
});

const json = async (path: string) => (await send(path)).json<Record<string, object>>();
const addressesIn = (document: unknown) =>
  [...JSON.stringify(document).matchAll(/"(?:href|url|anchor)":"([^"]+)"/g)].map(([, href]) => href!);

test("the discovery catalogs link to the server card, the API descriptions and the pages", async () => {
  const catalog = await json("/.well-known/mcp/catalog.json");
  const [entry] = catalog.entries as Record<string, string>[];
  const card = await send(entry!.url!);
  expect([card.status, card.headers.get("Content-Type")]).toEqual([200, entry!.type]);
  const { remotes, title } = await card.json<{ remotes: { url: string }[]; title: string }>();
  expect([remotes[0]!.url, title]).toEqual([MCP, entry!.displayName]);
  expect(await (await send("/.well-known/mcp/server-card.json")).json()).toEqual(
    await (await send(entry!.url!)).json(),
  );

  const apis = await send("/.well-known/api-catalog");
  expect(apis.headers.get("Content-Type")).toMatch(
    /^application\/linkset\+json; profile="https:\/\/www.rfc-editor.org/,
  );
  const { linkset } = await apis.json<{ linkset: Record<string, { href: string; type?: string }[]>[] }>();
  const links = linkset.flatMap((context) => Object.values(context).filter(Array.isArray).flat());
  expect(links.length).toBeGreaterThan(5);
  for (const { href, type } of links) {
    if (type === undefined) continue; // The entry without a type is the API itself.
    const found = await send(href, { headers: { Accept: type } });
    expect([href, found.status, found.headers.get("Content-Type")!.split(";")[0]]).toEqual([href, 200, type]);
  }
});

test("the sitemap lists only existing pages", async () => {
  const sitemap = await (await send("/sitemap.xml")).text();
  const pages = [...sitemap.matchAll(/<loc>([^<]+)</g)].map(([, url]) => url!);
  expect(pages).toEqual([`${ORIGIN}/`, `${ORIGIN}/docs`, MCP, `${ORIGIN}/retention`, `${ORIGIN}/changelog`]);
  for (const page of pages) {
    const { status, headers } = await send(page, { headers: { Accept: "text/html" } });
    expect([status, headers.get("Content-Type")]).toEqual([200, "text/html; charset=UTF-8"]);
  }
});

test("all documents about the service state the same addresses, tools, version and price", async () => {
  const { tools } = await (await connect()).listTools();
  const paid = tools.filter(({ _meta }) => _meta?.["agents-x402/paymentRequired"]).map(({ name }) => name);
  const page = await (await send("/mcp", { headers: { Accept: "text/html" } })).text();
  for (const { name } of tools) expect(page).toContain(name);
  expect(page).toContain("0.05 USDC");
  expect(((await json("/.well-known/x402")).mcp as { tools: string[] }).tools).toEqual(paid);
  const documents = await Promise.all(
    ["/.well-known/mcp/catalog.json", "/.well-known/api-catalog", "/mcp/server-card", "/openapi.json"].map(json),
  );
  for (const url of addressesIn(documents))
    if (/^https?:\/\/localhost/.test(url)) expect(url.startsWith(ORIGIN)).toBe(true);
  const { version } = documents[2] as unknown as { version: string };
  expect((await connect()).getServerVersion()!.version).toBe(version);
});

test("/.well-known/security.txt contains the operator's contact and an expiry date", async () => {
  expect((await send("/.well-known/security.txt")).status).toBe(404);
  const contact = { ...env, CONTACT_EMAIL: "security@example.com" };
  const answer = await app.fetch(new Request(`${ORIGIN}/.well-known/security.txt`), contact, createExecutionContext());
  expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "text/plain; charset=UTF-8"]);
  const fields = Object.fromEntries(
    (await answer.text())
      .trim()
      .split("\n")
      .map((line) => line.split(/: (.*)/).slice(0, 2)),
  );
  expect(fields).toMatchObject({ Contact: "mailto:security@example.com" });
  const days = (Date.parse(fields.Expires!) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(27);
  expect(days).toBeLessThan(365);
});

test("the pages, the OpenAPI document and the cards contain the operator's URLs", async () => {
  const terms = "https://example.com/terms";
  const privacy = "https://example.com/privacy";
  const imprint = "https://example.com/imprint";
  const status = "https://status.example.com/";
  const named = { ...env, TERMS_URL: terms, PRIVACY_URL: privacy, IMPRINT_URL: imprint, STATUS_URL: status };
  const get = async (path: string, Accept = "*/*") => {
    const request = new Request(ORIGIN + path, { headers: { Accept } });
    return (await app.fetch(request, named, createExecutionContext())).text();
  };
  const urls = [terms, privacy, imprint, status];
  for (const path of ["/", "/docs", "/docs/errors", "/docs/limits", "/mcp", "/changelog", "/retention"]) {
    const html = await get(path, "text/html");
    for (const url of urls) expect(html, path).toContain(`<a href="${url}">`);
  }
  const links = { terms, privacy, imprint, status, retention: `${ORIGIN}/retention` };
  const openapi = JSON.parse(await get("/openapi.json"));
  expect(openapi.info).toMatchObject({ termsOfService: terms, "x-links": links });
  expect(JSON.parse(await get("/.well-known/x402")).links).toEqual(links);
  expect(JSON.parse(await get("/mcp/server-card"))._meta).toEqual({ "localhost/links": links });
  const { linkset } = JSON.parse(await get("/.well-known/api-catalog"));
  expect(linkset[1]).toMatchObject({
    status: [{ href: `${ORIGIN}/healthz` }, { href: status }],
    "terms-of-service": [{ href: terms }],
    "privacy-policy": [{ href: privacy }, { href: `${ORIGIN}/retention` }],
  });
});

test("a page links to the retention page, but to no terms, privacy, imprint or status page, if the operator has set no URLs", async () => {
  const html = await (await send("/docs/limits")).text();
  expect(html).toContain('<a href="/retention">');
  expect(html).not.toMatch(/>(Terms|Privacy|Imprint|Status)</);
  expect(JSON.stringify(await json("/openapi.json"))).not.toContain("termsOfService");
});

test("the icon in the terms is an SVG without scripts, styles or links", async () => {
  const terms = termsV2.parse(decodeHeader((await send(TEXT, { method: "POST" })).headers.get("PAYMENT-REQUIRED")!));
  expect(terms.resource.serviceName).toBe("Overprint");
  expect(terms.resource.tags).toContain("watermark");
  const icon = await send(terms.resource.iconUrl);
  expect([icon.status, icon.headers.get("Content-Type")]).toEqual([200, "image/svg+xml"]);
  // Discovery indexes show the icon on their own pages.
  expect(icon.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
  const svg = await icon.text();
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox/);
  expect(svg).not.toMatch(/script|style|href|on\w+=/);
});

test("/robots.txt allows everything except callers' files", async () => {
  const robots = await send("/robots.txt");
  expect(robots.headers.get("Content-Type")).toMatch(/^text\/plain/);
  expect(await robots.text()).toBe(`User-agent: *\nDisallow: /v1/files/\n\nSitemap: ${ORIGIN}/sitemap.xml\n`);
});

test.each(PRODUCTS)(
  'the short description for discovery indexes contains the word "watermark": $operation',
  ({ summary, description }) => {
    expect(summary).toMatch(/watermark/i);
    expect(description).toMatch(/watermark/i);
    expect(description.length).toBeLessThan(200);
  },
);
