import { Problem } from "../problems.ts";

/** A file of more bytes than this is a large one. */
export const LARGE_BYTES = 8_000_000;

/** How long a call waits for its turn, and how often it looks. */
const WAIT_MS = 15_000;
const LOOK_MS = 200;

/** How many calls with large files this isolate is at: its memory is shared by all of them. */
let taken = 0;

/** A call's turn to work on large files, however many it has. */
export class Turn {
  readonly #most: number;
  #begun: Promise<void> | undefined;
  #isTaken = false;

  /** `most` calls may have their turn at the same time. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Begins the turn, or waits a while for it. Once it has begun, this does nothing. @throws Problem too_busy */
  begin(): Promise<void> {
    this.#begun ??= this.#wait();
    return this.#begun;
  }

  /** Lets others have theirs. */
  end(): void {
    if (this.#isTaken) taken--;
    this.#isTaken = false;
    this.#begun = undefined;
  }

  async #wait(): Promise<void> {
    // looking again and again, since a promise that another call resolves belongs to that call's request
    for (let waited = 0; taken >= this.#most; waited += LOOK_MS) {
      if (waited >= WAIT_MS)
        throw new Problem(
          "too_busy",
          "As many large files as fit are being worked on. Nothing was charged; try again in a moment with the same payment.",
          { headers: { "Retry-After": "10" } },
        );
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    taken++;
    this.#isTaken = true;
  }
}
