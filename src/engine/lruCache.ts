interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
}

/** An LRU cache bounded in bytes. The newest entry always stays, even if it alone exceeds the budget. */
export class LruCache<K, V> {
  readonly #budget: number;
  readonly #onEvict: (value: V) => void;
  /** Entries, least recently used first. A Map iterates in insertion order. */
  readonly #entries = new Map<K, Entry<V>>();
  /** The most recently used entry. */
  #newest: Entry<V> | undefined;
  #bytes = 0;

  /**
   * @param budget maximum total size of the entries in bytes
   * @param onEvict receives each evicted value
   */
  constructor(budget: number, onEvict: (value: V) => void = () => {}) {
    this.#budget = budget;
    this.#onEvict = onEvict;
  }

  /** Returns the cached value of a key, and marks it as most recently used. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry === this.#newest) return entry.value;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#newest = entry;
    return entry.value;
  }

  /**
   * Adds a value for a key that is not in the cache, and evicts other entries until the budget is met. Returns the
   * value.
   */
  put(key: K, value: V, bytes: number): V {
    this.#newest = { value, bytes };
    this.#entries.set(key, this.#newest);
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#budget || oldest === key) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
      this.#onEvict(entry.value);
    }
    return value;
  }
}
