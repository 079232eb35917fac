import { UPLOAD_EXAMPLE } from "../../service/request/uploads.ts";
import type { Config } from "../../settings/config.ts";
import { answer, encoded, header, json, problems, ref } from "./parts.ts";
import { paymentParameters } from "./x402.ts";

/** The operations on uploads. */

/** The parameter of a slot. */
export const slotParameters = [
  { name: "id", in: "path", required: true, schema: { type: "string" }, description: "As in the URL that was given." },
];

const NO_STORE = { "Cache-Control": header("`no-store`: what it says is a secret.") };
const GONE = ["upload_not_found", "upload_expired", "not_configured", "internal_error"] as const;
const GUESSES = { 429: "Too many uploads that there are not were asked for from this address in a minute." };

/** `POST` for a slot. */
export function requestUpload({ maxSourceBytes }: Config) {
  return {
    operationId: "requestUpload",
    tags: ["Uploads"],
    summary: "Get an address to upload a file to",
    description: `For files without a URL. The answer has a handle, which \`file\` and \`image\` take any number of times until it ends. Free, as far as \`upload…\` in \`/v1/limits\` say; with a payment up to ${maxSourceBytes} bytes: it is verified, not settled, and can be used for the call that follows.`,
    security: [{}, { x402: [] }, { x402v1: [] }],
    parameters: paymentParameters("For a large upload, or more than are free: it is not settled here."),
    requestBody: {
      required: false,
      content: { "application/json": { schema: ref("schemas", "UploadRequest"), example: UPLOAD_EXAMPLE } },
    },
    responses: {
      201: answer("Where to send the file.", { headers: NO_STORE, content: json(ref("schemas", "UploadOffer")) }),
      402: answer("Larger than free uploads may be, or the payment is refused.", {
        headers: { "PAYMENT-REQUIRED": header("The terms of version 2.", encoded("PaymentRequiredV2")) },
        content: json(ref("schemas", "PaymentRequiredV1")),
      }),
      ...problems(
        [
          "invalid_request",
          "body_timeout",
          "payment_already_used",
          "source_too_large",
          "body_too_large",
          "unsupported_media_type",
          "too_many_requests",
          "payment_in_progress",
          "facilitator_unavailable",
          "not_selling",
          "not_configured",
          "internal_error",
        ],
        { notes: { 429: "As many uploads as this address, or payer, may have at the same time." } },
      ),
    },
  };
}

/** `PUT` of a file. */
export const sendFile = {
  operationId: "sendFile",
  tags: ["Uploads"],
  summary: "Send the file of an upload, once",
  description: "As the body, by itself, with its Content-Length. After a refusal it can be sent again.",
  security: [],
  requestBody: {
    required: true,
    content: { "*/*": { schema: { type: "string", format: "binary" } } },
  },
  responses: {
    200: answer("It has come.", { headers: NO_STORE, content: json(ref("schemas", "UploadReceipt")) }),
    ...problems(
      [
        ...GONE,
        "upload_used",
        "upload_length_wrong",
        "source_too_large",
        "body_timeout",
        "unsupported_media_type",
        "not_a_pdf",
        "unsupported_image",
        "damaged_image",
        "too_many_requests",
        "too_busy",
      ],
      { notes: { 429: `Too much has been sent to this upload in vain, or is being sent. ${GUESSES[429]}` } },
    ),
  },
};

/** `GET` of the page. */
export const showUpload = {
  operationId: "showUpload",
  tags: ["Uploads"],
  summary: "Show a person a page to choose the file on",
  description: "For whoever has the file in a browser, and not where the program is.",
  security: [],
  responses: {
    200: answer("The page.", { headers: NO_STORE, content: { "text/html": { schema: { type: "string" } } } }),
    ...problems([...GONE, "too_many_requests"], { notes: GUESSES }),
  },
};
