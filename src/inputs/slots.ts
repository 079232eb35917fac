import { Problem } from "../problems.ts";

/** A file of more bytes than this is a large one. */
export const LARGE_BYTES = 8 << 20;

/** How many large files are worked on at once: an isolate's memory is shared by all its calls. */
let taken = 0;

/**
 * Takes a place among the large files of this isolate, until the function returned is called; calling it again does nothing.
 * @throws Problem too_busy
 */
export function takeSlot(most: number): () => void {
  if (taken >= most)
    throw new Problem(
      "too_busy",
      "As many large files as fit are being worked on. Nothing was charged; try again in a moment with the same payment.",
      { headers: { "Retry-After": "10" } },
    );
  taken++;
  let isFree = false;
  return () => {
    if (!isFree) taken--;
    isFree = true;
  };
}
