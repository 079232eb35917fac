import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { guide, options } from "../service/about/guide.ts";
import type { Config } from "../settings/config.ts";

const OPTIONS = { uri: "overprint://options", mimeType: "application/json" };
const GUIDE = { uri: "overprint://guide", mimeType: "text/markdown" };

/** Tells a client, as it connects, where to find what can be read for free. */
export const INSTRUCTIONS = `The resource ${OPTIONS.uri} lists templates, positions, limits and price; ${GUIDE.uri} says how to call and how to pay. A local file goes to request_upload first.`;

/** Registers what can be read for free before paying: two resources, and a prompt that includes the options. */
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
      description: "Mark every page of a PDF, in the look that suits what you want.",
      argsSchema: z.object({
        file: z.string().describe("URL of the PDF, or the handle of an upload."),
        wish: z.string().describe('The mark, as in "DRAFT across each page" or "our logo, bottom right".'),
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
        { role: "user", content: { type: "resource", resource: listed() } },
      ],
    }),
  );
}
