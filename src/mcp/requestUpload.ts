import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { PaymentRequired } from "../payments/wire/offer.ts";
import { jsonSchema } from "../service/request/jsonSchema.ts";
import { UPLOAD_EXAMPLE, uploadOffer, uploadRequest } from "../service/request/uploads.ts";
import type { Exchange } from "../service/sale/callContext.ts";
import { x402Payments } from "../service/sale/sentPayments.ts";
import { openUpload } from "../service/sale/uploads.ts";
import { UPLOADS } from "../settings/config.ts";
import { failed } from "./call.ts";
import type { iconsOf } from "./identity.ts";
import { paymentsIn } from "./payment.ts";
import { terms } from "./results.ts";
import { advertised } from "./tools.ts";

/** Name of the free tool that returns an upload URL, for a file that is not on the web. */
export const REQUEST_UPLOAD = "request_upload";

const title = "Request upload of a local file";
const shown = {
  title,
  description: `Use this for a PDF or image without a URL: on a disk, in a sandbox, or with the user. Free up to ${UPLOADS.freeBytes / 1e6} MB. Run the command in \`curl\` to send the file, or ask the user to open \`upload.url\` in a browser. Then pass \`handle\` as \`file\` or \`image\` to the other tools, any number of times. Never put a file into a call as base64.`,
  inputSchema: advertised({ ...jsonSchema(uploadRequest(), { io: "input" }), examples: [UPLOAD_EXAMPLE] }),
  outputSchema: advertised(jsonSchema(z.union([uploadOffer(), terms]), { io: "input" })),
  annotations: { title, readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
};

/** Registers the tool {@link REQUEST_UPLOAD}. */
export function addRequestUpload(server: McpServer, exchange: Exchange, icons: ReturnType<typeof iconsOf>): void {
  server.registerTool(REQUEST_UPLOAD, { ...shown, icons }, async (fields, { mcpReq }): Promise<CallToolResult> => {
    try {
      const offered = await openUpload(fields, exchange, x402Payments(paymentsIn(mcpReq._meta, exchange.request)));
      const { handle, upload, curl, expires_at } = offered;
      const text = `Send the file by ${expires_at}: run \`${curl}\` with the file's path, or ask the user to open ${upload.url} and choose the file. Then pass ${handle} as \`file\` or \`image\`.`;
      return { content: [{ type: "text", text }], structuredContent: offered };
    } catch (error) {
      return failed(error, exchange, mcpReq, unpaidSentence);
    }
  });
}

/** Writes the sentence about the payment that a large upload needs. */
function unpaidSentence({ reason }: PaymentRequired): string {
  return `Uploads are free up to ${UPLOADS.freeBytes / 1e6} MB. For a larger one, sign the payment of the call that will use the file, and send it with this request. It is settled only by that call. Nothing was done yet (${reason}).`;
}
