import * as z from "zod";
import { extensionsWithIdentifier, identifierIn } from "./identifier.ts";
import { type EvmNetwork, isSolana, type Network, type SolanaNetwork } from "./networks.ts";
import { type Offer, PaymentRequired, type PaymentRequirementsV1, type PaymentRequirementsV2 } from "./offer.ts";
import { firstFault, payloadMessage } from "./payloadMessages.ts";
import { readTransfer, type SolanaTransfer } from "./solanaTransfer.ts";

/**
 * Reads payments of x402 versions 1 and 2, in the scheme "exact". On EVM chains a payment is an EIP-3009
 * `transferWithAuthorization`, on Solana a transaction that lacks only the fee payer's signature. Over HTTP a payment
 * is base64 of JSON in a header. Over MCP it is the JSON itself or its base64.
 */

const MAX_ENCODED_LENGTH = 8192;

const hex = (bytes: number) =>
  z.string().regex(new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`), `must be 0x and ${bytes * 2} hexadecimal digits`);
const uint = z.string().regex(/^\d{1,78}$/, "must be a decimal integer in a string");

const evmPayload = z.object({
  signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2})+$/, "must be 0x and hexadecimal digits"),
  authorization: z.object({
    from: hex(20),
    to: hex(20),
    value: uint,
    validAfter: uint,
    validBefore: uint,
    nonce: hex(32),
  }),
});

const solanaPayload = z.object({ transaction: z.string() });
const evmPayment = z.object({ payload: evmPayload });
const solanaPayment = z.object({ payload: solanaPayload });

const paymentV1 = z.object({ x402Version: z.literal(1), scheme: z.string(), network: z.string() });
const paymentV2 = z.object({
  x402Version: z.literal(2),
  accepted: z.looseObject({ scheme: z.string(), network: z.string() }),
  extensions: extensionsWithIdentifier.optional(),
});
const versioned = z.looseObject({ x402Version: z.union([z.literal(1), z.literal(2)], "must be 1 or 2") });

/**
 * A payment on one of the offered networks, checked without a facilitator. It is plain JSON data, so it can be stored
 * and sent.
 */
export interface PaymentPayload {
  version: 1 | 2;
  /** Name of the network. */
  network: string;
  chain: Network;
  /**
   * The arguments of `transferWithAuthorization` (EIP-3009), or their counterparts on Solana. On Solana the nonce is
   * the message's hash. Integers are decimal strings. Times are Unix seconds.
   */
  authorization: z.infer<typeof evmPayload>["authorization"];
  /** The payer's signature, in hexadecimal. */
  signature: string;
  /** Data for the checks by the facilitator and on the chain. Present only on Solana. */
  transfer?: Pick<SolanaTransfer, "feePayer" | "source" | "blockhash">;
  /**
   * Request body for the facilitator's `/verify` and `/settle`: the payload and the PaymentRequirements, in the
   * payment's version of x402.
   */
  request: string;
  identifier: string | null;
  /**
   * The reason why the payment does not match the offer. Undefined if the payment matches. A payment with a mismatch
   * buys nothing new, but it may have bought a result earlier, before the operator changed the price or the recipient.
   */
  mismatch?: string;
}

/**
 * Returns the first payment of a call that matches the offer. If no payment matches, returns the first well-formed
 * payment. A call may carry several payments, for example in the headers of both versions.
 * @param sent the payments in order of preference; null or undefined for an absent payment
 * @throws PaymentRequired with the reason why the first payment is unusable
 */
export function readFirstPayment(sent: (string | object | null | undefined)[], offer: Offer): PaymentPayload {
  let refusal: unknown;
  let mismatched: PaymentPayload | undefined;
  for (const payment of sent) {
    if (payment === null || payment === undefined) continue;
    try {
      const read = readPaymentPayload(payment, offer);
      if (read.mismatch === undefined) return read;
      mismatched ??= read;
    } catch (error) {
      refusal ??= error;
    }
  }
  if (mismatched) return mismatched;
  throw refusal ?? new PaymentRequired(offer);
}

/**
 * Decodes a payment, and checks everything that needs neither the facilitator nor the chain: shape, scheme, network,
 * recipient and amount. A wrong recipient or amount is a {@link PaymentPayload.mismatch}. On Solana the facilitator checks
 * the recipient, because only it can look up the token account.
 * @param sent JSON, its base64, or the object itself
 * @throws PaymentRequired with the reason why the payment is unusable
 */
export function readPaymentPayload(sent: string | object, offer: Offer): PaymentPayload {
  const refuse = (reason: string) => new PaymentRequired(offer, reason);
  const encoded = typeof sent === "string" ? sent : JSON.stringify(sent);
  if (encoded.length > MAX_ENCODED_LENGTH)
    throw refuse(`invalid_payload: the payment is longer than ${MAX_ENCODED_LENGTH} bytes`);
  const raw = decodePayment(encoded, refuse);
  const parse = <S extends z.ZodType>(schema: S): z.output<S> => {
    const parsed = schema.safeParse(raw, { error: payloadMessage });
    if (parsed.success) return parsed.data;
    throw refuse(`invalid_payload: ${firstFault(parsed.error, "the payment")}`);
  };

  const match =
    parse(versioned).x402Version === 1
      ? matchV1(parse(paymentV1), offer, refuse)
      : matchV2(parse(paymentV2), offer, refuse);
  const { version, chain, accepted, identifier } = match;
  const { requirement, payload, mismatch, ...payment } = isSolana(chain)
    ? onSolana(parse(solanaPayment).payload, chain, match.requirement, refuse)
    : onEvm(parse(evmPayment).payload, chain, match.requirement);
  const field = accepted && differingField(accepted, requirement);
  const unlikeOffer =
    field && `invalid_payment_requirements: accepted.${field} is not as offered; return the offer unchanged`;
  const reason = mismatch ?? unlikeOffer;

  return {
    version,
    network: chain.name,
    ...payment,
    ...(reason !== undefined && { mismatch: reason }),
    request: JSON.stringify({
      x402Version: version,
      paymentPayload: {
        ...(raw as object),
        // Only the checked payload is passed on, because some facilitators would also accept an unchecked
        // `permit2Authorization`.
        payload,
        // Addresses keep the upper and lower case of the offer, because a facilitator may compare them literally.
        ...(version === 2 && { accepted: requirement }),
      },
      paymentRequirements: requirement,
    }),
    identifier: identifier ?? null,
  };
}

/**
 * Returns the identity of a payment. An EIP-3009 nonce is unique for its payer and token. On Solana the hash of the
 * message is unique. The signature is not part of the identity, because several signatures can be valid for one
 * payment.
 */
export function paymentKey({ chain, authorization: { from, nonce } }: PaymentPayload): string {
  const key = [chain.caip2, chain.asset, from, nonce].join(":");
  return isSolana(chain) ? key : key.toLowerCase();
}

type Refuse = (reason: string) => PaymentRequired;
type Requirement = PaymentRequirementsV1 | PaymentRequirementsV2;
type Read<Chain> = Pick<PaymentPayload, "authorization" | "signature" | "transfer"> & {
  mismatch: string | undefined;
  chain: Chain;
  requirement: Requirement;
  /** The checked part of the payload. */
  payload: object;
};

/** Checks the recipient and the amount of an EVM payment. The token needs no check, because the signature covers it. */
function onEvm(payload: z.infer<typeof evmPayload>, chain: EvmNetwork, requirement: Requirement): Read<EvmNetwork> {
  return { ...payload, chain, requirement, payload, mismatch: mismatchOnEvm(payload.authorization, requirement) };
}

function mismatchOnEvm({ to, value }: PaymentPayload["authorization"], requirement: Requirement): string | undefined {
  if (to.toLowerCase() !== requirement.payTo.toLowerCase())
    return `invalid_exact_evm_payload_recipient_mismatch: pay to ${requirement.payTo}`;
  const amount = amountOf(requirement);
  if (BigInt(value) !== BigInt(amount))
    return `invalid_exact_evm_payload_authorization_value: authorize exactly ${amount}`;
  return undefined;
}

/**
 * Maximum time in seconds during which the chain can still accept a transaction after the service has received it. A
 * blockhash is valid for 150 blocks of 0.4 s. The limit is twice this time, because the chain may be slow.
 */
export const SOLANA_LIFETIME_SECONDS = 120;

/**
 * Checks the token and the amount of a Solana payment. The facilitator checks whether it owns the account that pays the
 * fee.
 */
function onSolana(
  { transaction }: z.infer<typeof solanaPayload>,
  chain: SolanaNetwork,
  requirement: Requirement,
  refuse: Refuse,
): Read<SolanaNetwork> {
  const { payer, signature, source, mint, amount, feePayer, messageHash, blockhash } = transferIn(transaction, refuse);
  if (mint !== chain.asset) throw refuse(`invalid_exact_svm_payload_mint_mismatch: pay with ${chain.asset}`);
  const ends = Math.floor(Date.now() / 1000) + SOLANA_LIFETIME_SECONDS;
  return {
    authorization: {
      from: payer,
      to: requirement.payTo,
      value: amount,
      validAfter: "0",
      validBefore: String(ends),
      nonce: messageHash,
    },
    signature,
    transfer: { feePayer, source, blockhash },
    chain,
    payload: { transaction },
    mismatch:
      amount === amountOf(requirement)
        ? undefined
        : `invalid_exact_svm_payload_amount_mismatch: transfer exactly ${amountOf(requirement)}`,
    // Uses the fee payer that the payment names, because a facilitator has several accounts and another isolate may
    // have offered this one.
    requirement: { ...requirement, extra: { feePayer } },
  };
}

function transferIn(transaction: string, refuse: Refuse): SolanaTransfer {
  try {
    return readTransfer(transaction);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refuse(`invalid_exact_svm_payload_transaction: the transaction ${error.message}`);
  }
}

function amountOf(requirement: Requirement): string {
  return "amount" in requirement ? requirement.amount : requirement.maxAmountRequired;
}

interface Match {
  version: 1 | 2;
  requirement: Requirement;
  chain: Network;
  /** The requirement that the client returned, in version 2. */
  accepted?: object;
  identifier?: string | undefined;
}

function matchV1({ scheme, network }: z.infer<typeof paymentV1>, offer: Offer, refuse: Refuse): Match {
  if (scheme !== "exact") throw refuse('unsupported_scheme: pay with scheme "exact"');
  const requirement = offer.v1.find((offered) => offered.network === network);
  const chain = offer.networks.find(({ name }) => name === network);
  if (!requirement || !chain) throw refuse(wrongNetwork(1, offer));
  return { version: 1, requirement, chain };
}

function matchV2({ accepted, extensions }: z.infer<typeof paymentV2>, offer: Offer, refuse: Refuse): Match {
  if (accepted.scheme !== "exact") throw refuse('unsupported_scheme: pay with scheme "exact"');
  const requirement = offer.v2.find((offered) => offered.network === accepted.network);
  const chain = offer.networks.find(({ caip2 }) => caip2 === accepted.network);
  if (!requirement || !chain) throw refuse(wrongNetwork(2, offer));
  return { version: 2, requirement, chain, accepted, identifier: identifierIn(extensions) };
}

function wrongNetwork(version: 1 | 2, { v1, v2 }: Offer): string {
  const names = (version === 1 ? v1 : v2).map(({ network }) => network);
  if (names.length === 0) return `invalid_network: pay with version ${3 - version} of x402`;
  return `invalid_network: pay on ${names.join(", ")}`;
}

/**
 * Returns the path of the first field in which two PaymentRequirements differ. Returns undefined if they are equal. The
 * case of EVM addresses is ignored.
 */
export function differingField(sent: object, offered: object): string | undefined {
  const [a, b] = [new Map(Object.entries(sent)), new Map(Object.entries(offered))];
  for (const field of new Set([...b.keys(), ...a.keys()])) {
    const [left, right]: unknown[] = [a.get(field), b.get(field)];
    if (isRecord(left) && isRecord(right)) {
      const inner = differingField(left, right);
      if (inner !== undefined) return `${field}.${inner}`;
    } else if (left !== right && !isSameAddress(field, left, right)) return field;
  }
  return undefined;
}

/** Returns whether a field holds EVM addresses that differ only in case. The case is only a checksum (ERC-55). */
function isSameAddress(field: string, left: unknown, right: unknown): boolean {
  if (!["asset", "payTo"].includes(field) || typeof left !== "string" || typeof right !== "string") return false;
  if (!right.startsWith("0x")) return false;
  return left.toLowerCase() === right.toLowerCase();
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/**
 * Decodes a payment from JSON or its base64.
 * @throws the error that `refuse` makes
 */
export function decodePayment(text: string, refuse: Refuse): unknown {
  try {
    const json = text.trimStart().startsWith("{")
      ? text
      : new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(Uint8Array.fromBase64(text));
    return JSON.parse(json);
  } catch {
    throw refuse("invalid_payload: a payment must be base64 of a JSON object");
  }
}
