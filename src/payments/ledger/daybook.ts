/** The book of one day's sales: what the operator counts, and holds against the chain. */

/** A sale, as it is booked. */
export interface BookedSale {
  /** See `paymentKey`: a payment is in the books once. */
  payment: string;
  /** Of the call that claimed the payment. */
  requestId: string;
  /** Unix milliseconds. */
  settledAt: number;
  /** Name of the chain, CAIP-2 id, and the token's decimals, as they were. */
  network: string;
  chain: string;
  decimals: number;
  asset: string;
  payer: string;
  payTo: string;
  /** Atomic units. */
  amount: string;
  /** Empty where it is not known. */
  transaction: string;
  /** False where it was sold on the facilitator's word alone. */
  proved: boolean;
}

const PREFIX = "sale:";
const DAY_MS = 86_400_000;
/** A day's book is kept for so long: a year's accounts can be closed with it. */
const KEPT_MS = 400 * DAY_MS;

/** Returns the UTC day that a point in time (Unix milliseconds) is in, as `2026-11-22`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Returns the name of the object with the book of a day, as {@link dayOf} writes it. */
export function daybookOf(day: string): string {
  return `sales:${day}`;
}

/** The book in the storage of a Durable Object, which calls {@link sweep} at its alarms. */
export class Daybook {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Enters a sale; once, however often it is called for it. */
  async enter(sale: BookedSale): Promise<void> {
    const { settledAt, payment } = sale;
    this.#storage.kv.put(`${PREFIX}${String(settledAt).padStart(15, "0")}:${payment}`, sale); // sorts as text
    if ((await this.#storage.getAlarm()) === null) await this.#storage.setAlarm(settledAt + KEPT_MS);
  }

  /**
   * Returns up to `limit` sales, the oldest first.
   * @param after the place of the last one that is known already; undefined to begin with the first
   */
  page(after: string | undefined, limit: number): (BookedSale & { place: string })[] {
    const from = after === undefined ? {} : { startAfter: PREFIX + after };
    const found = this.#storage.kv.list<BookedSale>({ prefix: PREFIX, ...from, limit });
    return [...found].map(([key, sale]) => ({ ...sale, place: key.slice(PREFIX.length) }));
  }

  /** Deletes the book if its time is over at `now`. Returns whether there was one. */
  async sweep(now: number): Promise<boolean> {
    const [newest] = this.#storage.kv.list<BookedSale>({ prefix: PREFIX, reverse: true, limit: 1 });
    if (!newest) return false;
    const ends = newest[1].settledAt + KEPT_MS;
    if (ends <= now) await this.#storage.deleteAll();
    else await this.#storage.setAlarm(ends);
    return true;
  }
}
