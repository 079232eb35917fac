import { DeflateStream, inflateChunks } from "#platform/zlib";
import { concat } from "../bytes.ts";
import { EngineError } from "../errors.ts";
import { DamagedStream } from "../platform/compression.ts";
import { pause } from "../platform/pause.ts";

/**
 * Size in bytes of the chunks in which image data is decompressed and compressed. Chunks keep memory use independent of
 * the image size. Each chunk takes milliseconds and is followed by a yield to the event loop.
 */
const CHUNK_BYTES = 128 * 1024;

/**
 * Decompresses a zlib stream chunk by chunk. A chunk is valid until the next chunk is requested. Bytes after the stream
 * are ignored. A caller may stop early, so a decompression bomb costs no more than the chunks that the caller reads.
 * @throws EngineError damaged_image if the stream cannot be decompressed
 */
export async function* inflated(data: Uint8Array): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of inflateChunks(data, CHUNK_BYTES)) {
      yield chunk;
      if (chunk.length === CHUNK_BYTES) await pause();
    }
  } catch (error) {
    if (!(error instanceof DamagedStream)) throw error;
    throw new EngineError("damaged_image", "The PNG's image data cannot be decompressed. Save it again.");
  }
}

/**
 * Kind of content for which compression is tuned. Drawings have repetitions of all kinds. Photographs have only runs of
 * equal bytes.
 */
export type Content = "drawing" | "photograph";

const DEFLATE = {
  drawing: { level: 4, strategy: "default" },
  photograph: { level: 1, strategy: "rle" },
} as const;

/** Writes a zlib stream in pieces. */
export class Deflater {
  readonly #stream: DeflateStream;
  readonly #buffer;
  #filled = 0;

  /** @param longest maximum `length` of all calls of `next` */
  constructor(content: Content, longest: number) {
    this.#stream = new DeflateStream({ ...DEFLATE[content], chunkBytes: CHUNK_BYTES });
    this.#buffer = new Uint8Array(Math.max(CHUNK_BYTES, longest));
  }

  /** Returns a buffer for the next `length` bytes of the stream. The caller fills the buffer before the next call. */
  async next(length: number): Promise<Uint8Array> {
    if (this.#filled + length > this.#buffer.length) {
      await this.#flush();
      await pause();
    }
    this.#filled += length;
    return this.#buffer.subarray(this.#filled - length, this.#filled);
  }

  /** Ends the stream and returns all its bytes. */
  async finish(): Promise<Uint8Array> {
    await this.#flush();
    return concat(await this.#stream.finish());
  }

  #flush(): Promise<void> {
    const full = this.#buffer.subarray(0, this.#filled);
    this.#filled = 0;
    return this.#stream.write(full);
  }
}
