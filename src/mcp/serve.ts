import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Exchange } from "./call.ts";
import { refuseForeign } from "./hosts.ts";
import { mcpServer } from "./server.ts";

/**
 * Answers one HTTP request to the MCP endpoint: streamable HTTP without sessions, protocol 2026-07-28, and 2025-11-25 and
 * 2025-06-18 for clients that ask for them.
 */
export async function serveMcp(exchange: Exchange): Promise<Response> {
  const { request, requestId, config } = exchange;
  const foreign = refuseForeign(request, config);
  if (foreign) return foreign;

  const handler = createMcpHandler(() => mcpServer(exchange), {
    maxSubscriptions: 0, // nothing ever changes
    maxRequestBodySize: config.maxBodyBytes,
    onerror: (error) => console.warn(requestId, error.message),
  });
  if (request.method !== "POST") return handler.fetch(request);

  const text = await request.text(); // read here: the handler would hold a large body twice
  const parsedBody = parse(text);
  if (parsedBody === undefined) return handler.fetch(new Request(request, { body: text }));
  return handler.fetch(request, { parsedBody });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
