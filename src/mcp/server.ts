import { McpServer } from "@modelcontextprotocol/server";
import type { Exchange } from "../service/sale/callContext.ts";
import { call } from "./call.ts";
import { iconsOf, SERVER } from "./identity.ts";
import type { Message } from "./message.ts";
import { PAYMENT_EXTENSION } from "./payment.ts";
import { addPaymentLinks } from "./paymentLinks.ts";
import { addRequestUpload } from "./requestUpload.ts";
import { addResources, instructions } from "./resources.ts";
import { shownTo, toolsFor } from "./tools.ts";
import { addView, type DrawView, VIEWS, withView } from "./views.ts";

const FIXED = { listChanged: false };

/**
 * Creates the server for one message, with its tools, resources and prompt.
 * @param drawView renders the view of a result; undefined if the client does not show views
 */
export function mcpServer(exchange: Exchange, drawView: DrawView | undefined, message?: Message): McpServer {
  const { origin } = new URL(exchange.request.url);
  const icons = iconsOf(origin);
  const server = new McpServer(
    { ...SERVER, websiteUrl: origin, icons },
    {
      instructions: instructions(exchange.config),
      capabilities: {
        tools: FIXED,
        resources: FIXED,
        prompts: FIXED,
        extensions: { [PAYMENT_EXTENSION]: {}, ...(drawView && VIEWS) },
      },
    },
  );
  let isCalled = false;
  for (const tool of toolsFor(exchange.config)) {
    const shown = shownTo(exchange, tool);
    server.registerTool(tool.product.tool, drawView ? withView(shown) : shown, (fields, context) => {
      isCalled = true;
      return call(tool, fields, context, exchange, message).finally(message?.release);
    });
  }
  server.server.onclose = () => {
    // no paid tool was called; a call of a paid tool releases the message itself
    if (!isCalled) message?.releaseUnused();
  };
  addRequestUpload(server, exchange);
  addPaymentLinks(server, exchange);
  addResources(server, origin, exchange.config);
  if (drawView) addView(server, exchange, drawView);
  return server;
}
