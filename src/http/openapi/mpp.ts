import { MPP_PROBLEMS, problemUri } from "../../payments/wire/mppProblem.ts";
import { header, ref } from "./parts.ts";

const text = { type: "string" };

/** The schema components of payments over MPP. */
export const mppSchemas = {
  MppReceipt: {
    type: "object",
    required: ["status", "method", "challengeId", "reference", "chainId", "timestamp"],
    properties: {
      status: { ...text, const: "success" },
      method: { ...text, const: "evm" },
      challengeId: { ...text, description: "The id of the challenge that the payment answers." },
      reference: { ...text, description: "The transaction hash. Empty if the hash is unknown." },
      chainId: { type: "integer" },
      timestamp: { ...text, format: "date-time", description: "The time of the settlement." },
    },
  },
  RefusedCredential: {
    type: "object",
    required: ["type", "title", "status", "detail", "request_id"],
    properties: {
      type: { ...text, enum: Object.keys(MPP_PROBLEMS).map(problemUri) },
      title: text,
      status: { type: "integer", const: 402 },
      detail: { ...text, description: "Why the credential was not accepted." },
      request_id: text,
    },
  },
};

/** The header with the MPP challenges of a 402. */
export const challengeHeader = {
  "WWW-Authenticate": header(
    "The payment terms as challenges of the HTTP authentication scheme Payment (MPP), for up to three EVM networks. If the request has a `Content-Digest` with sha-256, the challenges are bound to this body.",
  ),
};

/** The body of a 402 that refuses an MPP credential. */
export const refusedCredentialContent = {
  "application/problem+json": { schema: ref("schemas", "RefusedCredential") },
};

/** The header with the receipt of a payment over MPP. */
export const mppReceiptHeader = {
  "Payment-Receipt": header("The receipt of a payment over MPP, as base64url-encoded JSON.", {
    type: "string",
    contentEncoding: "base64url",
    contentMediaType: "application/json",
    contentSchema: ref("schemas", "MppReceipt"),
  }),
};
