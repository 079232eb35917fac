import type * as Mupdf from "mupdf";

let copies = 0;

/**
 * Returns a MuPDF instance with its own memory, for broken files. MuPDF leaks stack on each failed call, and overwrites
 * its own memory after about 900 failures. Its warnings are expected and suppressed, because printing them takes longer
 * than reading the file.
 */
export async function ownMupdf(): Promise<typeof Mupdf> {
  const mupdf: typeof Mupdf = await import(/* @vite-ignore */ `${import.meta.resolve("mupdf")}?copy=${++copies}`);
  mupdf.setLog({});
  return mupdf;
}
