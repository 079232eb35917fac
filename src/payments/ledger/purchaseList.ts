/** The list of the payments that a payer may have bought something with. */

/** A place in the list: it is sorted by time, and a payment is there once. Points in time are Unix milliseconds. */
export interface Listed {
  /** See `paymentKey`. */
  payment: string;
  /** When it was first asked for. */
  at: number;
  /** When the link that it buys expires. */
  expiresAt: number;
}

const PREFIX = "purchase:";
/** The list is cleared of what has expired this often. */
const SWEEP_MS = 3_600_000;

/** The list of one payer in the storage of a Durable Object, which calls {@link sweep} at its alarms. */
export class PurchaseList {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Adds a payment, if it is not there yet. */
  async add(listed: Listed): Promise<void> {
    const { at, payment } = listed;
    this.#storage.kv.put(`${PREFIX}${String(at).padStart(15, "0")}:${payment}`, listed); // sorts as text
    if ((await this.#storage.getAlarm()) === null) await this.#storage.setAlarm(listed.expiresAt);
  }

  /**
   * Returns up to `limit` payments, the newest first.
   * @param before the place of the last one that is known already; undefined to begin with the newest
   */
  newest(before: string | undefined, limit: number): (Listed & { place: string })[] {
    const range = before === undefined ? { prefix: PREFIX } : { start: PREFIX, end: PREFIX + before };
    const found = this.#storage.kv.list<Listed>({ ...range, reverse: true, limit });
    return [...found].map(([key, listed]) => ({ ...listed, place: key.slice(PREFIX.length) }));
  }

  /** Deletes what has expired at `now`. Returns whether there was a list. */
  async sweep(now: number): Promise<boolean> {
    const { kv } = this.#storage;
    const all = [...kv.list<Listed>({ prefix: PREFIX })];
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
