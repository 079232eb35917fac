/** The daybook: the sales of one UTC day, which the operator reconciles with on-chain transfers. */
import type { RecordStorage } from "./recordStorage.ts";

/** A sale in the daybook. */
export interface BookedSale {
  /** The payment's identity, see `paymentKey`. A payment has at most one sale. */
  payment: string;
  /** Id of the call that claimed the payment. */
  requestId: string;
  /** Time of the settlement, Unix milliseconds. */
  settledAt: number;
  /** Name of the chain at the time of the sale. */
  network: string;
  /** CAIP-2 id of the chain. */
  chain: string;
  /** Decimals of the token. */
  decimals: number;
  asset: string;
  payer: string;
  payTo: string;
  /** Amount in atomic units of the token. */
  amount: string;
  /** Hash of the transaction that moved the money; empty if unknown. */
  transaction: string;
  /** Whether the settlement is proved. False if only the facilitator's answer shows that the payment was settled. */
  proved: boolean;
  /**
   * The payment channel and the kind of row. Present only in rows of payment channels. A `sale` row is a charge in the
   * channel. A `claim` row records that charged amounts were claimed on the chain. A `transfer` row records that
   * claimed amounts were moved to the seller. One transfer may also move amounts of other channels.
   */
  channel?: { id: string; entry: "sale" | "claim" | "transfer" };
}

const PREFIX = "sale:";
const DAY_MS = 86_400_000;
/** Time for which a daybook is stored: long enough to close the year's accounts. */
const RETENTION_MS = 400 * DAY_MS;

/** Returns the UTC day of a time in Unix milliseconds, as `2026-11-22`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Returns the name of the Durable Object that stores a day's daybook. `day` has the format of {@link dayOf}. */
export function daybookOf(day: string): string {
  return `sales:${day}`;
}

/** A daybook in the storage of a Durable Object, which calls {@link sweep} at its alarms. */
export class Daybook {
  readonly #storage: RecordStorage;

  constructor(storage: RecordStorage) {
    this.#storage = storage;
  }

  /** Enters a sale. Entering the same sale again has no effect. */
  async enter(sale: BookedSale): Promise<void> {
    const { settledAt, payment } = sale;
    // pads the time, so that storage keys sort by time
    this.#storage.kv.put(`${PREFIX}${String(settledAt).padStart(15, "0")}:${payment}`, sale);
    if ((await this.#storage.getAlarm()) === null) await this.#storage.setAlarm(settledAt + RETENTION_MS);
  }

  /**
   * Returns up to `limit` sales, oldest first.
   * @param after the cursor of the last sale of the previous page; undefined for the first page
   */
  page(after: string | undefined, limit: number): (BookedSale & { cursor: string })[] {
    const from = after === undefined ? {} : { startAfter: PREFIX + after };
    const found = this.#storage.kv.list<BookedSale>({ prefix: PREFIX, ...from, limit });
    return [...found].map(([key, sale]) => ({ ...sale, cursor: key.slice(PREFIX.length) }));
  }

  /**
   * Deletes the daybook if it has expired at `now` (Unix milliseconds). Returns false if this object stores no daybook.
   */
  async sweep(now: number): Promise<boolean> {
    const [newest] = this.#storage.kv.list<BookedSale>({ prefix: PREFIX, reverse: true, limit: 1 });
    if (!newest) return false;
    const ends = newest[1].settledAt + RETENTION_MS;
    if (ends <= now) await this.#storage.deleteAll();
    else await this.#storage.setAlarm(ends);
    return true;
  }
}
