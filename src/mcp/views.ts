import { CLIENT_CAPABILITIES_META_KEY, type McpServer } from "@modelcontextprotocol/server";
import { type Exchange, fileOrigin } from "../service/sale/callContext.ts";
import { priceLabel } from "../service/sale/products.ts";

/** MCP Apps (revision 2026-01-26): a view of a tool's result in the chat, for hosts that show views. */
const EXTENSION = "io.modelcontextprotocol/ui";
const VIEW = { uri: "ui://overprint/result", mimeType: "text/html;profile=mcp-app" };

/**
 * Renders the view's document as HTML without its doctype.
 * @param facts the origin of script and styles, the origin of download links, and the price of a call
 */
export type DrawView = (facts: { origin: string; files: string; price: string }) => string;

/** The server's capability for a client that shows views. */
export const VIEWS = { extensions: { [EXTENSION]: {} } };

/** The part of a client's capabilities that concerns views. */
type Capabilities = { extensions?: Record<string, { mimeTypes?: unknown }> };

/**
 * Whether to offer views to the sender of a message ("Client<>Server Capability Negotiation"). In revision 2026-07-28,
 * each message states the client's capabilities. Clients of older revisions state them only once, and without a session
 * they are not remembered. Such clients are offered views, and ignore them if they do not know the extension.
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

/** Adds the view to a tool's definition. */
export function withView<T extends { title: string; _meta?: Record<string, unknown> }>(shown: T) {
  return { ...shown, _meta: { ...shown._meta, ui: { resourceUri: VIEW.uri } } };
}

/** Registers the view. Its policy allows only this deployment: its assets and the files of links. */
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
