import { Problem } from "../shared/problems.ts";

/** Files above this size need a slot. */
export const LARGE_BYTES = 8_000_000;

/** Maximum wait for a slot, and the polling interval. */
const WAIT_MS = 15_000;
const POLL_MS = 200;

/** The slots in use, with their expiry times (Unix milliseconds). Module state is shared by all calls of an isolate. */
const taken = new Map<LargeFileSlot, number>();

/** One call's permission to process large files. One slot covers all files of the call. */
export class LargeFileSlot {
  readonly #most: number;
  readonly #longestMs: number;
  #acquired: Promise<void> | undefined;
  #isReleased = false;

  /**
   * @param most number of calls that may hold a slot at the same time
   * @param longestMs lifetime of a slot. The runtime can end a call without notice (CPU limit, disconnect), and then
   * only the expiry releases its slot.
   */
  constructor(most: number, longestMs: number) {
    this.#most = most;
    this.#longestMs = longestMs;
  }

  /**
   * Waits for a free slot and takes it. Does nothing if the call already has its slot.
   * @throws Problem too_busy if no slot becomes free in time
   */
  acquire(): Promise<void> {
    this.#acquired ??= this.#wait();
    return this.#acquired;
  }

  /** Releases the slot permanently. */
  release(): void {
    taken.delete(this);
    this.#isReleased = true;
  }

  async #wait(): Promise<void> {
    // polls, because a promise that another call resolves belongs to that call's request
    for (let waited = 0; countTaken() >= this.#most; waited += POLL_MS) {
      if (waited >= WAIT_MS)
        throw new Problem(
          "too_busy",
          "Too many large files are being processed. Nothing was charged. Try again in a moment with the same payment, or with a new one and the same Idempotency-Key.",
          { headers: { "Retry-After": "10" } },
        );
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (this.#isReleased) return; // the call has ended
    }
    taken.set(this, Date.now() + this.#longestMs);
  }
}

function countTaken(): number {
  for (const [slot, until] of taken) if (until <= Date.now()) taken.delete(slot);
  return taken.size;
}
