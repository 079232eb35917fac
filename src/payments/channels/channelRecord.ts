import type { StoredWork } from "../ledger/record.ts";
import type { ChannelRequirements, ChannelStateExtra } from "../wire/channelOffer.ts";
import type { ChannelConfig, ChannelSnapshot, Hex, VoucherClaim } from "../wire/channelTypes.ts";
import type { EvmNetwork } from "../wire/networks.ts";

/**
 * The state of one payment channel, as its object stores it under the storage key `channel`. The names of fields are
 * stored data, so renaming one breaks existing records. Amounts are in atomic units, as decimal strings. Times are Unix
 * milliseconds.
 *
 * `totalClaimed <= charged <= signedMax <= balance` holds between calls. The payer's client keeps `charged`, too, and
 * signs the next voucher for `charged` plus the price.
 */
export interface ChannelRecord {
  channelId: Hex;
  chain: EvmNetwork;
  config: ChannelConfig;
  /** The terms of the last call. */
  requirements: ChannelRequirements;
  /** Names of the facilitators that support the channel, in order of preference. */
  facilitators: readonly string[];
  /** Sum of the prices of all sold calls. */
  charged: string;
  /** The voucher of the last sold call: its amount, which is at least `charged`, and its signature. */
  signedMax: string;
  signature: Hex;
  /** The channel on the chain, as last read, and the time of reading. 0 means never. */
  snapshot: ChannelSnapshot;
  syncedAt: number;
  /** Time of the last sold call; 0 if none is sold yet. */
  lastCallAt: number;
  /** The part of the claimed amounts that is in the books or on its way there. */
  claimsBooked: string;
  /** Start of the oldest sale that is not claimed yet. */
  unclaimedSince?: number;
  /** Vouchers up to this amount may be known to others, because a claim or an answer contained one. */
  exposedMax: string;
  /** The last deposit that came with a call and is on the chain. A repeated call sends it again. */
  deposited?: Deposited;
  /** The last voucher that exceeded the balance and was answered with the channel's state: its amount and the time. */
  corrected?: { max: string; at: number };
  /** The call or the refund in progress. */
  pending?: Pending;
  /** Retry state of the claim, of the transfer of claimed amounts to the seller, and of the watch for withdrawals. */
  claim?: Retry;
  sweep?: Retry;
  watch?: Retry;
  /** Whether the last voucher has yet to be copied to other storage. */
  uncopied?: Retry;
  /** Retry state of the entries that the daybooks lack. */
  unbooked?: Retry;
  /** The last summary that the list of open channels has confirmed; undefined if the list does not contain the channel. */
  listed?: string;
  /** Retry state of an update of that list. */
  unlisted?: Retry;
  /** Time of the next deletion of expired results. */
  cleanAt?: number;
}

/** A deposit that is on the chain. */
export interface Deposited {
  /** The signature of its authorization. */
  signature: Hex;
  /** Hash of the transaction; empty if unknown. */
  transaction: string;
  amount: string;
}

/** The number of failed attempts, and the time of the next one. */
export interface Retry {
  attempts: number;
  nextAt: number;
}

/** A reservation of the channel for one call, or a refund in progress. */
export interface Pending {
  id: string;
  requestId: string;
  /** The end of the lease. A reservation in `settling` has no end. */
  until: number;
  max: string;
  signature: Hex;
  /** The price of the call; 0 for a refund. */
  price: string;
  /** The deposit that comes with the voucher: its amount and the body of the facilitator's `/settle`. */
  deposit?: { amount: string; validBefore: string; signature: Hex; request: string };
  /** The deposit that comes with the voucher, if an earlier call has already sent it to the chain. */
  deposited?: Deposited;
  /** Set once the facilitator has been asked to send the transaction of a deposit or a refund. */
  settling?: Retry & ({ type: "deposit"; sale: FinishedCall } | RefundInProgress);
}

/** A refund whose transaction is not confirmed yet. `before` is the channel on the chain before the first attempt. */
interface RefundInProgress {
  type: "refund";
  /** The body of the facilitator's `/settle`. */
  request: string;
  amount: string;
  before: ChannelSnapshot;
  /** Time of the first attempt. */
  since: number;
}

/** A finished call that waits for its commit. */
export interface FinishedCall {
  /** Identifies the request. */
  fingerprint: string;
  /** SHA-256 of the idempotency key; undefined if the caller sent none. */
  keyHash?: string | undefined;
  /** Digest of the request's content, for its default key; undefined if the default key does not apply. */
  digest?: string | undefined;
  work: StoredWork;
  requestId: string;
}

/** The channel's part of a payment response (x402 v2, "batch-settlement", "Payment Response Contract"). */
export interface ChannelReceipt {
  /** Hash of the transaction of a deposit or a refund; empty if unknown or if nothing was sent. */
  transaction: string;
  /** The deposited or refunded amount; empty for a voucher. */
  amount: string;
  extra: { chargedAmount?: string; channelState: ChannelStateExtra };
}

