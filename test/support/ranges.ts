import type { RangeReader } from "../../src/engine/pdf/source/byteSource.ts";

const PIECE = 100_000;

/**
 * Returns a reader of `length` bytes that calls `read`. It streams pieces whose size differs from all block sizes of
 * the engine.
 */
export function readerBy(length: number, read: RangeReader["read"]): RangeReader {
  return {
    length,
    read,
    async *stream(start, end) {
      for (let at = start; at < end; at += PIECE) yield await read(at, Math.min(at + PIECE, end));
    },
  };
}
