import { SIGN_IN } from "../../service/sale/signIn.ts";
import { encoded, header, ref } from "./parts.ts";

/** What x402 says about payments, in both of its versions, as far as a caller has to know it. */

const text = { type: "string" };
const units = {
  type: "string",
  pattern: "^[0-9]+$",
  description: "In atomic units of the token: USDC has six decimals.",
};
const object = (properties: Record<string, object>, optional: string[] = []) => ({
  type: "object",
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});
const open = (description: string) => ({ type: "object", description, additionalProperties: true });

const terms = {
  scheme: { type: "string", const: "exact" },
  network: { ...text, description: "A name in version 1, such as base; CAIP-2 in version 2, such as eip155:8453." },
  asset: { ...text, description: "The token's address." },
  payTo: { ...text, description: "Who is paid." },
  maxTimeoutSeconds: { type: "integer", description: "How long the signed authorization should be valid." },
  extra: open("What signing needs besides: the token's EIP-712 domain, or who pays the fee on Solana."),
};

/** The components that describe payments. */
export const paymentSchemas = {
  PaymentRequirementsV1: object({
    ...terms,
    maxAmountRequired: units,
    resource: { ...text, format: "uri" },
    description: text,
    mimeType: text,
    outputSchema: open("Input and output, for discovery services."),
  }),
  PaymentRequiredV1: object(
    {
      x402Version: { type: "integer", const: 1 },
      error: { ...text, description: "Why: what is missing, or what is wrong with the payment that was sent." },
      accepts: { type: "array", items: ref("schemas", "PaymentRequirementsV1"), description: "Sign one of them." },
      extensions: open("By name: offer-receipt, where this deployment signs its offers."),
    },
    ["extensions"],
  ),
  PaymentRequirementsV2: object({ ...terms, amount: units }),
  PaymentRequiredV2: object(
    {
      x402Version: { type: "integer", const: 2 },
      error: text,
      resource: object(
        {
          url: { ...text, format: "uri" },
          description: text,
          mimeType: text,
          serviceName: text,
          tags: { type: "array", items: text },
          iconUrl: { ...text, format: "uri" },
        },
        ["serviceName", "tags", "iconUrl"],
      ),
      accepts: { type: "array", items: ref("schemas", "PaymentRequirementsV2"), description: "Sign one of them." },
      extensions: open(
        "By name: bazaar, payment-identifier; offer-receipt where this deployment signs its offers; sign-in-with-x where nothing is to be paid.",
      ),
    },
    ["extensions"],
  ),
  PaymentV1: object({
    x402Version: { type: "integer", const: 1 },
    scheme: terms.scheme,
    network: text,
    payload: open("`signature` and `authorization` (EIP-3009); `transaction` on Solana."),
  }),
  PaymentV2: object(
    {
      x402Version: { type: "integer", const: 2 },
      accepted: ref("schemas", "PaymentRequirementsV2"),
      payload: open("As in version 1."),
      resource: open("As it was offered."),
      extensions: open("As they were offered."),
    },
    ["resource", "extensions"],
  ),
  PaymentReceipt: object(
    {
      success: { type: "boolean" },
      errorReason: { ...text, description: "Why a settlement failed." },
      transaction: { ...text, description: "Its hash; empty if there is none, or if it is not known." },
      network: text,
      payer: text,
      extra: open("`note`: why the transaction is not known."),
      extensions: open(
        "Where this deployment signs its receipts: `offer-receipt` with the receipt, `overprint-delivery` with the SHA-256 of source and result.",
      ),
    },
    ["errorReason", "extra", "extensions"],
  ),
};

/**
 * How callers show who they are. Neither is an API key, which OpenAPI has no other word for: the last line of each tells
 * that to discovery tools.
 */
export const securitySchemes = {
  x402: {
    type: "apiKey",
    in: "header",
    name: "PAYMENT-SIGNATURE",
    description: "A signed payment, x402 version 2: base64 of JSON (PaymentV2).",
    "x-agentcash-auth-kind": "siwx",
  },
  x402v1: {
    type: "apiKey",
    in: "header",
    name: "X-PAYMENT",
    description: "A signed payment, x402 version 1: base64 of JSON (PaymentV1).",
    "x-agentcash-auth-kind": "siwx",
  },
  signIn: {
    type: "apiKey",
    in: "header",
    name: SIGN_IN,
    description: "A message signed with the key that pays (x402 extension sign-in-with-x): base64 of JSON.",
    "x-agentcash-auth-kind": "siwx",
  },
};

/** The headers of an answer that tell what became of a payment. */
export const receiptHeaders = {
  "X-PAYMENT-RESPONSE": header("The receipt of a version 1 payment.", encoded("PaymentReceipt")),
  "PAYMENT-RESPONSE": header("The receipt of a version 2 payment.", encoded("PaymentReceipt")),
};

/** Returns the parameters that carry a payment, given a sentence on calls that have none. */
export function paymentParameters(unpaid: string) {
  return [paymentHeader("PAYMENT-SIGNATURE", 2, unpaid), paymentHeader("X-PAYMENT", 1, unpaid)];
}

function paymentHeader(name: string, version: 1 | 2, unpaid: string) {
  return {
    name,
    in: "header",
    required: false,
    schema: encoded(`PaymentV${version}`),
    description: `The signed payment (x402 version ${version}). ${unpaid}`,
  };
}
