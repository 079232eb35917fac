import type * as Mupdf from "mupdf";

let copies = 0;

/**
 * Returns a separate MuPDF instance for broken files. MuPDF leaks stack memory on each failed call, and overwrites its
 * own memory after about 900 failures. The instance suppresses its warnings, because printing them takes longer than
 * reading the file.
 */
export async function ownMupdf(): Promise<typeof Mupdf> {
  const mupdf: typeof Mupdf = await import(/* @vite-ignore */ `${import.meta.resolve("mupdf")}?copy=${++copies}`);
  mupdf.setLog({});
  return mupdf;
}
