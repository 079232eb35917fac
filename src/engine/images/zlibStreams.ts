import { constants, createDeflate, createInflate } from "node:zlib";
import { Problem } from "../../problems.ts";

/** Pictures are decompressed and compressed in pieces of this size, so that memory does not grow with the picture. */
const PIECE_LENGTH = 128 * 1024;

/**
 * Decompresses a zlib stream piece by piece; a piece is valid until the next is asked for. What follows the stream is
 * ignored. Nobody has to read to the end, so a bomb costs no more than what was asked for.
 * @throws Problem damaged_image
 */
export async function* inflated(data: Uint8Array): AsyncGenerator<Uint8Array> {
  const inflate = createInflate({ chunkSize: PIECE_LENGTH });
  inflate.end(data);
  try {
    yield* inflate as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw isZlibError(error)
      ? new Problem("damaged_image", "The PNG's image data cannot be decompressed. Save it again.")
      : error;
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}

/** Fast and small for drawings, where the same things come again; or for photographs, where only runs do. */
export type Content = "drawing" | "photograph";

const DEFLATE = {
  drawing: { level: 4, strategy: constants.Z_DEFAULT_STRATEGY },
  photograph: { level: 1, strategy: constants.Z_RLE },
};

/** A zlib stream being written. */
export class Deflater {
  readonly #deflate;
  readonly #compressed: Uint8Array[] = [];
  readonly #buffer;
  #filled = 0;

  /** @param longest how many bytes may be asked for at once */
  constructor(content: Content, longest: number) {
    this.#deflate = createDeflate({ ...DEFLATE[content], chunkSize: PIECE_LENGTH });
    this.#deflate.on("data", (piece: Uint8Array) => this.#compressed.push(piece));
    this.#buffer = new Uint8Array(Math.max(PIECE_LENGTH, longest));
  }

  /** The next `length` bytes of the stream, to be filled in before the next call. */
  async next(length: number): Promise<Uint8Array> {
    if (this.#filled + length > this.#buffer.length) await this.#flush();
    this.#filled += length;
    return this.#buffer.subarray(this.#filled - length, this.#filled);
  }

  /** Ends the stream and returns it whole. */
  async finish(): Promise<Uint8Array> {
    await this.#flush();
    await new Promise((resolve) => this.#deflate.once("end", resolve).end());
    return Buffer.concat(this.#compressed);
  }

  #flush(): Promise<void> {
    const full = this.#buffer.subarray(0, this.#filled);
    this.#filled = 0;
    return new Promise((resolve, reject) => this.#deflate.write(full, (error) => (error ? reject(error) : resolve())));
  }
}
