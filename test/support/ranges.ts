import type { RangeReader } from "../../src/engine/pdf/source/byteSource.ts";

const PIECE = 100_000;

/** Reads `length` bytes by `read`; in order, in pieces that fit no block. */
export function readerBy(length: number, read: RangeReader["read"]): RangeReader {
  return {
    length,
    read,
    async *stream(start, end) {
      for (let at = start; at < end; at += PIECE) yield await read(at, Math.min(at + PIECE, end));
    },
  };
}
