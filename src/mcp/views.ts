import { CLIENT_CAPABILITIES_META_KEY, type McpServer } from "@modelcontextprotocol/server";
import { type Exchange, fileOrigin } from "../service/sale/callContext.ts";
import { priceLabel } from "../service/sale/products.ts";

/**
 * Name of the extension MCP Apps (revision 2026-01-26). A host that supports it shows a view of a tool's result in the
 * chat.
 */
const EXTENSION = "io.modelcontextprotocol/ui";
const VIEW = { uri: "ui://overprint/result", mimeType: "text/html;profile=mcp-app" };

/**
 * Renders the view's document as HTML without its doctype.
 * @param facts the origin of script and styles, the origin of download links, and the price of a call
 */
export type DrawView = (facts: { origin: string; files: string; price: string }) => string;

/** The server capability that offers views to a client that shows them. */
export const VIEWS = { [EXTENSION]: {} };

/** The client capabilities that concern views. */
type Capabilities = { extensions?: Record<string, { mimeTypes?: unknown }> };

/**
 * Returns whether to offer views to the client that has sent a message ("Client<>Server Capability Negotiation"). In
 * revision 2026-07-28, each message states the client's capabilities. A client of an older revision states its
 * capabilities only once, and a server without sessions does not remember them. A client of an older revision is
 * therefore always offered views. A client that does not know the extension ignores the views.
 */
export function takesViews(message: unknown): boolean {
  const { params } = (message ?? {}) as {
    params?: { capabilities?: Capabilities; _meta?: { [CLIENT_CAPABILITIES_META_KEY]?: Capabilities } };
  };
  const capabilities = params?._meta?.[CLIENT_CAPABILITIES_META_KEY] ?? params?.capabilities;
  if (!capabilities) return true;
  const types = capabilities.extensions?.[EXTENSION]?.mimeTypes;
  return Array.isArray(types) && types.includes(VIEW.mimeType);
}

/** Adds the view of results to a tool's definition. */
export function withView<T extends { title: string; _meta?: Record<string, unknown> }>(shown: T) {
  return { ...shown, _meta: { ...shown._meta, ui: { resourceUri: VIEW.uri } } };
}

/**
 * Registers the view of tool results. The view's content security policy allows only this deployment's assets and
 * result files.
 */
export function addView(server: McpServer, { request, config }: Exchange, draw: DrawView): void {
  const { origin } = new URL(request.url);
  const files = fileOrigin(request, config);
  const ui = {
    csp: { connectDomains: [...new Set([origin, files])], resourceDomains: [origin] },
    permissions: { clipboardWrite: {} },
    prefersBorder: true,
  };
  server.registerResource("result", VIEW.uri, { title: "A marked PDF", mimeType: VIEW.mimeType }, () => ({
    contents: [
      { ...VIEW, text: `<!doctype html>${draw({ origin, files, price: priceLabel(config) })}`, _meta: { ui } },
    ],
  }));
}
