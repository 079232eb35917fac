import { exports } from "cloudflare:workers";
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ORIGIN } from "./client.ts";

export const MCP = `${ORIGIN}/mcp`;

/** The MCP protocol revisions that tests use, each with the mode in which the official client uses the revision. */
export const REVISIONS = { "2026-07-28": "auto", "2025-11-25": "legacy" } as const;

/** Sends a request to the MCP endpoint under test. Adds the Host header that every request over the network has. */
export function sendMcp(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  if (!request.headers.has("Host")) request.headers.set("Host", new URL(request.url).host);
  return exports.default.fetch(request);
}

/** Connects the official MCP client to the Worker under test. */
export async function connect(
  revision: keyof typeof REVISIONS = "2026-07-28",
  headers: Record<string, string> = {},
  capabilities: ClientCapabilities = {},
): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities, versionNegotiation: { mode: REVISIONS[revision] } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(MCP), { fetch: sendMcp, requestInit: { headers } }));
  return client;
}
