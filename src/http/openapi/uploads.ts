import { UPLOAD_EXAMPLE } from "../../service/request/uploads.ts";
import { takesMpp } from "../../service/sale/sentPayments.ts";
import type { Config } from "../../settings/config.ts";
import { UPLOADS } from "../../settings/limits.ts";
import { challengeHeader, refusedCredentialContent } from "./mpp.ts";
import { answer, encoded, header, json, problems, ref } from "./parts.ts";
import { paymentParameters } from "./x402.ts";

/** The path parameter of an upload URL: the id of the upload. */
export const uploadParameters = [
  { name: "id", in: "path", required: true, schema: { type: "string" }, description: "The id from the upload URL." },
];

/** The path parameters of the URL of a part. */
export const partParameters = [
  ...uploadParameters,
  {
    name: "number",
    in: "path",
    required: true,
    schema: { type: "integer", minimum: 1 },
    description: "The number of the part.",
  },
];

const NO_STORE = { "Cache-Control": header("`no-store`: the content is secret.") };
const UNAVAILABLE = ["upload_not_found", "upload_expired", "not_configured", "internal_error"] as const;
const TOO_MANY_GUESSES = { 429: "This address sent too many requests for unknown uploads within a minute." };

/** Returns the operation `POST` that requests an upload URL. */
export function requestUpload(config: Config) {
  return {
    operationId: "requestUpload",
    tags: ["Uploads"],
    summary: "Request upload",
    description: `Returns an upload URL and a handle for a file without a URL. Use the handle as \`file\` or \`image\` any number of times until it expires. Free within the \`upload…\` limits of \`/v1/limits\`. With a payment, a file may have up to ${config.maxSourceBytes} bytes. Above ${UPLOADS.partBytes} bytes, the answer also has URLs for the parts of the file. The payment is verified but not settled: use it for the call that marks the file.`,
    security: [],
    parameters: paymentParameters(
      "Required only for uploads beyond the free limits. This request does not settle the payment.",
    ),
    requestBody: {
      required: false,
      content: { "application/json": { schema: ref("schemas", "UploadRequest"), example: UPLOAD_EXAMPLE } },
    },
    responses: {
      201: answer("The upload URL and the handle.", {
        headers: NO_STORE,
        content: json(ref("schemas", "UploadOffer")),
      }),
      402: answer("The file exceeds the free size, or the payment was not accepted.", {
        headers: {
          "PAYMENT-REQUIRED": header("The payment terms (x402 version 2).", encoded("PaymentRequiredV2")),
          ...(takesMpp(config) && challengeHeader),
        },
        content: { ...json(ref("schemas", "PaymentRequiredV1")), ...(takesMpp(config) && refusedCredentialContent) },
      }),
      ...problems(
        [
          "invalid_request",
          "body_timeout",
          "blocked",
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
        { notes: { 429: "This address or payer has too many uploads at the same time." } },
      ),
    },
  };
}

/** The operation `PUT`, which uploads the file. */
export const sendFile = {
  operationId: "sendFile",
  tags: ["Uploads"],
  summary: "Upload file",
  description:
    "Send the file once, as the request body, with its Content-Length. After an error, you can send it again.",
  security: [],
  requestBody: {
    required: true,
    content: { "*/*": { schema: { type: "string", format: "binary" } } },
  },
  responses: {
    200: answer("The file was stored.", { headers: NO_STORE, content: json(ref("schemas", "UploadReceipt")) }),
    ...problems(
      [
        ...UNAVAILABLE,
        "blocked",
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
      { notes: { 429: `This upload failed too often, or its file is being sent already. ${TOO_MANY_GUESSES[429]}` } },
    ),
  },
};

/** The operation `GET`, which lists the stored parts. */
export const listPartsOperation = {
  operationId: "listParts",
  tags: ["Uploads"],
  summary: "List uploaded parts",
  description: "Lists the stored parts of an upload. After a broken connection, send only the missing ones.",
  security: [],
  responses: {
    200: answer("The stored parts.", { headers: NO_STORE, content: json(ref("schemas", "UploadedParts")) }),
    ...problems([...UNAVAILABLE, "too_many_requests"], { notes: TOO_MANY_GUESSES }),
  },
};

/** The operation `PUT`, which uploads a part. */
export const sendPart = {
  ...sendFile,
  operationId: "sendPart",
  summary: "Upload part",
  description:
    "Send a part of the file as the request body, with its Content-Length. All parts except the last are equally long. Send the parts in any order. A stored part cannot be replaced.",
  responses: {
    ...sendFile.responses,
    200: answer("The part was stored.", { headers: NO_STORE, content: json(ref("schemas", "UploadedPart")) }),
  },
};

/** The operation `POST`, which joins the parts to the file. */
export const completeOperation = {
  operationId: "completeUpload",
  tags: ["Uploads"],
  summary: "Complete upload in parts",
  description: "Joins the parts to the file. You can repeat this request.",
  security: [],
  responses: {
    200: answer("The file was stored.", { headers: NO_STORE, content: json(ref("schemas", "UploadPartsReceipt")) }),
    ...problems([...UNAVAILABLE, "blocked", "upload_used", "upload_empty", "too_many_requests"], {
      notes: TOO_MANY_GUESSES,
    }),
  },
};

/** The operation `GET`, which shows the upload page. */
export const showUpload = {
  operationId: "showUpload",
  tags: ["Uploads"],
  summary: "Upload page",
  description: "Shows a page where a person chooses the file in a browser.",
  security: [],
  responses: {
    200: answer("The upload page.", { headers: NO_STORE, content: { "text/html": { schema: { type: "string" } } } }),
    ...problems([...UNAVAILABLE, "too_many_requests"], { notes: TOO_MANY_GUESSES }),
  },
};
