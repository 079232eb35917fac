import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { PaymentRequired } from "../payments/wire/offer.ts";
import { jsonSchema } from "../service/request/jsonSchema.ts";
import { openUpload, UPLOAD_EXAMPLE, uploadOffer, uploadRequest } from "../service/request/uploads.ts";
import type { Exchange } from "../service/sale/callContext.ts";
import { UPLOADS } from "../settings/config.ts";
import { failed } from "./call.ts";
import type { iconsOf } from "./identity.ts";
import { paymentsIn } from "./payment.ts";
import { terms } from "./results.ts";
import { advertised } from "./tools.ts";

/** The tool that is free: it says where a file goes that has no URL. */
export const REQUEST_UPLOAD = "request_upload";

const title = "Get an address to upload a local file to";
const shown = {
  title,
  description: `For a PDF or image that is on a disk, in a sandbox or with the user, and has no URL. Free, up to ${UPLOADS.freeBytes / 1e6} MB. Send the file by the command in \`curl\`, or give the user \`upload.url\` to open in a browser; then pass \`handle\` as \`file\` or \`image\` of the other tools, any number of times. Never put a file into a call as base64.`,
  inputSchema: advertised({ ...jsonSchema(uploadRequest(), { io: "input" }), examples: [UPLOAD_EXAMPLE] }),
  outputSchema: advertised(jsonSchema(z.union([uploadOffer(), terms]), { io: "input" })),
  annotations: { title, readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
};

/** Registers the tool. */
export function addRequestUpload(server: McpServer, exchange: Exchange, icons: ReturnType<typeof iconsOf>): void {
  server.registerTool(REQUEST_UPLOAD, { ...shown, icons }, async (fields, { mcpReq }): Promise<CallToolResult> => {
    try {
      const offered = await openUpload(fields, exchange, paymentsIn(mcpReq._meta, exchange.request));
      const { handle, upload, curl, expires_at } = offered;
      const text = `Send the file by ${expires_at}: run \`${curl}\` with its path, or have the user open ${upload.url} and choose it. Then use ${handle} as \`file\` or \`image\`.`;
      return { content: [{ type: "text", text }], structuredContent: offered };
    } catch (error) {
      return failed(error, exchange, mcpReq.signal, unpaidSentence);
    }
  });
}

/** Says what an upload that is not free takes. */
function unpaidSentence({ reason }: PaymentRequired): string {
  return `Up to ${UPLOADS.freeBytes / 1e6} MB are free. A larger upload takes the payment of the call that it is for, signed and sent with this request: it is not settled before that call. Nothing was done yet (${reason}).`;
}
