import { z } from "zod";
import type { Config } from "../config.ts";
import { NETWORKS, type NetworkName } from "./networks.ts";
import { PRICE } from "./price.ts";

/**
 * The x402 version 1 wire format, scheme "exact" on EVM chains (EIP-3009 transferWithAuthorization).
 * Headers carry base64 of JSON; the 402 carries its JSON in the body.
 */

/** Long enough for the work and the settlement; clients set `validBefore` from it. */
const MAX_TIMEOUT_SECONDS = 300;
/** Facilitators refuse to settle an authorization that ends sooner than this. */
const SETTLE_MARGIN_SECONDS = 6;
const MAX_HEADER_BYTES = 8192;

/** One way to pay, as the 402 offers it. */
export interface PaymentRequirement {
  scheme: "exact";
  network: NetworkName;
  maxAmountRequired: string;
  resource: string;
  description: string;
  mimeType: "application/json";
  outputSchema: Record<string, unknown>;
  payTo: string;
  maxTimeoutSeconds: number;
  asset: string;
  extra: { name: string; version: string };
}

/** What is for sale: the parts of a requirement that differ between endpoints. */
export interface Resource {
  url: string;
  description: string;
  outputSchema: Record<string, unknown>;
}

const hex = (bytes: number) =>
  z.string().regex(new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`), `must be 0x and ${bytes * 2} hexadecimal digits`);
const uint = z.string().regex(/^\d{1,78}$/, "must be a decimal integer in a string");

const paymentPayload = z.object({
  x402Version: z.literal(1),
  scheme: z.string(),
  network: z.string(),
  payload: z.object({
    signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2})+$/, "must be 0x and hexadecimal digits"),
    authorization: z.object({
      from: hex(20),
      to: hex(20),
      value: uint,
      validAfter: uint,
      validBefore: uint,
      nonce: hex(32),
    }),
  }),
});

/** A decoded `X-PAYMENT` header. */
export type Payment = z.infer<typeof paymentPayload>;

/** What the facilitator says of a settlement; goes into `X-PAYMENT-RESPONSE`. */
export interface Receipt {
  success: true;
  transaction: string;
  network: string;
  payer: string;
}

/** The answer 402: nothing was charged, and the body says how to pay. */
export class PaymentRequired extends Error {
  override name = "PaymentRequired";
  readonly body: { x402Version: 1; error: string; accepts: PaymentRequirement[] };

  /** @param reason one sentence for the payer, led by x402's own code where it has one */
  constructor(requirement: PaymentRequirement, reason: string) {
    super(reason);
    this.body = { x402Version: 1, error: reason, accepts: [requirement] };
  }
}

/** The requirement for one call of `resource` (x402 v1, "PaymentRequirements"). */
export function requirementFor(resource: Resource, config: Config): PaymentRequirement {
  const { asset, domain } = NETWORKS[config.network];
  return {
    scheme: "exact",
    network: config.network,
    maxAmountRequired: PRICE.atomicUnits,
    resource: resource.url,
    description: resource.description,
    mimeType: "application/json",
    outputSchema: resource.outputSchema,
    payTo: config.payTo,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    asset,
    extra: domain,
  };
}

/**
 * Decodes an `X-PAYMENT` header and checks everything that needs no facilitator: shape, scheme, network, recipient,
 * amount and time window. The asset is part of what the signature covers.
 * @param nowSeconds Unix time
 * @throws PaymentRequired with the reason
 */
export function readPayment(header: string | undefined, requirement: PaymentRequirement, nowSeconds: number): Payment {
  const refuse = (reason: string) => new PaymentRequired(requirement, reason);
  if (header === undefined) throw refuse("X-PAYMENT header is required");
  if (header.length > MAX_HEADER_BYTES)
    throw refuse(`invalid_payload: X-PAYMENT is longer than ${MAX_HEADER_BYTES} bytes`);

  const parsed = paymentPayload.safeParse(decode(header, refuse));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw refuse(`invalid_payload: ${issue?.path.join(".") || "X-PAYMENT"}: ${issue?.message}`);
  }

  const payment = parsed.data;
  const { to, value, validAfter, validBefore } = payment.payload.authorization;
  if (payment.scheme !== requirement.scheme)
    throw refuse(`unsupported_scheme: pay with scheme "${requirement.scheme}"`);
  if (payment.network !== requirement.network) throw refuse(`invalid_network: pay on "${requirement.network}"`);
  if (to.toLowerCase() !== requirement.payTo.toLowerCase())
    throw refuse(`invalid_exact_evm_payload_recipient_mismatch: pay to ${requirement.payTo}`);
  if (BigInt(value) !== BigInt(requirement.maxAmountRequired))
    throw refuse(`invalid_exact_evm_payload_authorization_value: authorize exactly ${requirement.maxAmountRequired}`);
  if (BigInt(validAfter) > nowSeconds)
    throw refuse("invalid_exact_evm_payload_authorization_valid_after: the authorization is not valid yet");
  if (BigInt(validBefore) < nowSeconds + SETTLE_MARGIN_SECONDS)
    throw refuse("invalid_exact_evm_payload_authorization_valid_before: the authorization has run out; sign a new one");
  return payment;
}

function decode(header: string, refuse: (reason: string) => PaymentRequired): unknown {
  try {
    return JSON.parse(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(Uint8Array.fromBase64(header)),
    );
  } catch {
    throw refuse("invalid_payload: X-PAYMENT must be base64 of a JSON object");
  }
}

/** The value of `X-PAYMENT-RESPONSE`. */
export function encodeReceipt(receipt: Receipt): string {
  return btoa(JSON.stringify(receipt));
}
