/**
 * Reads payments of the x402 scheme "batch-settlement". A payment is a deposit, a voucher or a refund of a payment
 * channel.
 */
import * as z from "zod";
import type { ChannelRequirements } from "./channelOffer.ts";
import {
  CHANNEL_SCHEME,
  type ChannelConfig,
  channelIdOf,
  type Hex,
  hasSignedVoucher,
  type Voucher,
  ZERO_ADDRESS,
} from "./channelTypes.ts";
import { extensionsWithIdentifier, identifierIn } from "./identifier.ts";
import { type EvmNetwork, isSolana } from "./networks.ts";
import { type Offer, PaymentRequired } from "./offer.ts";
import { firstFault, payloadMessage } from "./payloadMessages.ts";
import { decodePayment, differingField } from "./paymentPayload.ts";

/**
 * Maximum number of characters of an encoded payment. The limit allows for deposits, which contain two signatures and
 * the channel's terms.
 */
const MAX_ENCODED_LENGTH = 12_288;
/** Maximum number of characters of a signature. Signatures of contracts may be longer than those of accounts. */
const MAX_SIGNATURE_LENGTH = 4096;
/** The largest token amount that the contract accepts, because it stores amounts in 128 bits. */
const MAX_AMOUNT = 2n ** 128n - 1n;

