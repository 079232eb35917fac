import { Problem } from "../problems.ts";

/** A file of more bytes than this is a large one. */
export const LARGE_BYTES = 8_000_000;

/** How long a call waits for a slot, and how often it looks for one. */
const WAIT_MS = 15_000;
const LOOK_MS = 200;

/** The slots that are taken, and until when at most. The isolate's memory is shared by all of its calls. */
const taken = new Map<LargeFileSlot, number>();

/** One call's permission to have large files in memory, however many it has. */
export class LargeFileSlot {
  readonly #most: number;
  readonly #longestMs: number;
  #acquired: Promise<void> | undefined;
  #isReleased = false;

  /**
   * `most` calls may have a slot at the same time. A slot frees itself after `longestMs`: the runtime can cut a call off
   * (its CPU time is used up, its caller has gone) without a word, and then nobody else releases it.
   */
  constructor(most: number, longestMs: number) {
    this.#most = most;
    this.#longestMs = longestMs;
  }

  /** Takes the slot, or waits a while for one to be free. Once it is taken, this does nothing. @throws Problem too_busy */
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
    // polled, since a promise that another call resolves belongs to that call's request
    for (let waited = 0; takenNow() >= this.#most; waited += LOOK_MS) {
      if (waited >= WAIT_MS)
        throw new Problem(
          "too_busy",
          "As many large files as fit are being worked on. Nothing was charged; try again in a moment with the same payment.",
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
