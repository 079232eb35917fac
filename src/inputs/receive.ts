import type { RangeReader } from "../engine/index.ts";
import { type MemoryShare, SPARE_BYTES } from "./memory.ts";
import type { Pace } from "./pace.ts";
import { ReceivedFile } from "./receivedFile.ts";
import { tooLarge } from "./size.ts";

/**
 * Time in milliseconds after which a file of more than `SMALL_BYTES` is spilled to storage. Slow senders therefore hold
 * little memory.
 */
const MAX_IN_MEMORY_MS = 3000;
const SMALL_BYTES = 64 * 1024;

/** The limits for one received file, and the functions that count and store it. */
export interface ReceiveLimits {
  /** The request field that contains the file. */
  field: "file" | "image";
  maxBytes: number;
  /** Size of the largest file that stays in memory, in bytes. A smaller file is also spilled if the pool is full. */
  inMemoryBytes: number;
  /** Minimum speed of a file that the service fetches from a URL. */
  pace: Pace;
  /** The call's share of memory. */
  memory: MemoryShare;
  /** Counts the bytes of each received chunk. An error thrown by this function ends the transfer. */
  count(bytes: number): void;
  /**
   * Stores a file that does not stay in memory. The implementation must delete the file after the call.
   * @param atMost upper bound of the file's size in bytes, if known
   */
  store(chunks: AsyncIterable<Uint8Array>, atMost?: number): Promise<RangeReader>;
}

/**
 * Receives a file whose chunks have passed through {@link counted}. Keeps the file in memory if possible. Passes the
 * file to `limits.store` if the file is too large for memory or arrives too slowly, or if memory is short.
 * @param announced size in bytes that the sender declares; may be wrong
 * @param atMost upper bound of the size in bytes, if certain
 * @throws Problem source_too_large, image_too_large
 * @throws Error any error of `chunks` or `limits.store`
 */
export async function receive(
  chunks: AsyncIterable<Uint8Array>,
  limits: ReceiveLimits,
  announced = 0,
  atMost?: number,
): Promise<ReceivedFile> {
  let length = 0;
  const limited = (async function* () {
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length > limits.maxBytes) throw tooLarge(limits);
      yield chunk;
    }
  })();

  try {
    const filled = await fillMemory(limited, limits, announced);
    if (filled instanceof Uint8Array) return new ReceivedFile(filled);
    return new ReceivedFile(await limits.store(filled, atMost));
  } finally {
    await limited.return();
  }
}

/**
 * Reads a file into memory and returns all bytes. If memory runs out or the file arrives too slowly, returns the file
 * as chunks instead. The first chunk then contains the bytes that were already read.
 * @param expected the announced number of bytes
 */
async function fillMemory(
  chunks: AsyncGenerator<Uint8Array>,
  { inMemoryBytes, memory }: ReceiveLimits,
  expected: number,
): Promise<Uint8Array | AsyncIterable<Uint8Array>> {
  let bytes = new Uint8Array();
  let length = 0;
  const grow = (size: number) => {
    if (size > inMemoryBytes || !memory.take(size - bytes.length, SPARE_BYTES)) return false;
    const larger = new Uint8Array(size);
    larger.set(bytes.subarray(0, length));
    bytes = larger;
    return true;
  };
  /**
   * Returns the file as chunks. The first chunk contains all bytes read so far. The memory of this chunk is freed once
   * it has been consumed.
   */
  const spill = (next: Promise<IteratorResult<Uint8Array>>) => {
    next.catch(() => undefined); // prevents an unhandled rejection until `continued` awaits this read
    const [read, size] = [[bytes.subarray(0, length)], bytes.length];
    bytes = new Uint8Array();
    return continued(read, () => memory.free(size), next, chunks);
  };

  if (expected > inMemoryBytes || !grow(expected)) return chunks;
  const late = scheduler.wait(MAX_IN_MEMORY_MS);
  for (;;) {
    const next = chunks.next();
    const read = await (length > SMALL_BYTES ? Promise.race([next, late]) : next);
    if (!read) return spill(next);
    if (read.done) return bytes.subarray(0, length);
    const needed = length + read.value.length;
    const roomy = Math.max(needed, Math.min(inMemoryBytes, Math.max(2 * bytes.length, SMALL_BYTES)));
    if (needed > bytes.length && !grow(roomy) && !grow(needed)) return spill(next);
    bytes.set(read.value, length);
    length = needed;
  }
}

/** Yields the only element of `read`, calls `release` to free it, and then yields the rest. */
async function* continued(
  read: Uint8Array[],
  release: () => void,
  next: Promise<IteratorResult<Uint8Array>>,
  others: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield read.pop()!;
  release();
  const { done, value } = await next;
  if (done) return;
  yield* joined([value], others);
}

/**
 * Receives a file that is already stored. Reads the file into memory if there is room, and leaves it in storage
 * otherwise.
 * @throws Problem source_too_large, image_too_large
 */
export async function receiveStored(
  { file, sha256, name }: { file: RangeReader; sha256: string; name?: string | undefined },
  limits: ReceiveLimits,
): Promise<ReceivedFile> {
  const { length } = file;
  if (length > limits.maxBytes) throw tooLarge(limits);
  limits.count(length);
  const isRoom = length <= limits.inMemoryBytes && limits.memory.take(length, SPARE_BYTES);
  return new ReceivedFile(isRoom ? await file.read(0, length) : file, sha256, name);
}

/** Passes chunks on and calls `count` with the length of each. */
export async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  count: ReceiveLimits["count"],
): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

/**
 * Yields the elements of `first`, and then the elements of `others`. Removes each element from `first` so that its
 * memory can be freed.
 */
export async function* joined(first: Uint8Array[], others: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  while (first.length > 0) yield first.shift()!;
  yield* others;
}
