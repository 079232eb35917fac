/** What zlib.ts and its twin for browsers have in common. */

/** Decompressed, the data are longer than they may be. */
export class OutputTooLarge extends Error {
  override name = "OutputTooLarge";
}

/** Compressed data that are none, or that are cut short where all of them are needed. */
export class DamagedStream extends Error {
  override name = "DamagedStream";
}

/** How a stream is compressed: `rle` finds runs only, which is fast and enough for photographs. */
export interface DeflateOptions {
  level: 1 | 4;
  strategy: "default" | "rle";
  chunkBytes: number;
}
