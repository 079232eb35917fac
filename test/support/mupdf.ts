import type * as Mupdf from "mupdf";

let copies = 0;

/**
 * Returns a MuPDF with memory of its own, for broken files: it never gets back the stack of a call that fails, so that after
 * some 900 failures it writes over its own memory. What it complains of is expected: to print that took longer than to read.
 */
export async function ownMupdf(): Promise<typeof Mupdf> {
  const mupdf: typeof Mupdf = await import(/* @vite-ignore */ `${import.meta.resolve("mupdf")}?copy=${++copies}`);
  mupdf.setLog({});
  return mupdf;
}
