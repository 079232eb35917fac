import type { ChannelFacilitator } from "../facilitators/channelFacilitator.ts";
import type { ChannelPayment } from "../wire/channelPayload.ts";
import type { ChannelSnapshot, Hex } from "../wire/channelTypes.ts";
import type { ChannelEvent } from "../wire/events.ts";
import type { ChannelBooking, ChannelRecord } from "./channelRecord.ts";
import type { ChannelStorage } from "./soldCalls.ts";

/** The dependencies of a channel. Times are Unix milliseconds. */
export interface ChannelWorld {
  kv: ChannelStorage;
  load(): ChannelRecord | undefined;
  /** Stores the record, and sets the alarm to `channelAlarmAt`. */
  save(record: ChannelRecord): void;
  /** Deletes everything, with the alarm. */
  clear(): void;
  /** Returns the client of a facilitator. */
  facilitator(name: string, requestId: string): ChannelFacilitator;
  /** Reads the channel through a node of its chain. Resolves to undefined without a node. Never throws. */
  readChain(record: ChannelRecord): Promise<ChannelSnapshot | undefined>;
  /** Signs a hash with CHANNEL_KEY. */
  sign(hash: Hex): Promise<Hex>;
  /** Returns whether an output can still be delivered. */
  isAvailable(output: string): Promise<boolean>;
  /** Deletes an output that will never be delivered. Never throws. */
  deleteOutput(output: string): Promise<void>;
  /** Enters a sale or a claim in its day's daybook. A repeated entry has no effect. Never throws. */
  book(record: ChannelRecord, booking: ChannelBooking): Promise<boolean>;
  /** Copies the last voucher to other storage. Returns whether it is copied. Never throws. */
  copy(record: ChannelRecord): Promise<boolean>;
  /** Replaces the channel's entry in the list of open channels. Never throws. */
  list(record: ChannelRecord, entry: string | undefined): Promise<boolean>;
  /** Upper bound for one transaction and the readings of the chain around it, in milliseconds. */
  settleTimeoutMs: number;
  now(): number;
  sleep(ms: number): Promise<void>;
  log(event: ChannelEvent): void;
}

/** A call that pays through the channel. Its voucher's signature has been checked, unless the payer is a contract. */
export interface ChannelCall {
  payment: ChannelPayment;
  /** SHA-256 of the call's idempotency key; undefined if it has none. */
  keyHash?: string | undefined;
  requestId: string;
  /** Names of the facilitators that support the channel, in order of preference. */
  facilitators: readonly string[];
}
