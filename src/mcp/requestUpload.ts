import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import type { PaymentRequired } from "../payments/wire/offer.ts";
import { uploadOffer, uploadRequest } from "../service/request/uploads.ts";
import type { Exchange } from "../service/sale/callContext.ts";
import { x402Payments } from "../service/sale/sentPayments.ts";
import { openUpload } from "../service/sale/uploads.ts";
import { UPLOADS } from "../settings/limits.ts";
import { failed } from "./call.ts";
import { paymentsIn } from "./payment.ts";
import { terms } from "./results.ts";
import { argumentsOf, resultOf } from "./toolSchemas.ts";
import { advertised } from "./tools.ts";

/** Name of the free tool that returns an upload URL, for a file that is not on the web. */
export const REQUEST_UPLOAD = "request_upload";

const title = "Request upload of a local file";
const shown = {
  title,
  description: `Use this for a PDF or image without a URL: on a disk, in a sandbox, or with the user. Free up to ${UPLOADS.freeBytes / 1e6} MB. Run the command in \`curl\`, or ask the user to open \`upload.url\` in a browser. Then pass \`handle\` as \`file\` or \`image\`.`,
  inputSchema: advertised(argumentsOf(uploadRequest())),
  outputSchema: advertised(resultOf(uploadOffer(), terms)),
  annotations: { destructiveHint: false, openWorldHint: false },
};

/** Registers the tool {@link REQUEST_UPLOAD}. */
export function addRequestUpload(server: McpServer, exchange: Exchange): void {
  server.registerTool(REQUEST_UPLOAD, shown, async (fields, { mcpReq }): Promise<CallToolResult> => {
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
