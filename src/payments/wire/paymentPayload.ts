import * as z from "zod";
import { extensionsWithIdentifier, identifierIn } from "./identifier.ts";
import { type EvmNetwork, isSolana, type Network, type SolanaNetwork } from "./networks.ts";
import { type Offer, PaymentRequired, type PaymentRequirementsV1, type PaymentRequirementsV2 } from "./offer.ts";
import { readTransfer, type SolanaTransfer } from "./solanaTransfer.ts";

/**
 * Reading payments: x402 versions 1 and 2, scheme "exact" on EVM chains (EIP-3009 transferWithAuthorization) and on
 * Solana (a transaction that lacks the signature of who pays its fee). Over HTTP a payment is base64 of JSON in a header;
 * over MCP it is the JSON itself or its base64.
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
 * A payment that matches the offer, as far as can be checked without a facilitator. Plain JSON data, so it can be
 * stored and sent.
 */
export interface PaymentPayload {
  version: 1 | 2;
  /** The name of the network. */
  network: string;
  chain: Network;
  /**
   * The arguments of `transferWithAuthorization` (EIP-3009), and what corresponds to them on Solana: there the nonce is
   * the message's hash. Integers are decimal strings; times are Unix seconds.
   */
  authorization: z.infer<typeof evmPayload>["authorization"];
  /** The payer's, in hexadecimal. */
  signature: string;
  /** On Solana, what else the facilitator and the chain are asked about. */
  transfer?: Pick<SolanaTransfer, "feePayer" | "source" | "blockhash">;
  /**
   * Body for the facilitator's `/verify` and `/settle`: the payload, and the PaymentRequirements in the
   * same version's shape.
   */
  request: string;
  identifier: string | null;
}

/**
 * Reads the payment of a call that may carry several, as in the headers of both versions: the first that can be used.
 * @param sent in order of preference; null or undefined where there is none
 * @throws PaymentRequired with what is wrong with the first
 */
export function readFirstPayment(sent: (string | object | null | undefined)[], offer: Offer): PaymentPayload {
  let refusal: unknown;
  for (const payment of sent) {
    if (payment === null || payment === undefined) continue;
    try {
      return readPaymentPayload(payment, offer);
    } catch (error) {
      refusal ??= error;
    }
  }
  throw refusal ?? new PaymentRequired(offer);
}

/**
 * Decodes a payment and checks everything that needs no facilitator and no chain: shape, scheme, network, recipient and
 * amount; on Solana all but the recipient, whose token account the facilitator finds.
 * @param sent JSON, its base64, or the object itself
 * @throws PaymentRequired with the reason
 */
export function readPaymentPayload(sent: string | object, offer: Offer): PaymentPayload {
  const refuse = (reason: string) => new PaymentRequired(offer, reason);
  const encoded = typeof sent === "string" ? sent : JSON.stringify(sent);
  if (encoded.length > MAX_ENCODED_LENGTH)
    throw refuse(`invalid_payload: the payment is longer than ${MAX_ENCODED_LENGTH} bytes`);
  const raw = decode(encoded, refuse);
  const parse = <S extends z.ZodType>(schema: S): z.output<S> => {
    const parsed = schema.safeParse(raw);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw refuse(`invalid_payload: ${issue?.path.join(".") || "payment"}: ${issue?.message}`);
  };

  const match =
    parse(versioned).x402Version === 1
      ? matchV1(parse(paymentV1), offer, refuse)
      : matchV2(parse(paymentV2), offer, refuse);
  const { version, chain, accepted, identifier } = match;
  const { requirement, payload, ...payment } = isSolana(chain)
    ? onSolana(parse(solanaPayment).payload, chain, match.requirement, refuse)
    : onEvm(parse(evmPayment).payload, chain, match.requirement, refuse);
  const field = accepted && difference(accepted, requirement);
  if (field !== undefined)
    throw refuse(`invalid_payment_requirements: accepted.${field} is not as offered; send the offer back unchanged`);

  return {
    version,
    network: chain.name,
    ...payment,
    request: JSON.stringify({
      x402Version: version,
      paymentPayload: {
        ...(raw as object),
        payload, // and nothing beside it: facilitators take a `permit2Authorization` for the payment, of whomever it is
        // as received, but for the case of its addresses: a facilitator may compare them to the letter
        ...(version === 2 && { accepted: requirement }),
      },
      paymentRequirements: requirement,
    }),
    identifier: identifier ?? null,
  };
}

