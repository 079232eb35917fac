import type { StoredWork } from "../ledger/record.ts";
import type { ChannelRequirements, ChannelStateExtra } from "../wire/channelOffer.ts";
import type { ChannelConfig, ChannelSnapshot, Hex, VoucherClaim } from "../wire/channelTypes.ts";
import type { EvmNetwork } from "../wire/networks.ts";

/**
 * The state of one payment channel. Its Durable Object stores it under the storage key `channel`. The names of the
 * fields are stored data, so renaming a field breaks existing records. Amounts are in atomic units, as decimal strings.
 * Times are Unix milliseconds.
 *
 * `totalClaimed <= charged <= signedMax <= balance` holds between calls. The payer's client also keeps the value of
 * `charged`, and signs the next voucher for `charged` plus the price.
 */
export interface ChannelRecord {
  channelId: Hex;
  chain: EvmNetwork;
  config: ChannelConfig;
  /** The payment terms of the last call. */
  requirements: ChannelRequirements;
  /** Names of the facilitators that support the channel, in order of preference. */
  facilitators: readonly string[];
  /** Sum of the prices of all sold calls. */
  charged: string;
  /** The voucher of the last sold call: its amount, which is at least `charged`, and its signature. */
  signedMax: string;
  signature: Hex;
  /**
   * The channel's state on the chain when it was last read, and the time of that reading. The time is 0 if the state
   * was never read.
   */
  snapshot: ChannelSnapshot;
  syncedAt: number;
  /** Time of the last sold call. It is 0 if no call is sold yet. */
  lastCallAt: number;
  /** The part of the claimed amounts that is booked or waits to be booked. */
  claimsBooked: string;
  /** Time of the oldest sale that is not claimed yet. */
  unclaimedSince?: number;
  /**
   * Largest amount of a voucher that callers other than the payer may know, because a claim or an answer contained the
   * voucher.
   */
  exposedMax: string;
  /** The last deposit that came with a call and is on the chain. A repetition of the call contains the same deposit. */
  deposited?: Deposited;
  /**
   * The last voucher that exceeded the balance and was answered with the channel's state. Contains the amount of the
   * voucher and the time of the answer.
   */
  corrected?: { max: string; at: number };
  /** The call or the refund in progress. */
  pending?: Pending;
  /** Retry state of the claim, of the transfer of claimed amounts to the seller, and of the watch for withdrawals. */
  claim?: Retry;
  sweep?: Retry;
  watch?: Retry;
  /** Retry state of the copy of the last voucher to other storage. Undefined if the copy is up to date. */
  uncopied?: Retry;
  /** Retry state of the bookings that the daybooks lack. */
  unbooked?: Retry;
  /**
   * The last entry that the list of open channels has stored for this channel. Undefined if the list does not contain
   * the channel.
   */
  listed?: string;
  /** Retry state of an update of the list of open channels. */
  unlisted?: Retry;
  /** Time of the next deletion of expired results. */
  cleanAt?: number;
}

/** A deposit that is on the chain. */
export interface Deposited {
  /** The signature of the deposit's authorization. */
  signature: Hex;
  /** Hash of the deposit's transaction. Empty if unknown. */
  transaction: string;
  amount: string;
}

/** The number of attempts so far, and the time of the next attempt. */
export interface Retry {
  attempts: number;
  nextAt: number;
}

/** A reservation of the channel for one call, or a refund in progress. */
export interface Pending {
  id: string;
  requestId: string;
  /** The end of the reservation. A reservation in the state `settling` does not expire. */
  until: number;
  max: string;
  signature: Hex;
  /** The price of the call. It is 0 for a refund. */
  price: string;
  /** The deposit that comes with the voucher. `request` is the body for the facilitator's `/settle`. */
  deposit?: { amount: string; validBefore: string; signature: Hex; request: string };
  /** The deposit that comes with the voucher, if an earlier call has already sent it to the chain. */
  deposited?: Deposited;
  /**
   * The transaction of a deposit or a refund, with its retry state. Set once the facilitator has been asked to send
   * this transaction.
   */
  settling?: Retry & ({ type: "deposit"; sale: FinishedCall } | RefundInProgress);
}

