import type { ChannelFacilitator } from "../facilitators/channelFacilitator.ts";
import type { ChannelPayment } from "../wire/channelPayload.ts";
import type { ChannelSnapshot, Hex } from "../wire/channelTypes.ts";
import type { ChannelEvent } from "../wire/events.ts";
import type { ChannelBooking, ChannelRecord } from "./channelRecord.ts";
import type { ChannelStorage } from "./soldCalls.ts";

/**
 * The external functions that a channel uses: storage, facilitators, chain, log and clock. Times are Unix milliseconds.
 */
export interface ChannelWorld {
  kv: ChannelStorage;
  load(): ChannelRecord | undefined;
  /** Stores the channel's record, and sets the alarm to the time that `channelAlarmAt` returns. */
  save(record: ChannelRecord): void;
  /** Deletes all stored data of the channel, and its alarm. */
  clear(): void;
  /** Returns the client of a facilitator. */
  facilitator(name: string, requestId: string): ChannelFacilitator;
  /**
   * Reads the channel's state from the chain. Resolves to undefined if no node is configured or the node fails. Never
   * throws.
   */
  readChain(record: ChannelRecord): Promise<ChannelSnapshot | undefined>;
  /** Signs a hash with CHANNEL_KEY. */
  sign(hash: Hex): Promise<Hex>;
  /** Returns whether an output can still be delivered. */
  isAvailable(output: string): Promise<boolean>;
  /** Deletes an output that will never be delivered. Never throws. */
  deleteOutput(output: string): Promise<void>;
  /**
   * Enters a sale, a claim or a transfer in the daybook of its day. A repeated entry has no effect. Returns whether the
   * daybook contains the entry. Never throws.
   */
  book(record: ChannelRecord, booking: ChannelBooking): Promise<boolean>;
  /** Copies the channel's record to other storage. Returns whether the copy succeeded. Never throws. */
  copy(record: ChannelRecord): Promise<boolean>;
  /**
   * Replaces the channel's entry in the list of open channels. Returns whether the replacement succeeded. Never throws.
   */
  list(record: ChannelRecord, entry: string | undefined): Promise<boolean>;
  /** Upper bound for the duration of one transaction and of the chain readings before and after it, in milliseconds. */
  settleTimeoutMs: number;
  now(): number;
  sleep(ms: number): Promise<void>;
  log(event: ChannelEvent): void;
}

/**
 * A call that pays through the channel. The signature of the voucher has been checked, unless the payer is a contract.
 */
export interface ChannelCall {
  payment: ChannelPayment;
  /** SHA-256 of the call's idempotency key. Undefined if the call has no key. */
  keyHash?: string | undefined;
  requestId: string;
  /** Names of the facilitators that support the channel, in order of preference. */
  facilitators: readonly string[];
}
