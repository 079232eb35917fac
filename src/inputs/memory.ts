import { Problem } from "../shared/problems.ts";

/** A limit on the memory for received data, shared by all calls of an isolate. */
export class MemoryPool {
  readonly bytes: number;
  /** The number of bytes that each call holds, and the time at which the call's share expires (Unix milliseconds). */
  readonly held = new Map<MemoryShare, { bytes: number; expires: number }>();

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}

/**
 * The pool for files and messages of paying callers. An isolate has 128 MB for this pool, for its code, and for the
 * processing of the files.
 */
export const PAYERS_POOL = new MemoryPool(64_000_000);

/** The pool for buffering files that are sent to upload URLs. Uploads are free of charge. */
export const SENDERS_POOL = new MemoryPool(16_000_000);

/** Part of the payers' pool that is reserved for text, because text cannot be spilled to storage. */
export const SPARE_BYTES = 4_000_000;

/**
 * One call's share of a pool. A share may grow only if its owner afterwards holds no more bytes than the pool has free.
 * A few owners can therefore use most of the pool, but stalled owners always leave memory for the next owner.
 */
export class MemoryShare {
  readonly #pool: MemoryPool;
  readonly #longestMs: number;
  readonly #owner: unknown;

  /**
   * Creates an empty share of a pool.
   * @param longestMs lifetime of a share after it last grew, in milliseconds. If the runtime ends a call without notice
   * (CPU limit, disconnect), the memory of its share is freed only at expiry.
   * @param owner identifies the owner; the shares of one owner are added up. By default, each share has its own owner
   */
  constructor(pool: MemoryPool, longestMs: number, owner?: string) {
    this.#pool = pool;
    this.#longestMs = longestMs;
    this.#owner = owner ?? this;
  }

  /**
   * Reserves more bytes. Reserves nothing and returns false if the owner would then hold more bytes than the pool has
   * free, minus `spare` bytes. This limit keeps memory free for other owners, even if this owner stalls.
   */
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

  /** Frees `bytes` bytes of the share. */
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
