import { createMcpHandler } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { ReceivedJson } from "../inputs/json.ts";
import type { Exchange } from "../service/sale/callContext.ts";
import { PRODUCTS } from "../service/sale/products.ts";
import { hasTooManyValues, MAX_JSON_VALUES } from "../shared/json/jsonValues.ts";
import { repeatedKey } from "../shared/json/repeatedKey.ts";
import { log } from "../shared/log.ts";
import { shownName } from "../shared/problems.ts";
import { refuseForeign } from "./hosts.ts";
import { type Message, readMessage } from "./message.ts";
import { GET_RESULT, REQUEST_PAYMENT_LINK } from "./paymentLinks.ts";
import { REQUEST_UPLOAD } from "./requestUpload.ts";
import { mcpServer } from "./server.ts";
import { type DrawView, takesViews } from "./views.ts";

/** Nesting depth of a tool's argument names in a message: below `params` and `arguments`. */
const ARGUMENTS_DEPTH = 3;

/** Interval between keep-alive writes, in milliseconds. A failed write reveals that the client has disconnected. */
const CALL_KEEP_ALIVE_MS = 500;

/**
 * Answers one HTTP request to the MCP endpoint: streamable HTTP without sessions, in protocol 2026-07-28, or in
 * 2025-11-25 or 2025-06-18 if the client asks for one of them.
 * @throws the errors of {@link readMessage}
 * @param onCall receives the name of the called tool, or `unknown` if no such tool exists
 * @param drawView renders the view of a result, for clients that show views
 */
export async function serveMcp(
  exchange: Exchange,
  onCall: (tool: string) => void,
  drawView: DrawView,
): Promise<Response> {
  const { request, config } = exchange;
  const foreign = refuseForeign(request, config);
  if (foreign) return foreign;

  const message = request.method === "POST" ? await readMessage(exchange) : undefined;
  const response = await answer(message, exchange, onCall, drawView);
  // the MCP server itself releases the message at the end of a stream
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) message?.releaseUnused();
  return response;
}

async function answer(
  message: Message | undefined,
  exchange: Exchange,
  onCall: (tool: string) => void,
  drawView: DrawView,
): Promise<Response> {
  const { request, requestId, config } = exchange;
  const text = message?.json.text;
  if (text !== undefined && hasTooManyValues(text))
    return invalidRequest(`the message has more than ${MAX_JSON_VALUES} values. Send a smaller message`);
  const parsedBody = message && parse(message.json);
  // Batches are rejected: no supported protocol version has them, and a batch would be many calls for the price of one.
  if (Array.isArray(parsedBody)) return invalidRequest("batches are not supported. Send each message separately");
  const repeated = text === undefined || parsedBody === undefined ? undefined : repeatedKey(text, ARGUMENTS_DEPTH);
  if (repeated !== undefined)
    return invalidRequest(
      `the message contains ${JSON.stringify(shownName(repeated))} more than once. Send each key once`,
    );
  const tool = toolCalled(parsedBody);
  if (tool !== undefined) onCall(tool);
  else if (message?.admitted)
    return invalidRequest(
      parsedBody === undefined ? "the message is not well-formed JSON" : "a message of this length must call a tool",
    );
  if (tool === UNKNOWN) return unknownTool(parsedBody);
  const view = takesViews(parsedBody) ? drawView : undefined;
  const handler = createMcpHandler(() => mcpServer(exchange, view, message), {
    maxRequestBodySize: config.maxJsonBytes,
    // The response to a call is a stream, because the runtime notices a disconnected client only when a write fails.
    ...(tool !== undefined && { responseMode: "sse", keepAliveMs: CALL_KEEP_ALIVE_MS }),
    onerror: (error) => log({ event: "mcp", request_id: requestId, error: error.message }),
  });
  if (text === undefined) return handler.fetch(request);
  const headers = withBothTypes(request.headers);
  if (parsedBody === undefined) return handler.fetch(new Request(request, { headers, body: text }));
  return handler.fetch(new Request(request, { headers, body: "" }), { parsedBody });
}

/**
 * Returns the headers with both response types in Accept. The SDK requires both types by name. A client that accepts
 * any type or sends no Accept also accepts both types (RFC 9110, 12.5.1).
 */
function withBothTypes(sent: Headers): Headers {
  const headers = new Headers(sent);
  if (/\*\/\*|^$/.test(sent.get("Accept") ?? "")) headers.set("Accept", "application/json, text/event-stream");
  return headers;
}

/** The names of all tools. */
const TOOLS = [...PRODUCTS.map(({ tool }) => tool), REQUEST_UPLOAD, REQUEST_PAYMENT_LINK, GET_RESULT];
/** Stands for the name of a tool that does not exist. */
const UNKNOWN = "unknown";

const toolCall = z.object({ method: z.literal("tools/call"), params: z.object({ name: z.string() }) });

/**
 * Returns the name of the tool that a message calls. Returns {@link UNKNOWN} if the tool does not exist, and undefined
 * if the message is not a call.
 */
function toolCalled(message: unknown): string | undefined {
  const { success, data } = toolCall.safeParse(message);
  if (!success) return undefined;
  const { name } = data.params;
  return TOOLS.includes(name) ? name : UNKNOWN;
}

/**
 * Rejects a call of a tool that does not exist (MCP, "Error Handling" of tools). The message lists the existing tools.
 */
function unknownTool(message: unknown): Response {
  const { id = null, params } = message as { id?: string | number | null; params: { name: string } };
  const error = `Tool ${shownName(params.name)} not found. The tools are ${TOOLS.join(", ")}`;
  return Response.json({ jsonrpc: "2.0", id, error: { code: -32602, message: error } });
}

function parse(json: ReceivedJson): unknown {
  try {
    return json.parse();
  } catch {
    return undefined;
  }
}

/**
 * Rejects a message (JSON-RPC 2.0, 5.1). The response has no id, because the rejected message may contain several ids.
 */
function invalidRequest(message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32600, message } }, { status: 400 });
}
