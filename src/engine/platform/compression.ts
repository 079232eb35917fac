/** What zlib.ts and zlib.browser.ts share. */

/** Thrown when decompressed data are longer than allowed. */
export class OutputTooLarge extends Error {
  override name = "OutputTooLarge";
}

/** Thrown when compressed data are invalid, or cut short where all of them are needed. */
export class DamagedStream extends Error {
  override name = "DamagedStream";
}

/** How a stream is compressed: `rle` finds runs only, which is fast and enough for photographs. */
export interface DeflateOptions {
  level: 1 | 4 | 6;
  strategy: "default" | "rle";
  chunkBytes: number;
}
