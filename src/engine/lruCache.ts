/**
 * What was made lately, by what it was made from, for the next who need it: no more than so many bytes of it, but for the
 * last one.
 */
export class LruCache<K, V> {
  readonly #budget: number;
  readonly #drop: (value: V) => void;
  /** Least recently used first. */
  readonly #entries = new Map<K, { value: V; bytes: number }>();
  #bytes = 0;

  /** @param drop is told of each value that is let go */
  constructor(budget: number, drop: (value: V) => void = () => {}) {
    this.#budget = budget;
    this.#drop = drop;
  }

  /** Returns the value of a key, if it is still known. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps the value of a key that has none, and returns it. */
  put(key: K, value: V, bytes: number): V {
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#budget || oldest === key) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
      this.#drop(entry.value);
    }
    return value;
  }
}
