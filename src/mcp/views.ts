import { CLIENT_CAPABILITIES_META_KEY, type McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { type Exchange, fileOrigin } from "../service/callContext.ts";
import { ChatView } from "../site/chatView.tsx";

/** MCP Apps (revision 2026-01-26): what a tool gives as a view in the chat, in hosts that show views. */
const EXTENSION = "io.modelcontextprotocol/ui";
const VIEW = { uri: "ui://overprint/result", mimeType: "text/html;profile=mcp-app" };

/** What the server says of itself to a client that is offered views. */
export const VIEWS = { extensions: { [EXTENSION]: {} } };

const ofViews = z.object({ extensions: z.object({ [EXTENSION]: z.object({ mimeTypes: z.array(z.unknown()) }) }) });

/**
 * Whether the sender of a message is offered views ("Client<>Server Capability Negotiation"). In revision 2026-07-28 each
 * message says what its client can do. Clients of older ones say so as they connect, and no session remembers it: they
 * are offered views, and those that do not know the extension take no notice.
 */
export function takesViews(message: unknown): boolean {
  const { params } = (message ?? {}) as { params?: { capabilities?: unknown; _meta?: Record<string, unknown> } };
  const capabilities = params?._meta?.[CLIENT_CAPABILITIES_META_KEY] ?? params?.capabilities;
  if (capabilities === undefined) return true;
  return ofViews.safeParse(capabilities).data?.extensions[EXTENSION].mimeTypes.includes(VIEW.mimeType) ?? false;
}

/** Adds to a tool, as it is shown to clients, that its result has a view. */
export function withView<T extends { title: string; _meta?: Record<string, unknown> }>(shown: T) {
  return { ...shown, _meta: { ...shown._meta, ui: { resourceUri: VIEW.uri } } };
}

/** Registers the view. It reaches this deployment alone: its own parts, and the files of links. */
export function addView(server: McpServer, { request, config }: Exchange): void {
  const { origin } = new URL(request.url);
  const files = fileOrigin(request, config);
  const ui = {
    csp: { connectDomains: [...new Set([origin, files])], resourceDomains: [origin] },
    permissions: { clipboardWrite: {} },
    prefersBorder: true,
  };
  server.registerResource("result", VIEW.uri, { title: "A marked PDF", mimeType: VIEW.mimeType }, () => ({
    contents: [{ ...VIEW, text: `<!doctype html>${ChatView({ origin, files, config })}`, _meta: { ui } }],
  }));
}
