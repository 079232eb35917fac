/** Maximum number of keys whose counts are remembered. */
const MAX_KEYS = 10_000;

/**
 * A leaky-bucket counter per key. The count of a key decreases steadily, and a full bucket makes its key wait. Each
 * isolate counts separately.
 */
export class LeakyBucket {
  readonly #capacity: number;
  readonly #leakMs: number;
  /** The count of each key and the time of the last change (Unix milliseconds), oldest first. */
  readonly #counts = new Map<string, { count: number; at: number }>();

  /**
   * Creates an empty counter.
   * @param limits the capacity of a bucket, and the time in which a count decreases by one
   */
  constructor({ capacity, leakMs }: { capacity: number; leakMs: number }) {
    this.#capacity = capacity;
    this.#leakMs = leakMs;
  }

  /** Returns the number of seconds that a key must wait. Returns 0 if its bucket is not full. */
  waitSeconds(key: string): number {
    return Math.ceil((Math.max(0, this.#countOf(key) - this.#capacity + 1) * this.#leakMs) / 1000);
  }

  /**
   * Runs `act` for a key, and counts a failure of `act`. If the key already has a count, a running `act` also counts,
   * so that concurrent calls cannot bypass the limit.
   * @param isCounted returns whether a failure counts
   */
  async during<T>(key: string, act: () => Promise<T>, isCounted: (error: unknown) => boolean): Promise<T> {
    const ahead = this.#countOf(key) > 0 ? 1 : 0;
    this.add(key, ahead);
    try {
      const done = await act();
      this.add(key, -ahead);
      return done;
    } catch (error) {
      this.add(key, (isCounted(error) ? 1 : 0) - ahead);
      throw error;
    }
  }

  add(key: string, more = 1): void {
    if (more === 0) return;
    // the count stays within the capacity, so a burst does not lengthen the wait
    const count = Math.min(this.#capacity, this.#countOf(key) + more);
    this.#counts.delete(key);
    if (count > 0) this.#counts.set(key, { count, at: Date.now() });
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_KEYS && oldest !== undefined) this.#counts.delete(oldest);
  }

  forget(key: string): void {
    this.#counts.delete(key);
  }

  #countOf(key: string): number {
    const { count, at } = this.#counts.get(key) ?? { count: 0, at: 0 };
    return Math.max(0, count - (Date.now() - at) / this.#leakMs);
  }
}
