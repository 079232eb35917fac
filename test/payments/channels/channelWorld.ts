/** A payment channel on a simulated chain, for tests of the channel's Durable Object. */
import { Channel } from "../../../src/payments/channels/channel.ts";
import {
  type ChannelBooking,
  type ChannelRecord,
  channelAlarmAt,
  type FinishedCall,
} from "../../../src/payments/channels/channelRecord.ts";
import type { ChannelWorld } from "../../../src/payments/channels/channelWorld.ts";
import type { ChannelEvent } from "../../../src/payments/wire/events.ts";
import { TestChain } from "../../support/testChain.ts";
import { PRICE, readPayload, type TestPayer } from "../channels.ts";

/** A payment channel with its calls. Only the test advances time. */
export class TestChannel {
  now = 1_800_000_000_000;
  alarmAt: number | undefined;
  readonly chain: TestChain;
  readonly booked: ChannelBooking[] = [];
  readonly copied: ChannelRecord[] = [];
  readonly events: ChannelEvent[] = [];
  readonly deleted: string[] = [];
  listed: string | undefined;
  booksAreOpen = true;
  storageFails = false;
  /** Whether the channel can read the chain through a node. */
  hasNode = false;
  facilitators = ["https://one.example.com"];
  readonly payer: TestPayer;
  #stored = new Map<string, unknown>();
  #channel = new Channel(this.#world());
  #sleeping: { until: number; wake: () => void }[] = [];

  constructor(payer: TestPayer, chain = new TestChain()) {
    this.payer = payer;
    this.chain = chain;
  }

  get record(): ChannelRecord | undefined {
    return this.#stored.get("channel") as ChannelRecord | undefined;
  }

  #world(): ChannelWorld {
    const stored = () => this.#stored;
    const clone = <T>(value: T): T => structuredClone(value);
    return {
      kv: {
        get: <T>(key: string) => clone(stored().get(key)) as T | undefined,
        put: (key, value) => void stored().set(key, clone(value)),
        delete: (key) => void stored().delete(key),
        list: <T>({ prefix, limit = Number.POSITIVE_INFINITY }: { prefix: string; limit?: number }) =>
          [...stored()].filter(([key]) => key.startsWith(prefix)).slice(0, limit) as [string, T][],
      },
      load: () => clone(this.record),
      save: (record) => {
        stored().set("channel", clone(record));
        this.alarmAt = channelAlarmAt(record);
      },
      clear: () => {
        stored().clear();
        this.alarmAt = undefined;
      },
      facilitator: (name) => this.chain.facilitator(name),
      readChain: async () => (this.hasNode ? this.chain.snapshot : undefined),
      sign: async (hash) => hash,
      isAvailable: async (output) => {
        if (this.storageFails) throw new Error("the storage does not answer");
        return !this.deleted.includes(output);
      },
      deleteOutput: async (output) => void this.deleted.push(output),
      book: async (_record, booking) => {
        if (this.booksAreOpen) this.booked.push(booking);
        return this.booksAreOpen;
      },
      copy: async (record) => {
        this.copied.push(record);
        return true;
      },
      list: async (_record, entry) => {
        this.listed = entry;
        return true;
      },
      settleTimeoutMs: 27_000,
      now: () => this.now,
      sleep: (ms) => new Promise((wake) => this.#sleeping.push({ until: this.now + ms, wake })),
      log: (event) => void this.events.push(event),
    };
  }

  /** Recreates the channel from its storage, as if the Durable Object had been evicted from memory. */
  restart(): void {
    this.#channel = new Channel(this.#world());
  }

  /** Deletes the storage of the channel. */
  loseState(): void {
    this.#stored.clear();
    this.restart();
  }

  /** Advances the clock by `ms`, and runs each alarm that falls due. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (let runs = 0; this.alarmAt !== undefined && this.alarmAt <= end; runs++) {
      if (runs > 1000) throw new Error("the alarm runs without an end");
      this.now = Math.max(this.now, this.alarmAt);
      this.alarmAt = undefined;
      await this.#channel.alarm();
    }
    this.now = end;
    for (const { until, wake } of this.#sleeping) if (until <= end) wake();
    await new Promise((resolve) => setTimeout(resolve));
  }

  /** Reserves the channel for a call with this payload. Waits for other calls for at most `waitMs`. */
  async reserve(payload: object, { key, waitMs = 0 }: { key?: string; waitMs?: number } = {}) {
    const call = {
      payment: await readPayload(payload),
      requestId: "request",
      facilitators: this.facilitators,
      ...(key !== undefined && { keyHash: key }),
    };
    return this.#channel.reserve(call, 480_000, this.now + waitMs);
  }

  async refund(payload: object, waitMs = 0) {
    const call = { payment: await readPayload(payload), requestId: "refund", facilitators: this.facilitators };
    return this.#channel.refund(call, this.now + waitMs);
  }

  release(id: string) {
    return this.#channel.release(id);
  }

  commit(id: string, change: Partial<FinishedCall> = {}) {
    const output = crypto.randomUUID();
    const work = { value: `"${output}"`, output, expiresAt: this.now + 86_400_000 };
    return this.#channel.commit(id, { fingerprint: output, work, requestId: "request", ...change });
  }

  /**
   * Reserves the channel for a call and commits the call. Returns the answer to a refused reservation, or the outcome
   * of the commit.
   */
  async sell(payload: object, sale: Partial<FinishedCall> = {}) {
    const reserved = await this.reserve(payload, sale.keyHash === undefined ? {} : { key: sale.keyHash });
    return reserved.status === "reserved" ? this.commit(reserved.id, sale) : reserved;
  }

  /** Opens the channel with a deposit for `calls` calls, and sells the first call. */
  async open(calls = 10): Promise<void> {
    const opened = await this.sell(await this.payer.deposit(calls * PRICE, PRICE));
    if (opened.status !== "sold") throw new Error(JSON.stringify(opened));
  }
}
