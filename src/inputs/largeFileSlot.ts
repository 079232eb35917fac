import { Problem } from "../shared/problems.ts";

/** A file of more bytes than this is large. */
export const LARGE_BYTES = 8_000_000;

/** How long a call waits for a slot, and how often it checks for one. */
const WAIT_MS = 15_000;
const LOOK_MS = 200;

/** The slots in use, with the time (Unix milliseconds) when each expires. All calls of an isolate share its memory. */
const taken = new Map<LargeFileSlot, number>();

/** One call's permission to work on large files, however many. */
export class LargeFileSlot {
  readonly #most: number;
  readonly #longestMs: number;
  #acquired: Promise<void> | undefined;
  #isReleased = false;

  /**
   * @param most how many calls may hold a slot at the same time
   * @param longestMs a slot expires after this: the runtime can end a call without notice (CPU time used up, caller
   * gone), and then nothing else releases its slot
   */
  constructor(most: number, longestMs: number) {
    this.#most = most;
    this.#longestMs = longestMs;
  }

  /**
   * Takes the slot, after waiting for a free one if necessary. Does nothing if it is already taken.
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
    // polled, because a promise that another call resolves belongs to that call's request
    for (let waited = 0; takenNow() >= this.#most; waited += LOOK_MS) {
      if (waited >= WAIT_MS)
        throw new Problem(
          "too_busy",
          "As many large files as fit are being worked on. Nothing was charged; try again in a moment with the same payment, or with a new one and the same Idempotency-Key.",
          { headers: { "Retry-After": "10" } },
        );
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (this.#isReleased) return; // the call is over
    }
    taken.set(this, Date.now() + this.#longestMs);
  }
}

function takenNow(): number {
  for (const [slot, until] of taken) if (until <= Date.now()) taken.delete(slot);
  return taken.size;
}
