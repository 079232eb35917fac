import { Problem } from "../shared/problems.ts";

/** Size in bytes above which a file needs a slot. */
export const LARGE_BYTES = 8_000_000;

/** Maximum wait for a slot, and the polling interval, both in milliseconds. */
const WAIT_MS = 15_000;
const POLL_MS = 200;

/** The slots in use, with their expiry times (Unix milliseconds). All calls of an isolate share this map. */
const taken = new Map<LargeFileSlot, number>();

/**
 * A call's permission to process large files. One slot covers all files of the call. The number of slots is limited.
 */
export class LargeFileSlot {
  readonly #most: number;
  readonly #longestMs: number;
  #acquired: Promise<void> | undefined;
  #isReleased = false;

  /**
   * Creates a call's slot, which is not acquired yet.
   * @param most maximum number of calls that hold a slot at the same time
   * @param longestMs lifetime of a slot in milliseconds. If the runtime ends a call without notice (CPU limit,
   * disconnect), its slot is released only at expiry.
   */
  constructor(most: number, longestMs: number) {
    this.#most = most;
    this.#longestMs = longestMs;
  }

  /**
   * Waits for a free slot and acquires it. Does nothing if the call already has its slot.
   * @throws Problem too_busy if no slot becomes free in time
   */
  acquire(): Promise<void> {
    this.#acquired ??= this.#wait();
    return this.#acquired;
  }

  /** Releases the slot. The call cannot acquire it again. */
  release(): void {
    taken.delete(this);
    this.#isReleased = true;
  }

  async #wait(): Promise<void> {
    // polls, because the runtime does not let one request wait for a promise that another request resolves
    for (let waited = 0; countTaken() >= this.#most; waited += POLL_MS) {
      if (waited >= WAIT_MS)
        throw new Problem(
          "too_busy",
          "Too many large files are being processed. Nothing was charged. Try again in a moment with the same payment, or with a new one and the same Idempotency-Key.",
          { headers: { "Retry-After": "10" } },
        );
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (this.#isReleased) return; // the call ended during the wait
    }
    taken.set(this, Date.now() + this.#longestMs);
  }
}

function countTaken(): number {
  for (const [slot, until] of taken) if (until <= Date.now()) taken.delete(slot);
  return taken.size;
}
