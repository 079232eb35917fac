import { McpServer, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";
import { version } from "../../package.json";
import { PRODUCTS } from "../catalog.ts";
import { guide, options, SUMMARY } from "../guide.ts";
import { PRICE } from "../payments/price.ts";
import { call, type Exchange } from "./call.ts";
import { output } from "./results.ts";

export const SERVER = { name: "overprint", title: "Overprint", version };

const PAYING = `Costs ${PRICE.label}, paid with x402: a call without payment answers with the terms; sign them and call again with the same arguments and the payment in _meta["x402/payment"]. A call that fails is not charged, and its payment can be used again.`;

const OPTIONS = { uri: "overprint://options", mimeType: "application/json" };
const GUIDE = { uri: "overprint://guide", mimeType: "text/markdown" };

const NOTHING_CHANGES = { listChanged: false };

/** A server for one message: both tools, and what is free to know before paying. */
export function mcpServer(exchange: Exchange): McpServer {
  const { config, request } = exchange;
  const server = new McpServer(SERVER, {
    instructions: `${SUMMARY} The resource ${OPTIONS.uri} lists templates, positions, limits and price.`,
    capabilities: { tools: NOTHING_CHANGES, resources: NOTHING_CHANGES, prompts: NOTHING_CHANGES },
  });

  for (const product of PRODUCTS)
    server.registerTool(
      product.tool,
      {
        title: product.summary,
        description: `${product.summary}, and get a link to the marked PDF, which expires. ${PAYING}`,
        inputSchema: advertised(product.schema),
        outputSchema: advertised(output),
        annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      },
      (fields, context) => call(product, fields, context, exchange),
    );

  server.registerResource(
    "options",
    OPTIONS.uri,
    { title: "Templates, positions, limits and price", mimeType: OPTIONS.mimeType },
    () => ({ contents: [{ ...OPTIONS, text: JSON.stringify(options(config), null, 2) }] }),
  );
  server.registerResource(
    "guide",
    GUIDE.uri,
    { title: "How to call and how to pay", mimeType: GUIDE.mimeType },
    () => ({ contents: [{ ...GUIDE, text: guide(new URL(request.url).origin, config) }] }),
  );
  server.registerPrompt(
    "watermark",
    {
      title: "Watermark a PDF",
      description: "Mark every page of a PDF, in the look that suits what you want.",
      argsSchema: z.object({
        file: z.string().describe("URL of the PDF."),
        wish: z
          .string()
          .describe('What the mark should be, as in "DRAFT across each page" or "our logo, bottom right".'),
      }),
    },
    ({ file, wish }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "text",
            text: `Watermark the PDF at ${file}: ${wish}\n\nChoose among the options below, say what it costs before you pay, and give me the link.`,
          },
        },
        {
          role: "user",
          content: { type: "resource", resource: { ...OPTIONS, text: JSON.stringify(options(config), null, 2) } },
        },
      ],
    }),
  );
  return server;
}

/**
 * A schema as clients see it. Nothing is checked against it here: arguments are checked once they are paid for, in the words
 * HTTP callers get. It names no dialect: older clients know no other than their own.
 */
function advertised(schema: z.ZodType): StandardSchemaWithJSON {
  const json = (io: "input" | "output") => {
    const { $schema, ...rest } = z.toJSONSchema(schema, { io });
    return rest;
  };
  return {
    "~standard": {
      version: 1,
      vendor: "overprint",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => json("input"), output: () => json("output") },
    },
  };
}
