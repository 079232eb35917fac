/** Errors and options shared by zlib.ts and zlib.browser.ts. */

/** Thrown when the decompressed data are larger than allowed. */
export class OutputTooLarge extends Error {
  override name = "OutputTooLarge";
}

/**
 * Thrown when compressed data are invalid. Also thrown when the data are truncated and the caller requires all of them.
 */
export class DamagedStream extends Error {
  override name = "DamagedStream";
}

/** Options of compression. The strategy `rle` finds only runs, which is fast and sufficient for photographs. */
export interface DeflateOptions {
  level: 1 | 4 | 6;
  strategy: "default" | "rle";
  chunkBytes: number;
}
