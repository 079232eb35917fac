import { EngineError } from "../errors.ts";
import { pause } from "../platform/pause.ts";
import { inflated } from "./zlibStreams.ts";

/** Filter types of scanlines (PNG, 9.2). */
export const FILTER = { NONE: 0, SUB: 1, UP: 2, AVERAGE: 3, PAETH: 4 } as const;

/**
 * Number of scanlines between two yields to the event loop. A single decompressed chunk may contain many short
 * scanlines.
 */
export const LINES_AT_ONCE = 1024;

/**
 * Yields the filtered scanlines of a PNG's image data. The first byte of a scanline is its filter type. A scanline is
 * valid until the next scanline is requested.
 * @param lengths lengths of the scanlines in bytes, including filter types
 * @throws EngineError damaged_image if the data cannot be decompressed, has the wrong length, or has an unknown filter
 * type
 */
export async function* scanlines(data: Uint8Array, lengths: Iterable<number>): AsyncGenerator<Uint8Array> {
  const chunks = inflated(data);
  let chunk: Uint8Array = new Uint8Array();

  const nextChunk = async () => {
    const { done, value } = await chunks.next();
    if (!done) chunk = value;
    return !done;
  };
  const assemble = async (line: Uint8Array) => {
    for (let filled = 0; filled < line.length; ) {
      if (chunk.length === 0 && !(await nextChunk())) throw damaged("has less image data than its size requires");
      const part = chunk.subarray(0, line.length - filled);
      line.set(part, filled);
      filled += part.length;
      chunk = chunk.subarray(part.length);
    }
    return line;
  };

  let count = 0;
  try {
    for (const length of lengths) {
      let line = chunk;
      if (chunk.length < length) line = await assemble(new Uint8Array(length));
      else {
        line = chunk.subarray(0, length);
        chunk = chunk.subarray(length);
      }
      if (line[0]! > FILTER.PAETH) throw damaged("has a scanline with an unknown filter type");
      yield line;
      if (++count % LINES_AT_ONCE === 0) await pause();
    }
    if (chunk.length > 0 || (await nextChunk())) throw damaged("has more image data than its size requires");
  } finally {
    await chunks.return(undefined);
  }
}

/** Reverses the filters of consecutive scanlines of an image or of an interlace pass (PNG, 9.2). */
export class Unfilter {
  readonly #pixelBytes: number;
  #previous: Uint8Array;
  #current: Uint8Array;

  /**
   * @param bits bits per pixel; if several pixels share a byte, filters treat the byte as a pixel
   * @param lineLength length in bytes, including the filter type
   */
  constructor(bits: number, lineLength: number) {
    this.#pixelBytes = Math.ceil(bits / 8);
    this.#previous = new Uint8Array(lineLength - 1);
    this.#current = new Uint8Array(lineLength - 1);
  }

  /**
   * Returns the packed pixels of the next scanline. The pixels stay valid until this method has been called twice more.
   */
  next(line: Uint8Array): Uint8Array {
    const [row, above, distance] = [this.#current, this.#previous, this.#pixelBytes];
    row.set(line.subarray(1));

    switch (line[0]) {
      case FILTER.SUB:
        for (let i = distance; i < row.length; i++) row[i]! += row[i - distance]!;
        break;
      case FILTER.UP:
        for (let i = 0; i < row.length; i++) row[i]! += above[i]!;
        break;
      case FILTER.AVERAGE:
        for (let i = 0; i < distance; i++) row[i]! += above[i]! >> 1;
        for (let i = distance; i < row.length; i++) row[i]! += (row[i - distance]! + above[i]!) >> 1;
        break;
      case FILTER.PAETH:
        for (let i = 0; i < distance; i++) row[i]! += above[i]!;
        for (let i = distance; i < row.length; i++)
          row[i]! += paeth(row[i - distance]!, above[i]!, above[i - distance]!);
        break;
    }

    this.#current = above;
    this.#previous = row;
    return row;
  }
}

/** Writes the scanline of a row of pixels with the filter type Up (PNG, 9.2). */
export function filterByUp(row: Uint8Array, above: Uint8Array, line: Uint8Array): void {
  line[0] = FILTER.UP;
  for (let i = 0; i < row.length; i++) line[i + 1] = row[i]! - above[i]!;
}

/** Returns the neighbor nearest to left + above - upper left: the Paeth predictor (PNG, 9.4). */
function paeth(left: number, above: number, upperLeft: number): number {
  const toLeft = Math.abs(above - upperLeft);
  const toAbove = Math.abs(left - upperLeft);
  const toUpperLeft = Math.abs(left + above - 2 * upperLeft);
  if (toLeft <= toAbove && toLeft <= toUpperLeft) return left;
  return toAbove <= toUpperLeft ? above : upperLeft;
}

function damaged(what: string): EngineError {
  return new EngineError("damaged_image", `The PNG ${what}. Save it again.`);
}
