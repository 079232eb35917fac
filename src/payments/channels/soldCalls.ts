import type { SoldCall } from "./channelRecord.ts";

/** The part of a Durable Object's key-value storage that a channel uses. */
export interface ChannelStorage {
  get<T>(key: string): T | undefined;
  put<T>(key: string, value: T): void;
  delete(key: string): void;
  list<T>(options: { prefix: string; limit?: number }): Iterable<[string, T]>;
}

/** Number of digits of the largest 128-bit amount. Amounts padded to this length sort by value. */
const DIGITS = 39;

/**
 * The sold calls of a channel. A call is found by its voucher (`sold:…`), its idempotency key (`key:…`), or the digest
 * of its content (`same:…`). An idempotency key is valid only within one channel.
 */
export class SoldCalls {
  readonly #kv: ChannelStorage;

  constructor(kv: ChannelStorage) {
    this.#kv = kv;
  }

  /** Adds a sold call. */
  add(sold: SoldCall): void {
    const { max, keyHash, digest } = sold;
    this.#kv.put(nameOf(max), sold);
    if (keyHash !== undefined) this.#kv.put(`key:${keyHash}`, max);
    if (digest !== undefined) this.#kv.put(`same:${digest}`, max);
  }

  /** Returns the call that the voucher with the amount `max` has paid for. */
  byVoucher(max: string): SoldCall | undefined {
    return this.#kv.get(nameOf(max));
  }

  /** Returns the call that was sold under an idempotency key. */
  byKey(keyHash: string): SoldCall | undefined {
    return this.#by(`key:${keyHash}`);
  }

  /** Returns the latest call that was sold for the content with this digest. */
  byDigest(digest: string): SoldCall | undefined {
    return this.#by(`same:${digest}`);
  }

  #by(name: string): SoldCall | undefined {
    const max = this.#kv.get<string>(name);
    return max === undefined ? undefined : this.byVoucher(max);
  }

  /**
   * Deletes the calls whose links have expired at `now`. Returns the time at which the next link expires, in Unix
   * milliseconds.
   */
  deleteExpired(now: number): number | undefined {
    let next: number | undefined;
    for (const [name, { max, keyHash, digest, work }] of [...this.#kv.list<SoldCall>({ prefix: "sold:" })]) {
      if (work.expiresAt > now) {
        next = Math.min(next ?? Number.POSITIVE_INFINITY, work.expiresAt);
        continue;
      }
      this.#kv.delete(name);
      for (const found of [`key:${keyHash}`, `same:${digest}`]) if (this.#kv.get(found) === max) this.#kv.delete(found);
    }
    return next;
  }
}

function nameOf(max: string): string {
  return `sold:${max.padStart(DIGITS, "0")}`;
}
