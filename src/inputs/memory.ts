import { Problem } from "../shared/problems.ts";

/** Memory that the calls of an isolate share, for what their senders send. */
export class MemoryPool {
  readonly bytes: number;
  /** What each call has of it, and when that ends at the latest (Unix milliseconds). */
  readonly held = new Map<MemoryShare, { bytes: number; ends: number }>();

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}

/** For the files and messages of callers who pay. An isolate has 128 MB, for its code and the work on them too. */
export const PAYERS_POOL = new MemoryPool(64_000_000);

/** For the buffers of files that are sent to their slots, which costs their senders nothing. */
export const SENDERS_POOL = new MemoryPool(16_000_000);

/** What files leave of the payers' pool: text cannot wait in storage. */
export const SPARE_BYTES = 4_000_000;

/**
 * One call's part of a pool. It may grow while its owner has no more than all that is left: a few owners have most of the
 * pool, and however many stall, they leave room for the next one.
 */
export class MemoryShare {
  readonly #pool: MemoryPool;
  readonly #longestMs: number;
  readonly #owner: unknown;

  /**
   * @param longestMs a share ends so long after it last grew: the runtime can end a call without notice (CPU time used
   * up, caller gone), and then nothing else releases it
   * @param owner whose shares count as one; by default the call's own
   */
  constructor(pool: MemoryPool, longestMs: number, owner?: string) {
    this.#pool = pool;
    this.#longestMs = longestMs;
    this.#owner = owner ?? this;
  }

  /** Takes so many bytes more, or returns false if there is no room for them, or not for `spare` bytes besides. */
  take(bytes: number, spare = 0): boolean {
    const { held } = this.#pool;
    const now = Date.now();
    let [left, owned] = [this.#pool.bytes - bytes, bytes];
    for (const [share, part] of held) {
      if (part.ends <= now) {
        held.delete(share);
        continue;
      }
      left -= part.bytes;
      if (share.#owner === this.#owner) owned += part.bytes;
    }
    if (owned > left - spare) return false;
    held.set(this, { bytes: (held.get(this)?.bytes ?? 0) + bytes, ends: now + this.#longestMs });
    return true;
  }

  /** Gives some of the bytes back. */
  give(bytes: number): void {
    const part = this.#pool.held.get(this);
    if (part) part.bytes -= bytes;
  }

  /** Gives all of them back. */
  release(): void {
    this.#pool.held.delete(this);
  }
}

const TRY_AGAIN = "Nothing was charged; try again in a moment with the same payment, or send a URL as `file`.";

/** Creates the Problem for what finds no room in a pool, and can't wait in storage. */
export function noRoom(next = TRY_AGAIN): Problem {
  return new Problem("too_busy", `As much as fits is being received. ${next}`, { headers: { "Retry-After": "10" } });
}
