import type * as Mupdf from "mupdf";

let copies = 0;

/**
 * Returns a MuPDF with memory of its own, for broken files: it never gets back the stack of a call that fails, so that after
 * some 900 failures it writes over its own memory.
 */
export function ownMupdf(): Promise<typeof Mupdf> {
  return import(/* @vite-ignore */ `${import.meta.resolve("mupdf")}?copy=${++copies}`) as Promise<typeof Mupdf>;
}
