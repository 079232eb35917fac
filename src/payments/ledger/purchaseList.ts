/** A payer's purchase list: the payments that may have bought a result. Each payment's record shows whether it did. */
import type { RecordStorage } from "./recordStorage.ts";

/**
 * An item of a purchase list. The list is sorted by time and contains each payment once. Times are Unix milliseconds.
 */
export interface ListedPayment {
  /** The payment's identity, see `paymentKey`, or `channelPaymentOf` for a call in a channel. */
  payment: string;
  /** Start of the first settlement attempt. */
  at: number;
  /** Expiry of the link that the payment buys. */
  expiresAt: number;
}

/** Returns the name of the Durable Object that stores a payer's purchase list. */
export function purchasesOf(payer: string): string {
  return `purchases:${payer.toLowerCase()}`;
}

const PREFIX = "purchase:";
/** Minimum interval between two sweeps of expired items. */
const SWEEP_MS = 3_600_000;

/** A purchase list in the storage of a Durable Object, which calls {@link sweep} at its alarms. */
export class PurchaseList {
  readonly #storage: RecordStorage;

  constructor(storage: RecordStorage) {
    this.#storage = storage;
  }

  /** Adds a payment. Adding the same payment again has no effect. */
  async add(listed: ListedPayment): Promise<void> {
    const { at, payment } = listed;
    // pads the time, so that storage keys sort by time
    this.#storage.kv.put(`${PREFIX}${String(at).padStart(15, "0")}:${payment}`, listed);
    if ((await this.#storage.getAlarm()) === null) await this.#storage.setAlarm(listed.expiresAt);
  }

  /**
   * Returns up to `limit` payments, newest first.
   * @param before the cursor of the last payment of the previous page; undefined for the first page
   */
  newest(before: string | undefined, limit: number): (ListedPayment & { cursor: string })[] {
    const range = before === undefined ? { prefix: PREFIX } : { start: PREFIX, end: PREFIX + before };
    const found = this.#storage.kv.list<ListedPayment>({ ...range, reverse: true, limit });
    return [...found].map(([key, listed]) => ({ ...listed, cursor: key.slice(PREFIX.length) }));
  }

  /**
   * Deletes the items that have expired at `now` (Unix milliseconds). Returns false if this object stores no purchase
   * list.
   */
  async sweep(now: number): Promise<boolean> {
    const { kv } = this.#storage;
    const all = [...kv.list<ListedPayment>({ prefix: PREFIX })];
    const live = all.filter(([, { expiresAt }]) => expiresAt > now);
    if (all.length === 0) return false;
    if (live.length === 0) await this.#storage.deleteAll();
    else {
      for (const [key, { expiresAt }] of all) if (expiresAt <= now) kv.delete(key);
      const next = Math.min(...live.map(([, { expiresAt }]) => expiresAt));
      await this.#storage.setAlarm(Math.max(next, now + SWEEP_MS));
    }
    return true;
  }
}
