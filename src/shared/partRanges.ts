/** The part of a file from the byte `start` up to, but not including, the byte `end`. */
export interface PartRange {
  /** Number of the part, from 1. */
  number: number;
  start: number;
  end: number;
}

/** Returns the parts of a file of `size` bytes. */
export function partRanges(size: number, partBytes: number): PartRange[] {
  return Array.from({ length: Math.ceil(size / partBytes) }, (_, at) => ({
    number: at + 1,
    start: at * partBytes,
    end: Math.min(size, (at + 1) * partBytes),
  }));
}