/**
 * Returns the identity of a payment. EIP-3009 nonces are unique per payer and token, so no other field is part of it; on
 * Solana the message's hash is unique by itself. Signatures are no part of it: several may be good for the same payment.
 */
export function paymentKey({ chain, authorization: { from, nonce } }: PaymentPayload): string {
  const key = [chain.caip2, chain.asset, from, nonce].join(":");
  return isSolana(chain) ? key : key.toLowerCase();
}

type Refuse = (reason: string) => PaymentRequired;
type Requirement = PaymentRequirementsV1 | PaymentRequirementsV2;
type Read<Chain> = Pick<PaymentPayload, "authorization" | "signature" | "transfer"> & {
  chain: Chain;
  requirement: Requirement;
  /** What was read of the payload. */
  payload: object;
};

/** Checks what an EVM payment pays. The token needs no check because the signature covers it. */
function onEvm(
  payload: z.infer<typeof evmPayload>,
  chain: EvmNetwork,
  requirement: Requirement,
  refuse: Refuse,
): Read<EvmNetwork> {
  const { to, value } = payload.authorization;
  if (to.toLowerCase() !== requirement.payTo.toLowerCase())
    throw refuse(`invalid_exact_evm_payload_recipient_mismatch: pay to ${requirement.payTo}`);
  const amount = amountOf(requirement);
  if (BigInt(value) !== BigInt(amount))
    throw refuse(`invalid_exact_evm_payload_authorization_value: authorize exactly ${amount}`);
  return { ...payload, chain, requirement, payload };
}

/**
 * How long a transaction can still be taken by the chain after it was received, at most, in seconds: for 150 blocks of
 * 0.4 s, or of twice that where the chain is slow.
 */
export const SOLANA_LIFETIME_SECONDS = 120;

/** Checks what a Solana payment pays. Whether the fee is the facilitator's to pay, it knows itself. */
function onSolana(
  { transaction }: z.infer<typeof solanaPayload>,
  chain: SolanaNetwork,
  requirement: Requirement,
  refuse: Refuse,
): Read<SolanaNetwork> {
  const { payer, signature, source, mint, amount, feePayer, messageHash, blockhash } = transferIn(transaction, refuse);
  if (mint !== chain.asset) throw refuse(`invalid_exact_svm_payload_mint_mismatch: pay with ${chain.asset}`);
  if (amount !== amountOf(requirement))
    throw refuse(`invalid_exact_svm_payload_amount_mismatch: transfer exactly ${amountOf(requirement)}`);
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
    // facilitators have several, of which each of our isolates may have been told another
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
  /** The requirement as sent back, in version 2. */
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

/** Returns the path of the first field in which two PaymentRequirements differ. */
function difference(sent: object, offered: object): string | undefined {
  const [a, b] = [new Map(Object.entries(sent)), new Map(Object.entries(offered))];
  for (const field of new Set([...b.keys(), ...a.keys()])) {
    const [left, right]: unknown[] = [a.get(field), b.get(field)];
    if (isRecord(left) && isRecord(right)) {
      const inner = difference(left, right);
      if (inner !== undefined) return `${field}.${inner}`;
    } else if (left !== right && !isSameAddress(field, left, right)) return field;
  }
  return undefined;
}

/** Returns whether two EVM addresses differ in their case only, which is no more than a checksum (ERC-55). */
function isSameAddress(field: string, left: unknown, right: unknown): boolean {
  if (!["asset", "payTo"].includes(field) || typeof left !== "string" || typeof right !== "string") return false;
  if (!right.startsWith("0x")) return false;
  return left.toLowerCase() === right.toLowerCase();
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function decode(text: string, refuse: Refuse): unknown {
  try {
    const json = text.trimStart().startsWith("{")
      ? text
      : new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(Uint8Array.fromBase64(text));
    return JSON.parse(json);
  } catch {
    throw refuse("invalid_payload: a payment must be base64 of a JSON object");
  }
}