/**
 * A refund whose transaction is not confirmed yet. `before` is the channel's state on the chain before the first
 * attempt.
 */
interface RefundInProgress {
  type: "refund";
  /** The body of the request to the facilitator's `/settle`. */
  request: string;
  amount: string;
  before: ChannelSnapshot;
  /** Time of the first attempt. */
  since: number;
}

/** A finished call that waits for its commit. */
export interface FinishedCall {
  /** Identifies the request that the call has made. */
  fingerprint: string;
  /** SHA-256 of the idempotency key. Undefined if the caller sent no key. */
  keyHash?: string | undefined;
  /**
   * Digest of the request's content, used as the default key, so that equal requests are charged once. Undefined if the
   * default key does not apply.
   */
  digest?: string | undefined;
  work: StoredWork;
  requestId: string;
}

/** The channel's part of a payment response (x402 v2, "batch-settlement", "Payment Response Contract"). */
export interface ChannelReceipt {
  /** Hash of the transaction of a deposit or a refund. Empty if the hash is unknown or no transaction was sent. */
  transaction: string;
  /** The deposited or refunded amount. Empty if the payment was only a voucher. */
  amount: string;
  extra: { chargedAmount?: string; channelState: ChannelStateExtra };
}

/** A sold call in the list of a channel's sold calls. */
export interface SoldCall extends FinishedCall {
  /** The amount of the voucher that paid for the call. */
  max: string;
  /** The signature of the deposit that came with the voucher, if any. */
  depositSignature?: Hex | undefined;
  soldAt: number;
  receipt: ChannelReceipt;
}

/** A booking that the daybook does not contain yet. `transfer` is a transfer of claimed amounts to the seller. */
export type ChannelBooking =
  | { type: "sale"; cumulative: string; amount: string; at: number; requestId: string; expiresAt: number }
  | { type: "claim"; cumulative: string; amount: string; at: number; transaction: string }
  | { type: "transfer"; amount: string; at: number; transaction: string };

/**
 * Outstanding amount, in whole tokens, at which the service claims a channel's charges. The limit bounds the loss from
 * one channel.
 */
const CLAIM_TOKENS = 1n;
/** Age of the oldest unclaimed sale, in milliseconds, at which the service claims a channel's charges. */
const CLAIM_AFTER_MS = 3_600_000;
/**
 * Delay before the last voucher is copied and sales are booked, in milliseconds. The delay lets several calls share one
 * alarm.
 */
export const COPY_AFTER_MS = 10_000;
/** Number of times that the chain must be read during the delay of a withdrawal. */
const READS_PER_DELAY = 4;
/** Minimum time between a claim and the earliest possible withdrawal, in milliseconds. */
const CLAIM_MARGIN_MS = 900_000;

/** Returns the name of the Durable Object that stores a channel. */
export function channelNameOf(caip2: string, channelId: string): string {
  return `channel:${caip2}:${channelId}`;
}

/** Returns the identifier of the payment for one call in a channel. */
export function channelPaymentOf(channelName: string, max: string): string {
  return `${channelName}:${max}`;
}

/**
 * Returns the name of the channel and the voucher's amount from the identifier of a payment. Returns undefined for a
 * payment without a channel.
 */
export function channelCallIn(payment: string): { name: string; max: string } | undefined {
  const [, name, max] = /^(channel:.+):(\d+)$/.exec(payment) ?? [];
  return name === undefined ? undefined : { name, max: max! };
}

/**
 * Returns the amount that is sold, not claimed, and still in the channel. Amounts that a withdrawal has already taken
 * out of the channel are not included.
 */
export function outstandingOf(record: ChannelRecord): bigint {
  return claimableOf(record) - BigInt(record.snapshot.totalClaimed);
}

