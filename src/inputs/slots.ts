import { Problem } from "../problems.ts";

/** A file of more bytes than this is a large one. */
export const LARGE_BYTES = 8 << 20;

/** How long a call waits for its turn, and how often it looks. */
const WAIT_MS = 15_000;
const LOOK_MS = 200;

/** How many large files are worked on: an isolate's memory is shared by all its calls. */
let taken = 0;

/**
 * Takes a place among the large files of this isolate, until the function returned is called; calling it again does nothing.
 * Where all are taken, it waits a while for one.
 * @throws Problem too_busy
 */
export async function takeSlot(most: number): Promise<() => void> {
  // looking again and again, since a promise that another call resolves belongs to that call's request
  for (let waited = 0; taken >= most; waited += LOOK_MS) {
    if (waited >= WAIT_MS)
      throw new Problem(
        "too_busy",
        "As many large files as fit are being worked on. Nothing was charged; try again in a moment with the same payment.",
        { headers: { "Retry-After": "10" } },
      );
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  taken++;
  let isFree = false;
  return () => {
    if (!isFree) taken--;
    isFree = true;
  };
}
