import { MAX_PROBLEMS } from "../../service/request/invalidRequest.ts";
import { SIGN_IN } from "../../service/sale/signIn.ts";
import { encoded, FIELD_ERROR, header, ref } from "./parts.ts";

const text = { type: "string" };
const units = {
  type: "string",
  pattern: "^[0-9]+$",
  description: "The amount in atomic units of the token. USDC has six decimals.",
};
const object = (properties: Record<string, object>, optional: string[] = []) => ({
  type: "object",
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});
const open = (description: string) => ({ type: "object", description, additionalProperties: true });

const terms = {
  scheme: { type: "string", const: "exact" },
  network: {
    ...text,
    description: "In version 1, a name such as base. In version 2, a CAIP-2 identifier such as eip155:8453.",
  },
  asset: { ...text, description: "The token's address." },
  payTo: { ...text, description: "The address that receives the payment." },
  maxTimeoutSeconds: {
    type: "integer",
    description: "Time in seconds for which the signed authorization must be valid.",
  },
  extra: open("Data for signing: the token's EIP-712 domain, or the fee payer on Solana."),
};

/** The schema components of x402 payments, versions 1 and 2. They cover the fields that callers need. */
export const paymentSchemas = {
  PaymentRequirementsV1: object({
    ...terms,
    maxAmountRequired: units,
    resource: { ...text, format: "uri" },
    description: text,
    mimeType: text,
    outputSchema: open("The input and output of the call, for discovery services."),
  }),
  PaymentRequiredV1: object(
    {
      x402Version: { type: "integer", const: 1 },
      error: { ...text, description: "What is missing, or why the payment was not accepted." },
      accepts: {
        type: "array",
        items: ref("schemas", "PaymentRequirementsV1"),
        description: "The offers. Sign one of them.",
      },
      problems: {
        type: "array",
        maxItems: MAX_PROBLEMS,
        items: FIELD_ERROR,
        description: "Mistakes of the request that show before the payment. Correct them before you pay.",
      },
      unchecked: {
        ...text,
        description: "How to check the fields for free, if the body was not read before the payment.",
      },
      extensions: open("Extensions by name: offer-receipt, if this deployment signs its offers."),
    },
    ["problems", "unchecked", "extensions"],
  ),
  PaymentRequirementsV2: object({
    ...terms,
    scheme: {
      type: "string",
      enum: ["exact", "batch-settlement"],
      description: "`batch-settlement` pays through a payment channel. Not every deployment offers it.",
    },
    amount: units,
  }),
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
      accepts: {
        type: "array",
        items: ref("schemas", "PaymentRequirementsV2"),
        description: "The offers. Sign one of them.",
      },
      extensions: open(
        "Extensions by name: bazaar and payment-identifier; offer-receipt, if this deployment signs its offers; sign-in-with-x, if the call needs a sign-in instead of a payment.",
      ),
    },
    ["extensions"],
  ),
  PaymentV1: object({
    x402Version: { type: "integer", const: 1 },
    scheme: terms.scheme,
    network: text,
    payload: open("On EVM networks, `signature` and `authorization` (EIP-3009). On Solana, `transaction`."),
  }),
  PaymentV2: object(
    {
      x402Version: { type: "integer", const: 2 },
      accepted: ref("schemas", "PaymentRequirementsV2"),
      payload: open(
        "For `exact`, the same payload as in version 1. For `batch-settlement`, a `deposit`, a `voucher` or a `refund`.",
      ),
      resource: open("Copied from the payment terms."),
      extensions: open("Copied from the payment terms."),
    },
    ["resource", "extensions"],
  ),
  PaymentReceipt: object(
    {
      success: { type: "boolean" },
      errorReason: { ...text, description: "Why the settlement failed." },
      transaction: {
        ...text,
        description: "The transaction hash. Empty if there was no transaction or if the hash is unknown.",
      },
      network: text,
      payer: text,
      amount: { ...text, description: "In a payment channel: the deposited or refunded amount; empty for a voucher." },
      extra: open(
        "`note`: why the transaction hash is unknown. In a payment channel, `chargedAmount` and `channelState`.",
      ),
      extensions: open(
        "If this deployment signs its receipts: `offer-receipt` with the receipt, `overprint-delivery` with the SHA-256 of source and result.",
      ),
    },
    ["errorReason", "amount", "extra", "extensions"],
  ),
};

/**
 * The proof of the payer's identity. OpenAPI has no type for signatures, so the proof is declared as an API key.
 * Discovery tools recognize the real type by the name and by `x-agentcash-auth-kind`. Payments are not declared as a
 * security scheme, because tools would conclude that paid calls need an account.
 */
export const securitySchemes = {
  siwx: {
    type: "apiKey",
    in: "header",
    name: SIGN_IN,
    description: "A message signed with the paying key (x402 extension sign-in-with-x), as base64-encoded JSON.",
    "x-agentcash-auth-kind": "siwx",
  },
};

/** The response headers that report the outcome of a payment. */
export const receiptHeaders = {
  "X-PAYMENT-RESPONSE": header("The receipt of a version 1 payment.", encoded("PaymentReceipt")),
  "PAYMENT-RESPONSE": header("The receipt of a version 2 payment.", encoded("PaymentReceipt")),
};

/**
 * Returns the header parameters that carry an x402 payment.
 * @param unpaid a sentence about calls without a payment, appended to each description
 */
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