function claimableOf({ charged, snapshot }: ChannelRecord): bigint {
  const [sold, held] = [BigInt(charged), BigInt(snapshot.balance)];
  return sold < held ? sold : held;
}

/** Returns whether the last reading of the chain is recent enough to accept a voucher without asking a facilitator. */
export function isFresh(record: ChannelRecord, now: number): boolean {
  return now < record.syncedAt + freshMs(record);
}

function freshMs({ config }: ChannelRecord): number {
  return (config.withdrawDelay * 1000) / READS_PER_DELAY;
}

/** Returns the time at which the channel's charges must be claimed. Returns undefined if no amount is outstanding. */
export function claimDueAt(record: ChannelRecord): number | undefined {
  if (outstandingOf(record) <= 0n) return undefined;
  const { claim, chain, snapshot, unclaimedSince = 0 } = record;
  if (claim) return claim.nextAt;
  const isDue = outstandingOf(record) >= CLAIM_TOKENS * 10n ** BigInt(chain.decimals);
  return isDue || snapshot.withdrawRequestedAt > 0 ? 0 : unclaimedSince + CLAIM_AFTER_MS;
}

/**
 * Returns the time at which the chain must be read to detect a withdrawal. Returns undefined if no amount is
 * outstanding.
 */
export function watchDueAt(record: ChannelRecord): number | undefined {
  if (outstandingOf(record) <= 0n) return undefined;
  return record.watch?.nextAt ?? record.syncedAt + freshMs(record);
}

/** Returns the deadline for claiming the channel's charges. Returns undefined if no withdrawal endangers the claim. */
function claimDeadlineOf(record: ChannelRecord): number | undefined {
  const { withdrawRequestedAt } = record.snapshot;
  if (withdrawRequestedAt === 0 || outstandingOf(record) <= 0n) return undefined;
  return (withdrawRequestedAt + record.config.withdrawDelay) * 1000 - CLAIM_MARGIN_MS;
}

/** Returns the time of the Durable Object's next alarm. Returns undefined if no task is planned. */
export function channelAlarmAt(record: ChannelRecord): number | undefined {
  const { pending, uncopied, unbooked, unlisted, sweep, cleanAt } = record;
  const times = [
    pending?.settling?.nextAt,
    uncopied?.nextAt,
    unlisted?.nextAt,
    unbooked?.nextAt,
    sweep?.nextAt,
    cleanAt,
    claimDueAt(record),
    watchDueAt(record),
  ].filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** An entry in the list of open channels: a channel with an outstanding amount. */
export interface OpenChannel {
  channelId: Hex;
  network: string;
  chain: string;
  payer: Hex;
  decimals: number;
  unclaimedSince: number;
  /** Deadline for claiming the channel's charges, see {@link claimDeadlineOf}. */
  deadline?: number | undefined;
}

/** Returns the channel's entry in the list of open channels, as JSON. Returns undefined if no amount is outstanding. */
export function listingOf(record: ChannelRecord): string | undefined {
  if (outstandingOf(record) <= 0n) return undefined;
  const { channelId, chain, config, unclaimedSince = 0 } = record;
  const entry: OpenChannel = {
    channelId,
    network: chain.name,
    chain: chain.caip2,
    payer: config.payer,
    decimals: chain.decimals,
    unclaimedSince,
    deadline: claimDeadlineOf(record),
  };
  return JSON.stringify(entry);
}

/** Returns the channel's state in the form that its payer gets. */
export function stateExtraOf({ channelId, charged, snapshot }: ChannelRecord): ChannelStateExtra {
  return { channelId, ...snapshot, chargedCumulativeAmount: charged };
}

/** Returns the claim of all outstanding amounts. Returns an empty list if no amount is outstanding. */
export function claimsOf(record: ChannelRecord): VoucherClaim[] {
  const { config, signedMax, signature } = record;
  if (outstandingOf(record) <= 0n) return [];
  const totalClaimed = String(claimableOf(record));
  return [{ voucher: { channel: config, maxClaimableAmount: signedMax }, signature, totalClaimed }];
}
