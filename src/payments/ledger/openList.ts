import type { RecordStorage } from "./recordStorage.ts";

/** Name of the Durable Object that lists the payments in the states `settling` and `exposed`, and the unbooked sales. */
export const OPEN_PAYMENTS = "payments";

const PREFIX = "open:";
/** Time after which a payment is removed from the list. An authorization is valid for 24 hours at most. */
const LISTED_MS = 3 * 86_400_000;

/** The entry of a payment in the list. */
export interface OpenPayment {
  /** Time at which the payment was listed, Unix milliseconds. */
  at: number;
}

/**
 * A list of unfinished settlements, stored in a Durable Object. One list contains the channels with amounts that are
 * sold but not claimed. Another list contains the payments whose sale is not completed.
 */
export class OpenList {
  readonly #storage: RecordStorage;

  constructor(storage: RecordStorage) {
    this.#storage = storage;
  }

  /**
   * Replaces the entry of a channel or payment in the list. `entry` is JSON. If `entry` is undefined, removes the channel
   * or payment from the list.
   */
  async list(name: string, entry: string | undefined): Promise<void> {
    const storage = this.#storage;
    if (entry === undefined) {
      storage.kv.delete(PREFIX + name);
      if ([...storage.kv.list({ prefix: PREFIX, limit: 1 })].length === 0) await storage.deleteAlarm();
      return;
    }
    storage.kv.put(PREFIX + name, entry);
    const { at } = JSON.parse(entry) as Partial<OpenPayment>;
    if (at !== undefined && (await storage.getAlarm()) === null) await storage.setAlarm(at + LISTED_MS);
  }

  /**
   * Removes payments that were listed long ago. Their regular removal failed because the list was unreachable.
   * @returns whether this object lists payments
   */
  async sweep(now: number): Promise<boolean> {
    const { kv } = this.#storage;
    const listed = [...kv.list<string>({ prefix: PREFIX })].flatMap(([key, entry]) => {
      const { at } = JSON.parse(entry) as Partial<OpenPayment>;
      return at === undefined ? [] : { key, until: at + LISTED_MS };
    });
    for (const { key, until } of listed) if (until <= now) kv.delete(key);
    const later = listed.filter(({ until }) => until > now);
    if (later.length > 0) await this.#storage.setAlarm(Math.min(...later.map(({ until }) => until)));
    return listed.length > 0;
  }

  /** Returns up to `limit` entries of the list, in the order of their names. */
  all<T>(limit: number): T[] {
    const found = this.#storage.kv.list<string>({ prefix: PREFIX, limit });
    return [...found].map(([, entry]) => JSON.parse(entry) as T);
  }
}
