import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { guide, options, summaryOf } from "../service/about/guide.ts";
import { IDEMPOTENCY_META } from "../service/request/idempotencyKey.ts";
import type { Config } from "../settings/config.ts";

const OPTIONS = { uri: "overprint://options", mimeType: "application/json" };
const GUIDE = { uri: "overprint://guide", mimeType: "text/markdown" };

/** Returns the instructions for a client that connects. They name the resources with free information. */
export function instructions(config: Config): string {
  return `${summaryOf(config)} Read ${OPTIONS.uri} for templates, positions, limits and price, and ${GUIDE.uri} for how to call and pay. Both are free. Send a local file with request_upload first. With each paid call, send a UUID in _meta["${IDEMPOTENCY_META}"]. A call repeated with its UUID is charged once.${config.defaultKey ? " Without a UUID, this holds for ten minutes." : ""}`;
}

/** Registers the free information: two resources, and a prompt that includes the options. */
export function addResources(server: McpServer, origin: string, config: Config): void {
  const listed = () => ({ ...OPTIONS, text: JSON.stringify(options(config), null, 2) });

  server.registerResource(
    "options",
    OPTIONS.uri,
    { title: "Templates, positions, limits and price", mimeType: OPTIONS.mimeType },
    () => ({ contents: [listed()] }),
  );
  server.registerResource(
    "guide",
    GUIDE.uri,
    { title: "How to call and how to pay", mimeType: GUIDE.mimeType },
    () => ({ contents: [{ ...GUIDE, text: guide(origin, config) }] }),
  );
  server.registerPrompt(
    "watermark",
    {
      title: "Watermark a PDF",
      description: "Mark every page of a PDF in the style that fits your wish.",
      argsSchema: z.object({
        file: z.string().describe("URL of the PDF, or an upload handle."),
        wish: z.string().describe('The mark, such as "DRAFT across each page" or "our logo, bottom right".'),
      }),
    },
    ({ file, wish }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "text",
            text: `Watermark the PDF at ${file}: ${wish}\n\nChoose from the options below, tell me the price before you pay, and give me the link.`,
          },
        },
        { role: "user", content: { type: "resource", resource: listed() } },
      ],
    }),
  );
}