const bytes = (length: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${length * 2}}$`), `must be 0x and ${length * 2} hexadecimal digits`)
    .transform((text) => text as Hex);
const signature = z
  .string()
  .max(MAX_SIGNATURE_LENGTH)
  .regex(/^0x(?:[0-9a-fA-F]{2})+$/, "must be 0x and hexadecimal digits")
  .transform((text) => text as Hex);
const seconds = z.string().regex(/^\d{1,15}$/, "must be a decimal integer in a string");
const amount = z
  .string()
  .regex(/^\d{1,39}$/, "must be a decimal integer in a string")
  .refine((text) => BigInt(text) <= MAX_AMOUNT, "must be below 2^128")
  .transform((text) => String(BigInt(text)));

const channel = {
  channelConfig: z.object({
    payer: bytes(20),
    payerAuthorizer: bytes(20),
    receiver: bytes(20),
    receiverAuthorizer: bytes(20),
    token: bytes(20),
    withdrawDelay: z.int().min(0),
    salt: bytes(32),
  }),
  voucher: z.object({ channelId: bytes(32), maxClaimableAmount: amount, signature }),
};
const payload = z.discriminatedUnion("type", [
  z.object({ type: z.literal("voucher"), ...channel }),
  z.object({ type: z.literal("refund"), ...channel, amount: amount.optional() }),
  z.object({
    type: z.literal("deposit"),
    ...channel,
    deposit: z.object({
      amount,
      authorization: z.object({
        erc3009Authorization: z.object({ validAfter: seconds, validBefore: seconds, salt: bytes(32), signature }),
      }),
    }),
  }),
]);
const payment = z.looseObject({
  x402Version: z.literal(2, "must be 2: channels need version 2 of x402"),
  accepted: z.looseObject({ scheme: z.string(), network: z.string(), extra: z.looseObject({}).optional() }),
  payload,
  extensions: extensionsWithIdentifier.optional(),
});
const schemeOf = z.looseObject({ accepted: z.looseObject({ scheme: z.literal(CHANNEL_SCHEME) }) });

/** A payment through a channel that matches the offer. It is plain JSON data, so it can be stored and sent. */
export interface ChannelPayment {
  type: z.infer<typeof payload>["type"];
  chain: EvmNetwork;
  /** Id of the channel, in lower case. */
  channelId: Hex;
  config: ChannelConfig;
  voucher: Voucher;
  /**
   * The amount of the deposit, and the expiry of the deposit's authorization in Unix seconds. Present only if the
   * payment deposits money.
   */
  deposit?: { amount: string; validBefore: string; signature: Hex };
  /** The amount to refund. Undefined if the whole balance is refunded. */
  refundAmount?: string | undefined;
  requirements: ChannelRequirements;
  /** The checked payload, which is sent to the facilitator. */
  payload: object;
  identifier: string | null;
}

/**
 * Returns the payment of a call that pays through a channel. Returns undefined if the deployment offers no channels, or
 * if the call pays in another way. Does not check the voucher's signature, which {@link checkVoucher} checks.
 * @param sent the payments of the call
 * @throws PaymentRequired with the reason why the payment is unusable
 */
export function readChannelPayment(
  sent: (string | object | null | undefined)[],
  offer: Offer,
): ChannelPayment | undefined {
  if (offer.channels.length === 0) return undefined;
  for (const one of sent) {
    if (one === null || one === undefined) continue;
    const encoded = typeof one === "string" ? one : JSON.stringify(one);
    if (encoded.length > MAX_ENCODED_LENGTH) continue;
    const raw = decodedOrUndefined(encoded, offer);
    if (schemeOf.safeParse(raw).success) return matching(raw, offer);
  }
  return undefined;
}

function decodedOrUndefined(encoded: string, offer: Offer): unknown {
  try {
    return decodePayment(encoded, (reason) => new PaymentRequired(offer, reason));
  } catch (error) {
    if (error instanceof PaymentRequired) return undefined; // the functions that read other payments report this fault
    throw error;
  }
}

/**
 * Checks the shape, the terms and the channel id of a payment. These checks need neither the channel's state, nor the
 * chain, nor the current time.
 */
function matching(raw: unknown, offer: Offer): ChannelPayment {
  const refuse = (reason: string) => new PaymentRequired(offer, reason);
  const parsed = payment.safeParse(raw, { error: payloadMessage });
  if (!parsed.success) throw refuse(`invalid_payload: ${firstFault(parsed.error, "the payment")}`);
  const { accepted, payload, extensions } = parsed.data;
  const requirements = offer.channels.find(({ network }) => network === accepted.network);
  const chain = offer.networks.find(({ caip2 }) => caip2 === accepted.network);
  if (!requirements || !chain || isSolana(chain))
    throw refuse(`invalid_network: open a channel on ${offer.channels.map(({ network }) => network).join(", ")}`);
  const field = differingField(withoutState(accepted), requirements);
  if (field !== undefined)
    throw refuse(`invalid_payment_requirements: accepted.${field} is not as offered; return the offer unchanged`);

  const { channelConfig: config, voucher } = payload;
  const { receiverAuthorizer, withdrawDelay } = requirements.extra;
  const code = "invalid_batch_settlement_evm";
  const rules: [boolean, string][] = [
    [isSame(config.receiver, requirements.payTo), `receiver_mismatch: the receiver must be ${requirements.payTo}`],
    [isSame(config.token, chain.asset), `token_mismatch: the token must be ${chain.asset}`],
    [
      isSame(config.receiverAuthorizer, receiverAuthorizer),
      `receiver_authorizer_mismatch: the receiverAuthorizer must be ${receiverAuthorizer}`,
    ],
    [config.withdrawDelay === withdrawDelay, `withdraw_delay_mismatch: the withdrawDelay must be ${withdrawDelay}`],
    [
      isSame(channelIdOf(config, chain.chainId), voucher.channelId),
      "channel_id_mismatch: the channelId is not the hash of the channelConfig",
    ],
    [
      payload.type !== "deposit" || BigInt(payload.deposit.amount) >= BigInt(requirements.extra.minDeposit),
      `deposit_below_min_deposit: deposit at least ${requirements.extra.minDeposit}`,
    ],
  ];
  const broken = rules.find(([isKept]) => !isKept);
  if (broken) throw refuse(`${code}_${broken[1]}`);
  const channelId = voucher.channelId.toLowerCase() as Hex;
  const signed = { max: voucher.maxClaimableAmount, signature: voucher.signature };

  return {
    type: payload.type,
    ...{ chain, channelId, config },
    voucher: signed,
    ...(payload.type === "deposit" && { deposit: depositOf(payload.deposit) }),
    ...(payload.type === "refund" && { refundAmount: payload.amount }),
    ...{ requirements, payload },
    identifier: identifierIn(extensions) ?? null,
  };
}

/**
 * Checks the signature of a voucher, which takes a few milliseconds. Does not check vouchers of contracts, which only a
 * facilitator can check.
 * @throws PaymentRequired if the payer has not signed the voucher
 */
export async function checkVoucher({ config, channelId, voucher, chain }: ChannelPayment, offer: Offer): Promise<void> {
  const { payerAuthorizer } = config;
  if (payerAuthorizer === ZERO_ADDRESS) return;
  if (await hasSignedVoucher(payerAuthorizer, channelId, voucher, chain.chainId)) return;
  const reason = "invalid_batch_settlement_evm_voucher_signature: the signature is not the payerAuthorizer's";
  throw new PaymentRequired(offer, reason);
}

function depositOf({
  amount,
  authorization: { erc3009Authorization: authorized },
}: {
  amount: string;
  authorization: { erc3009Authorization: { validBefore: string; signature: Hex } };
}) {
  return { amount, validBefore: authorized.validBefore, signature: authorized.signature };
}

/**
 * Removes the channel's state from accepted terms. A client that has read a corrective 402 sends the terms back
 * together with this state.
 */
function withoutState(accepted: z.infer<typeof payment>["accepted"]) {
  const { channelState: _state, voucherState: _voucher, ...extra } = accepted.extra ?? {};
  return { ...accepted, extra };
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Returns the body of a request to a facilitator's `/verify` or `/settle` about a channel. */
export function channelRequest(payload: object, requirements: ChannelRequirements): string {
  const paymentPayload = { x402Version: 2, accepted: requirements, payload };
  return JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: requirements });
}

/** Returns the payload of a voucher that came with a deposit, without the deposit. */
export function withoutDeposit(payload: object): object {
  const { deposit: _, ...others } = payload as { deposit?: unknown };
  return { ...others, type: "voucher" };
}
