import { CLIENT_CAPABILITIES_META_KEY, type McpServer } from "@modelcontextprotocol/server";
import { type Exchange, fileOrigin } from "../service/sale/callContext.ts";
import { priceLabel } from "../service/sale/products.ts";

/** MCP Apps (revision 2026-01-26): what a tool gives as a view in the chat, in hosts that show views. */
const EXTENSION = "io.modelcontextprotocol/ui";
const VIEW = { uri: "ui://overprint/result", mimeType: "text/html;profile=mcp-app" };

/**
 * Returns the view's document (HTML, without its doctype), given where its script and styles are, scheme and host of
 * links, and what a call costs.
 */
export type DrawView = (facts: { origin: string; files: string; price: string }) => string;

/** What the server says of itself to a client that is offered views. */
export const VIEWS = { extensions: { [EXTENSION]: {} } };

/** What a client can do, as far as it concerns views. */
type Capabilities = { extensions?: Record<string, { mimeTypes?: unknown }> };

/**
 * Whether the sender of a message is offered views ("Client<>Server Capability Negotiation"). In revision 2026-07-28
 * each message says what its client can do. Clients of older ones say so as they connect, and no session remembers it:
 * they are offered views, and those that do not know the extension take no notice.
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

/** Adds to a tool, as it is shown to clients, that its result has a view. */
export function withView<T extends { title: string; _meta?: Record<string, unknown> }>(shown: T) {
  return { ...shown, _meta: { ...shown._meta, ui: { resourceUri: VIEW.uri } } };
}

/** Registers the view. It reaches this deployment alone: its own parts, and the files of links. */
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
