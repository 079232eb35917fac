/** Compression by the runtime's own zlib. */
import {
  constants,
  createDeflate,
  createInflate,
  deflateSync,
  inflateRawSync,
  inflateSync,
  crc32 as zlibCrc32,
} from "node:zlib";
import { plain } from "../bytes.ts";
import { DamagedStream, type DeflateOptions, OutputTooLarge } from "./compression.ts";

/** CRC-32 (ISO 3309), as PNG has it. */
export function crc32(bytes: Uint8Array): number {
  return zlibCrc32(bytes);
}

/** A zlib stream (RFC 1950) of these bytes. */
export function deflate(bytes: Uint8Array, level: 1 | 6 | 9 = 6): Uint8Array {
  return plain(deflateSync(bytes, { level }));
}

/**
 * What a zlib stream holds. Of one that is cut short, what there is; what follows its end is ignored.
 * @throws OutputTooLarge past `maxBytes`
 * @throws DamagedStream
 */
export function inflate(bytes: Uint8Array, maxBytes: number): Uint8Array {
  return checked(() => inflateSync(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH }));
}

/** {@link inflate} for a raw deflate stream (RFC 1951), which has neither header nor checksum. */
export function inflateRaw(bytes: Uint8Array, maxBytes: number): Uint8Array {
  return checked(() => inflateRawSync(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH }));
}

/**
 * What a zlib stream holds, in chunks that are valid until the next is asked for. Nothing is decompressed that is not
 * asked for, but for a chunk or so.
 * @throws DamagedStream, also where the stream is cut short
 */
export async function* inflateChunks(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  const stream = createInflate({ chunkSize: chunkBytes });
  stream.end(bytes);
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw isZlibError(error) ? new DamagedStream("the stream is damaged", { cause: error }) : error;
  }
}

/** A zlib stream (RFC 1950) that is written piece by piece. */
export class DeflateStream {
  readonly #stream;
  readonly #chunks: Uint8Array[] = [];

  constructor({ level, strategy, chunkBytes }: DeflateOptions) {
    const zlibStrategy = strategy === "rle" ? constants.Z_RLE : constants.Z_DEFAULT_STRATEGY;
    this.#stream = createDeflate({ level, strategy: zlibStrategy, chunkSize: chunkBytes });
    this.#stream.on("data", (chunk: Uint8Array) => this.#chunks.push(chunk));
  }

  /** Once this resolves, `bytes` may be used for something else. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => this.#stream.write(bytes, (error) => (error ? reject(error) : resolve())));
  }

  /** Ends the stream and returns it. */
  async finish(): Promise<Uint8Array[]> {
    await new Promise((resolve) => this.#stream.once("end", resolve).end());
    return this.#chunks;
  }
}

function checked(decompress: () => Uint8Array): Uint8Array {
  try {
    return plain(decompress());
  } catch (error) {
    if (error instanceof RangeError) throw new OutputTooLarge("too large when decompressed");
    throw isZlibError(error) ? new DamagedStream("the stream is damaged", { cause: error }) : error;
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
