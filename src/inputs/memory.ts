import { Problem } from "../shared/problems.ts";

/** A memory budget shared by all calls of an isolate, for the data they receive. */
export class MemoryPool {
  readonly bytes: number;
  /** Bytes held by each call, and when its share expires (Unix milliseconds). */
  readonly held = new Map<MemoryShare, { bytes: number; expires: number }>();

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}

/**
 * For files and messages of paying callers. An isolate has 128 MB, which also hold its code and the work on these
 * files.
 */
export const PAYERS_POOL = new MemoryPool(64_000_000);

/** For the buffers of files sent to upload URLs, which are free to use. */
export const SENDERS_POOL = new MemoryPool(16_000_000);

/** Part of the payers' pool that files leave free for text, because text cannot be spilled to storage. */
export const SPARE_BYTES = 4_000_000;

/**
 * One call's share of a pool. A share may grow while its owner holds no more than what is still free. A few owners can
 * use most of the pool, but stalled ones always leave room for the next.
 */
export class MemoryShare {
  readonly #pool: MemoryPool;
  readonly #longestMs: number;
  readonly #owner: unknown;

  /**
   * @param longestMs lifetime of a share after it last grew. The runtime can end a call without notice (CPU limit,
   * disconnect), and then only the expiry frees its memory.
   * @param owner shares with the same owner count as one; by default each call is its own owner
   */
  constructor(pool: MemoryPool, longestMs: number, owner?: string) {
    this.#pool = pool;
    this.#longestMs = longestMs;
    this.#owner = owner ?? this;
  }

  /** Reserves more bytes. Returns false if they do not fit, or if fewer than `spare` bytes would remain free. */
  take(bytes: number, spare = 0): boolean {
    const { held } = this.#pool;
    const now = Date.now();
    let [left, owned] = [this.#pool.bytes - bytes, bytes];
    for (const [share, part] of held) {
      if (part.expires <= now) {
        held.delete(share);
        continue;
      }
      left -= part.bytes;
      if (share.#owner === this.#owner) owned += part.bytes;
    }
    if (owned > left - spare) return false;
    held.set(this, { bytes: (held.get(this)?.bytes ?? 0) + bytes, expires: now + this.#longestMs });
    return true;
  }

  /** Frees some of the bytes. */
  free(bytes: number): void {
    const part = this.#pool.held.get(this);
    if (part) part.bytes -= bytes;
  }

  /** Frees the whole share. */
  release(): void {
    this.#pool.held.delete(this);
  }
}

const TRY_AGAIN = "Nothing was charged. Try again in a moment with the same payment, or send a URL as `file`.";

/** Creates the Problem for data that does not fit in a pool and cannot be spilled to storage. */
export function noRoom(next = TRY_AGAIN): Problem {
  return new Problem("too_busy", `The server is at its upload-memory limit. ${next}`, {
    headers: { "Retry-After": "10" },
  });
}