/** A sold call in the channel's table. */
export interface SoldCall extends FinishedCall {
  /** The amount of the voucher that paid for it. */
  max: string;
  /** The signature of the deposit that came with the voucher, if any. */
  depositSignature?: Hex | undefined;
  soldAt: number;
  receipt: ChannelReceipt;
}

/** An entry for the books that its daybook lacks. `transfer` is a transfer of claimed amounts to the seller. */
export type ChannelBooking =
  | { type: "sale"; cumulative: string; amount: string; at: number; requestId: string; expiresAt: number }
  | { type: "claim"; cumulative: string; amount: string; at: number; transaction: string }
  | { type: "transfer"; amount: string; at: number; transaction: string };

/** Outstanding amount, in whole tokens, at which a channel is claimed. It bounds the loss from one channel. */
const CLAIM_TOKENS = 1n;
/** Age of the oldest unclaimed sale at which a channel is claimed. */
const CLAIM_AFTER_MS = 3_600_000;
/** Delay of the copy of the last voucher and of the entries in the books, so that several calls share one alarm. */
export const COPY_AFTER_MS = 10_000;
/** The chain must be read this number of times during the delay of a withdrawal. */
const READS_PER_DELAY = 4;
/** A claim should be on the chain this time before a withdrawal is possible. */
const CLAIM_MARGIN_MS = 900_000;

/** Returns the name of the object that stores a channel. */
export function channelNameOf(caip2: string, channelId: string): string {
  return `channel:${caip2}:${channelId}`;
}

/** Returns the identity of the payment for a call in a channel. */
export function channelPaymentOf(channelName: string, max: string): string {
  return `${channelName}:${max}`;
}

/** Returns the name of the channel's object and the voucher's amount; undefined for a payment without a channel. */
export function channelCallIn(payment: string): { name: string; max: string } | undefined {
  const [, name, max] = /^(channel:.+):(\d+)$/.exec(payment) ?? [];
  return name === undefined ? undefined : { name, max: max! };
}

/**
 * Returns the amount that is sold, not claimed, and still in the channel. A withdrawal that ends before the claim takes
 * the rest.
 */
export function outstandingOf(record: ChannelRecord): bigint {
  return claimableOf(record) - BigInt(record.snapshot.totalClaimed);
}

function claimableOf({ charged, snapshot }: ChannelRecord): bigint {
  const [sold, held] = [BigInt(charged), BigInt(snapshot.balance)];
  return sold < held ? sold : held;
}

/** Returns whether the last reading of the chain is recent enough to sell for a voucher without asking anyone. */
export function isFresh(record: ChannelRecord, now: number): boolean {
  return now < record.syncedAt + freshMs(record);
}

function freshMs({ config }: ChannelRecord): number {
  return (config.withdrawDelay * 1000) / READS_PER_DELAY;
}

/** Returns when the channel must be claimed; undefined if nothing is outstanding. */
export function claimDueAt(record: ChannelRecord): number | undefined {
  if (outstandingOf(record) <= 0n) return undefined;
  const { claim, chain, snapshot, unclaimedSince = 0 } = record;
  if (claim) return claim.nextAt;
  const isDue = outstandingOf(record) >= CLAIM_TOKENS * 10n ** BigInt(chain.decimals);
  return isDue || snapshot.withdrawRequestedAt > 0 ? 0 : unclaimedSince + CLAIM_AFTER_MS;
}

/** Returns when the chain must be read to detect a withdrawal; undefined if nothing is outstanding. */
export function watchDueAt(record: ChannelRecord): number | undefined {
  if (outstandingOf(record) <= 0n) return undefined;
  return record.watch?.nextAt ?? record.syncedAt + freshMs(record);
}

/** Returns the deadline of the claim; undefined if no withdrawal endangers it. */
function claimDeadlineOf(record: ChannelRecord): number | undefined {
  const { withdrawRequestedAt } = record.snapshot;
  if (withdrawRequestedAt === 0 || outstandingOf(record) <= 0n) return undefined;
  return (withdrawRequestedAt + record.config.withdrawDelay) * 1000 - CLAIM_MARGIN_MS;
}

/** Returns when the object's alarm is due; undefined if it has nothing to do. */
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

/** A channel with an outstanding amount, as the list of open channels has it. */
export interface OpenChannel {
  channelId: Hex;
  network: string;
  chain: string;
  payer: Hex;
  decimals: number;
  unclaimedSince: number;
  /** See {@link claimDeadlineOf}. */
  deadline?: number | undefined;
}

/** Returns the channel's entry in the list of open channels, as JSON; undefined if nothing is outstanding. */
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

/** Returns the channel's state for its payer. */
export function stateExtraOf({ channelId, charged, snapshot }: ChannelRecord): ChannelStateExtra {
  return { channelId, ...snapshot, chargedCumulativeAmount: charged };
}

/** Returns the claim of everything that is sold; an empty list if nothing is outstanding. */
export function claimsOf(record: ChannelRecord): VoucherClaim[] {
  const { config, signedMax, signature } = record;
  if (outstandingOf(record) <= 0n) return [];
  const totalClaimed = String(claimableOf(record));
  return [{ voucher: { channel: config, maxClaimableAmount: signedMax }, signature, totalClaimed }];
}
