import { Problem } from "../problems.ts";

/** A file of more bytes than this is a large one. */
export const LARGE_BYTES = 8_000_000;

/** How long a call waits for its turn, and how often it looks. */
const WAIT_MS = 15_000;
const LOOK_MS = 200;

/** The calls with large files that this isolate is at, as its memory is shared by all of them; each until when at most. */
const begun = new Map<Turn, number>();

/** A call's turn to work on large files, however many it has. */
export class Turn {
  readonly #most: number;
  readonly #longestMs: number;
  #begun: Promise<void> | undefined;
  #isOver = false;

  /**
   * `most` calls may have their turn at the same time. A turn is over after `longestMs`: the runtime can cut a call off (its
   * CPU time is used up, its caller has gone) without a word, and then nothing else ends it.
   */
  constructor(most: number, longestMs: number) {
    this.#most = most;
    this.#longestMs = longestMs;
  }

  /** Begins the turn, or waits a while for it. Once it has begun, this does nothing. @throws Problem too_busy */
  begin(): Promise<void> {
    this.#begun ??= this.#wait();
    return this.#begun;
  }

  /** Lets others have theirs, for good. */
  end(): void {
    begun.delete(this);
    this.#isOver = true;
  }

  async #wait(): Promise<void> {
    // looking again and again, since a promise that another call resolves belongs to that call's request
    for (let waited = 0; running() >= this.#most; waited += LOOK_MS) {
      if (waited >= WAIT_MS)
        throw new Problem(
          "too_busy",
          "As many large files as fit are being worked on. Nothing was charged; try again in a moment with the same payment.",
          { headers: { "Retry-After": "10" } },
        );
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (this.#isOver) return; // and so is the call
    }
    begun.set(this, Date.now() + this.#longestMs);
  }
}

function running(): number {
  for (const [turn, until] of begun) if (until <= Date.now()) begun.delete(turn);
  return begun.size;
}
