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
import { REQUEST_UPLOAD } from "./requestUpload.ts";
import { mcpServer } from "./server.ts";
import { type DrawView, takesViews } from "./views.ts";

/** Where a tool's arguments are in a message: `params`, `arguments`, and their names. */
const ARGUMENTS_DEPTH = 3;

/** A client that disconnects is noticed within this time. */
const CALL_KEEP_ALIVE_MS = 500;

/**
 * Answers one HTTP request to the MCP endpoint: streamable HTTP without sessions, protocol 2026-07-28, and 2025-11-25
 * and 2025-06-18 for clients that ask for them.
 * @throws Problem, PaymentRequired, PaymentError as {@link readMessage}
 * @param onCall called with the name of the tool that a message calls, `unknown` if there is no such tool
 * @param drawView makes the view of a result, for clients that show views
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
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) message?.refuse(); // else the server does
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
    return invalidRequest(`the message has more than ${MAX_JSON_VALUES} values`);
  const parsedBody = message && parse(message.json);
  // no protocol version that is spoken here has batches, which would be many calls for the price of one
  if (Array.isArray(parsedBody)) return invalidRequest("batches are not taken: send each message by itself");
  const twice = text === undefined || parsedBody === undefined ? undefined : repeatedKey(text, ARGUMENTS_DEPTH);
  if (twice !== undefined) return invalidRequest(`the message has ${JSON.stringify(shownName(twice))} twice`);
  const tool = toolCalled(parsedBody);
  if (tool !== undefined) onCall(tool);
  else if (message?.admitted)
    return invalidRequest(
      parsedBody === undefined ? "the message is not well-formed JSON" : "a message of this length must call a tool",
    );
  const offered = takesViews(parsedBody) ? drawView : undefined;
  const handler = createMcpHandler(() => mcpServer(exchange, offered, message), {
    maxRequestBodySize: config.maxJsonBytes,
    // calls are answered with a stream: the runtime notices a disconnected client only when a write fails
    ...(tool !== undefined && { responseMode: "sse", keepAliveMs: CALL_KEEP_ALIVE_MS }),
    onerror: (error) => log({ event: "mcp", request_id: requestId, error: error.message }),
  });
  if (text === undefined) return handler.fetch(request);
  const headers = acceptingBoth(request.headers);
  if (parsedBody === undefined) return handler.fetch(new Request(request, { headers, body: text }));
  return handler.fetch(new Request(request, { headers, body: "" }), { parsedBody });
}

/**
 * Returns the headers of a request with both types by name that answers may have. The SDK looks for the names alone, where
 * a client that accepts anything, or says nothing (RFC 9110, 12.5.1), accepts both too.
 */
function acceptingBoth(sent: Headers): Headers {
  const headers = new Headers(sent);
  if (/\*\/\*|^$/.test(sent.get("Accept") ?? "")) headers.set("Accept", "application/json, text/event-stream");
  return headers;
}

const toolCall = z.object({ method: z.literal("tools/call"), params: z.object({ name: z.string() }) });

/** Returns the tool that a message calls, `unknown` if there is no such tool, or undefined for any other message. */
function toolCalled(message: unknown): string | undefined {
  const { success, data } = toolCall.safeParse(message);
  if (!success) return undefined;
  const { name } = data.params;
  return name === REQUEST_UPLOAD || PRODUCTS.some(({ tool }) => tool === name) ? name : "unknown";
}

function parse(json: ReceivedJson): unknown {
  try {
    return json.parse();
  } catch {
    return undefined;
  }
}

/** Refuses a message (JSON-RPC 2.0, 5.1), whose id is not looked for: it may be there twice. */
function invalidRequest(message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32600, message } }, { status: 400 });
}
