import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Exchange } from "./call.ts";
import { refuseForeign } from "./hosts.ts";
import { mcpServer } from "./server.ts";

/** A client that hangs up is noticed within this time. */
const CALL_KEEP_ALIVE_MS = 1000;

/**
 * Answers one HTTP request to the MCP endpoint: streamable HTTP without sessions, protocol 2026-07-28, and 2025-11-25 and
 * 2025-06-18 for clients that ask for them.
 */
export async function serveMcp(exchange: Exchange): Promise<Response> {
  const { request, requestId, config } = exchange;
  const foreign = refuseForeign(request, config);
  if (foreign) return foreign;

  const text = request.method === "POST" ? await request.text() : null; // else the handler holds a large body twice
  const parsedBody = text === null ? undefined : parse(text);
  const handler = createMcpHandler(() => mcpServer(exchange), {
    maxRequestBodySize: config.maxJsonBytes,
    ...(isCall(parsedBody) && { responseMode: "sse", keepAliveMs: CALL_KEEP_ALIVE_MS }),
    onerror: (error) => console.warn(requestId, error.message),
  });
  if (parsedBody === undefined) return handler.fetch(new Request(request, { body: text }));
  return handler.fetch(request, { parsedBody });
}

/** Calls are answered by a stream: the runtime learns that a client has gone when it can't write to it. */
function isCall(message: unknown): boolean {
  return typeof message === "object" && message !== null && "method" in message && message.method === "tools/call";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
