/**
 * Compresses and decompresses in browsers, whose native compression is asynchronous. The functions have the same
 * interface as the functions of zlib.ts, and byte-identical output.
 */
import { Deflate, Inflate, deflate as pakoDeflate, Z_DEFAULT_STRATEGY, Z_RLE, Z_SYNC_FLUSH } from "pako";
import { concat } from "../bytes.ts";
import { DamagedStream, type DeflateOptions, OutputTooLarge } from "./compression.ts";

/**
 * Number of input bytes per step of a decompressor. A small step limits how much is decompressed beyond the requested
 * chunk.
 */
const INPUT_BYTES = 4096;

/** Contribution of each byte value to a CRC (PNG, annex D). */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Computes the CRC-32 (ISO 3309) that PNG uses. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Compresses bytes into a zlib stream (RFC 1950). */
export function deflate(bytes: Uint8Array, level: 1 | 6 | 9 = 6): Uint8Array {
  return pakoDeflate(bytes, { level });
}

/**
 * Decompresses a zlib stream (RFC 1950). If the stream is truncated, returns its decodable part. Bytes after the end of
 * the stream are ignored.
 * @throws OutputTooLarge if the result is longer than `maxBytes`
 * @throws DamagedStream if the data are invalid
 */
export function inflate(bytes: Uint8Array, maxBytes: number): Uint8Array {
  return inflated(bytes, maxBytes, false);
}

/**
 * Decompresses a raw deflate stream (RFC 1951), which has neither header nor checksum. In all other respects, this
 * function works like {@link inflate}.
 * @throws OutputTooLarge if the result is longer than `maxBytes`
 * @throws DamagedStream if the data are invalid
 */
export function inflateRaw(bytes: Uint8Array, maxBytes: number): Uint8Array {
  return inflated(bytes, maxBytes, true);
}

/**
 * Decompresses a zlib stream (RFC 1950) into chunks on demand. Each chunk is valid until the next chunk is requested.
 * @throws DamagedStream if the data are invalid or truncated
 */
export async function* inflateChunks(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  const inflate = new Inflate({ chunkSize: chunkBytes });
  const chunks: Uint8Array[] = [];
  let ended = false;
  inflate.onData = (chunk) => void chunks.push(chunk);
  inflate.onEnd = () => {
    ended = true;
  };
  for (let at = 0; at < bytes.length && !ended; at += INPUT_BYTES) {
    inflate.push(bytes.subarray(at, at + INPUT_BYTES), Z_SYNC_FLUSH);
    if (inflate.err) throw new DamagedStream(inflate.msg);
    yield* chunks.splice(0);
  }
  if (!ended) throw new DamagedStream("the stream is truncated");
}

/** Compresses data piece by piece into a zlib stream (RFC 1950). */
export class DeflateStream {
  readonly #deflate: Deflate;
  readonly #chunks: Uint8Array[] = [];

  constructor({ level, strategy, chunkBytes }: DeflateOptions) {
    const zlibStrategy = strategy === "rle" ? Z_RLE : Z_DEFAULT_STRATEGY;
    this.#deflate = new Deflate({ level, strategy: zlibStrategy, chunkSize: chunkBytes });
    this.#deflate.onData = (chunk) => void this.#chunks.push(chunk);
  }

  /** Compresses `bytes`. The caller may reuse the array after the promise has resolved. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#deflate.push(bytes, false);
  }

  /** Ends the stream and returns the whole stream as chunks. */
  async finish(): Promise<Uint8Array[]> {
    this.#deflate.push(new Uint8Array(), true);
    return this.#chunks;
  }
}

function inflated(bytes: Uint8Array, maxBytes: number, raw: boolean): Uint8Array {
  const inflate = new Inflate({ raw });
  const chunks: Uint8Array[] = [];
  let length = 0;
  inflate.onData = (chunk) => {
    length += chunk.length;
    if (length > maxBytes) throw new OutputTooLarge("too large when decompressed");
    chunks.push(chunk);
  };
  inflate.onEnd = () => {};
  inflate.push(bytes, Z_SYNC_FLUSH);
  if (inflate.err) throw new DamagedStream(inflate.msg);
  return concat(chunks);
}
