import { McpServer } from "@modelcontextprotocol/server";
import { version } from "../../package.json";
import type { Exchange } from "../service/callContext.ts";
import { summaryOf } from "../service/guide.ts";
import { call } from "./call.ts";
import { addResources, INSTRUCTIONS } from "./resources.ts";
import { toolsFor } from "./tools.ts";

/** The name, title and version that clients and registries are told. */
export const SERVER = { name: "overprint", title: "Overprint", version };

const NOTHING_CHANGES = { listChanged: false };

/** A server for one message: both tools, and what is free to know before paying. */
export function mcpServer(exchange: Exchange): McpServer {
  const server = new McpServer(SERVER, {
    instructions: `${summaryOf(exchange.config)} ${INSTRUCTIONS}`,
    capabilities: { tools: NOTHING_CHANGES, resources: NOTHING_CHANGES, prompts: NOTHING_CHANGES },
  });
  for (const tool of toolsFor(exchange.config))
    server.registerTool(tool.product.tool, tool.shown, (fields, context) => call(tool, fields, context, exchange));
  addResources(server, new URL(exchange.request.url).origin, exchange.config);
  return server;
}
