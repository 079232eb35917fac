/** Compresses and decompresses with the runtime's zlib. */
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

/** Computes the CRC-32 (ISO 3309) that PNG uses. */
export function crc32(bytes: Uint8Array): number {
  return zlibCrc32(bytes);
}

/** Compresses bytes into a zlib stream (RFC 1950). */
export function deflate(bytes: Uint8Array, level: 1 | 6 | 9 = 6): Uint8Array {
  return plain(deflateSync(bytes, { level }));
}

/**
 * Decompresses a zlib stream (RFC 1950). If the stream is truncated, returns its decodable part. Bytes after the end of
 * the stream are ignored.
 * @throws OutputTooLarge if the result is longer than `maxBytes`
 * @throws DamagedStream if the data are invalid
 */
export function inflate(bytes: Uint8Array, maxBytes: number): Uint8Array {
  return checked(() => inflateSync(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH }));
}

/**
 * Decompresses a raw deflate stream (RFC 1951), which has neither header nor checksum. In all other respects, this
 * function works like {@link inflate}.
 * @throws OutputTooLarge if the result is longer than `maxBytes`
 * @throws DamagedStream if the data are invalid
 */
export function inflateRaw(bytes: Uint8Array, maxBytes: number): Uint8Array {
  return checked(() => inflateRawSync(bytes, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH }));
}

/**
 * Decompresses a zlib stream (RFC 1950) into chunks on demand. Each chunk is valid until the next chunk is requested.
 * About one chunk is decompressed in advance.
 * @throws DamagedStream if the data are invalid or truncated
 */
export async function* inflateChunks(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  const only = onlyChunk(bytes, chunkBytes);
  if (only) {
    yield only;
    return;
  }
  const stream = createInflate({ chunkSize: chunkBytes });
  stream.end(bytes);
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw isZlibError(error) ? new DamagedStream("the stream is damaged", { cause: error }) : error;
  }
}

/**
 * Decompresses data in a single call, which is faster than opening a stream. Returns undefined if the data or the
 * result is longer than one chunk, or if the data are damaged.
 */
function onlyChunk(bytes: Uint8Array, chunkBytes: number): Uint8Array | undefined {
  if (bytes.length > chunkBytes) return undefined;
  try {
    const chunk = inflateSync(bytes, { maxOutputLength: chunkBytes });
    return chunk.length > 0 ? chunk : undefined;
  } catch {
    return undefined; // the caller opens a stream for longer or damaged data
  }
}

/** Compresses data piece by piece into a zlib stream (RFC 1950). */
export class DeflateStream {
  readonly #stream;
  readonly #chunks: Uint8Array[] = [];

  constructor({ level, strategy, chunkBytes }: DeflateOptions) {
    const zlibStrategy = strategy === "rle" ? constants.Z_RLE : constants.Z_DEFAULT_STRATEGY;
    this.#stream = createDeflate({ level, strategy: zlibStrategy, chunkSize: chunkBytes });
    this.#stream.on("data", (chunk: Uint8Array) => this.#chunks.push(chunk));
  }

  /** Compresses `bytes`. The caller may reuse the array after the promise has resolved. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => this.#stream.write(bytes, (error) => (error ? reject(error) : resolve())));
  }

  /** Ends the stream and returns the whole stream as chunks. */
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
