import type { RangeReader } from "../engine/index.ts";
import { LARGE_BYTES, type LargeFileSlot } from "./largeFileSlot.ts";
import { tooLarge } from "./size.ts";

/** How much is received of one file, and where it is stored. */
export interface ReceiveLimits {
  maxBytes: number;
  /** A file of at most this many bytes stays in memory. */
  inMemoryBytes: number;
  /** Acquired for a file of more than `LARGE_BYTES`. */
  slot: LargeFileSlot;
  /** Told of all bytes that are taken in. */
  count(bytes: number): void;
  /** Stores a file that does not stay in memory. The provider of this function must delete the file. */
  keep(chunks: AsyncIterable<Uint8Array>): Promise<RangeReader>;
  /** Does the same for exactly `length` bytes. */
  keepWhole(chunks: AsyncIterable<Uint8Array>, length: number): Promise<RangeReader>;
}

/** A file that has been received completely. */
export class ReceivedFile {
  /** Its bytes, or a reader if it is stored elsewhere. */
  readonly content: Uint8Array | RangeReader;

  constructor(content: Uint8Array | RangeReader) {
    this.content = content;
  }

  /** Reads its first bytes, at most `length`. */
  async head(length: number): Promise<Uint8Array> {
    if (this.content instanceof Uint8Array) return this.content.subarray(0, length);
    return this.content.read(0, Math.min(length, this.content.length));
  }
}

/**
 * Receives a file, counting its bytes as they arrive.
 * @param expectedBytes the size that the sender announced, which may be false
 * @throws Problem source_too_large, too_busy
 * @throws Error what `chunks` and `keep` throw
 */
export async function receive(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, inMemoryBytes, slot, count, keep }: ReceiveLimits,
  expectedBytes = 0,
): Promise<ReceivedFile> {
  if (expectedBytes > LARGE_BYTES) await slot.acquire();
  let length = 0;
  const counted = (async function* () {
    for await (const chunk of chunks) {
      length += chunk.length;
      count(chunk.length);
      if (length > maxBytes) throw tooLarge(maxBytes);
      if (length > LARGE_BYTES) await slot.acquire();
      yield chunk;
    }
  })();

  try {
    const { bytes, isWhole } =
      expectedBytes > inMemoryBytes
        ? { bytes: new Uint8Array(), isWhole: false }
        : await fill(counted, inMemoryBytes, expectedBytes);
    if (isWhole) return new ReceivedFile(bytes);
    return new ReceivedFile(await keep(joined(bytes, counted)));
  } finally {
    await counted.return();
  }
}

/** Reads to the end, or up to and including the chunk that exceeds `most`. */
async function fill(
  chunks: AsyncGenerator<Uint8Array>,
  most: number,
  expected: number,
): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  let bytes = new Uint8Array(expected || 64 * 1024);
  let length = 0;
  for (;;) {
    const { done, value } = await chunks.next();
    if (done) return { bytes: bytes.subarray(0, length), isWhole: true };
    if (length + value.length > bytes.length) {
      const larger = new Uint8Array(Math.max(2 * bytes.length, length + value.length));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(value, length);
    length += value.length;
    if (length > most) return { bytes: bytes.subarray(0, length), isWhole: false };
  }
}

/**
 * Receives a file of known length that is too large to stay in memory.
 * @throws Problem too_busy
 * @throws Error what `chunks` and `keepWhole` throw
 */
export async function receiveWhole(
  chunks: AsyncIterable<Uint8Array>,
  length: number,
  { slot, count, keepWhole }: ReceiveLimits,
): Promise<ReceivedFile> {
  await slot.acquire();
  count(length);
  return new ReceivedFile(await keepWhole(chunks, length));
}

/** Yields `first`, then the others. */
export async function* joined(first: Uint8Array, others: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* others;
}
