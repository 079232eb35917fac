/** As many keys are remembered, however many there are. */
const MAX_KEYS = 10_000;

/**
 * Counts something against keys, and forgets it little by little: a key that had the most waits for a moment, and then for
 * each more. Each isolate counts for itself.
 */
export class Tally {
  readonly #most: number;
  readonly #forgottenMs: number;
  /** How much each key has, and when that was counted (Unix milliseconds), oldest first. */
  readonly #counts = new Map<string, { count: number; at: number }>();

  /** @param limits how much a key may have, and how soon each is forgotten */
  constructor({ most, forgottenMs }: { most: number; forgottenMs: number }) {
    this.#most = most;
    this.#forgottenMs = forgottenMs;
  }

  /** Returns how many seconds a key has to wait; 0 if it has less than the most. */
  waitSeconds(key: string): number {
    return Math.ceil((Math.max(0, this.#countOf(key) - this.#most + 1) * this.#forgottenMs) / 1000);
  }

  /**
   * Does something for a key. Where that has some already, what is under way counts too, so that many at once are not let
   * through.
   * @param isCounted whether a failure counts
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
    const count = Math.min(this.#most, this.#countOf(key) + more); // many at once keep nobody away for longer
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
    return Math.max(0, count - (Date.now() - at) / this.#forgottenMs);
  }
}
