import type { RangeReader } from "../engine/index.ts";
import { type MemoryShare, SPARE_BYTES } from "./memory.ts";
import type { Pace } from "./pace.ts";
import { ReceivedFile } from "./receivedFile.ts";
import { tooLarge } from "./size.ts";

/** What comes more slowly than within this time does not wait for its rest in memory, unless it is little. */
const IN_MEMORY_MS = 3000;
const LITTLE_BYTES = 64 * 1024;

/** How much is received of one file, and where it is stored. */
export interface ReceiveLimits {
  /** Of the request, which the file is for. */
  field: "file" | "image";
  maxBytes: number;
  /** A file of at most this many bytes stays in memory, if there is room. */
  inMemoryBytes: number;
  /** How slowly it may come from its URL. */
  pace: Pace;
  /** What the call may have in memory. */
  memory: MemoryShare;
  /** Told of all bytes that are taken in; what it throws ends that. */
  count(bytes: number): void;
  /**
   * Stores a file that does not stay in memory. The provider of this function must delete the file.
   * @param atMost how many bytes can come, if that is known
   */
  keep(chunks: AsyncIterable<Uint8Array>, atMost?: number): Promise<RangeReader>;
}

/**
 * Receives a file, whose bytes have been {@link counted}. It stays in memory, or goes to storage where it is too large or
 * too slow, or there is no room for it.
 * @param announced the size that the sender tells, which may be false
 * @param atMost how many bytes can come, if that is certain
 * @throws Problem source_too_large, image_too_large
 * @throws Error what `chunks` and `keep` throw
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
    return new ReceivedFile(await limits.keep(filled, atMost));
  } finally {
    await limited.return();
  }
}

/**
 * Reads into memory. Returns all bytes; or, as soon as there is no room for more or they take too long, chunks: all that
 * has been read, in one, and the others.
 * @param expected the number of bytes that has been announced
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
  /** Moves out of memory. */
  const leave = (next: Promise<IteratorResult<Uint8Array>>) => {
    next.catch(() => undefined); // awaited when it is asked for
    const [read, size] = [[bytes.subarray(0, length)], bytes.length];
    bytes = new Uint8Array();
    return continued(read, () => memory.give(size), next, chunks);
  };

  if (expected > inMemoryBytes || !grow(expected)) return chunks;
  const late = scheduler.wait(IN_MEMORY_MS);
  for (;;) {
    const next = chunks.next();
    const read = await (length > LITTLE_BYTES ? Promise.race([next, late]) : next);
    if (!read) return leave(next);
    if (read.done) return bytes.subarray(0, length);
    const needed = length + read.value.length;
    const roomy = Math.max(needed, Math.min(inMemoryBytes, Math.max(2 * bytes.length, LITTLE_BYTES)));
    if (needed > bytes.length && !grow(roomy) && !grow(needed)) return leave(next);
    bytes.set(read.value, length);
    length = needed;
  }
}

/** Yields what is in `read`, which is let go then, and what follows it. */
async function* continued(
  read: Uint8Array[],
  letGo: () => void,
  next: Promise<IteratorResult<Uint8Array>>,
  others: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield read.pop()!;
  letGo();
  const { done, value } = await next;
  if (done) return;
  yield* joined([value], others);
}

/**
 * Receives a file that is stored already: into memory if there is room, or else it is read where it is.
 * @throws Problem source_too_large, image_too_large
 */
export async function receiveStored(
  { file, sha256 }: { file: RangeReader; sha256: string },
  limits: ReceiveLimits,
): Promise<ReceivedFile> {
  const { length } = file;
  if (length > limits.maxBytes) throw tooLarge(limits);
  limits.count(length);
  const isRoom = length <= limits.inMemoryBytes && limits.memory.take(length, SPARE_BYTES);
  return new ReceivedFile(isRoom ? await file.read(0, length) : file, sha256);
}

/** Tells of the bytes of all chunks as they arrive, whatever becomes of them. */
export async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  count: ReceiveLimits["count"],
): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

/** Yields what is in `first`, each of which is let go then, and the others. */
export async function* joined(first: Uint8Array[], others: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  while (first.length > 0) yield first.shift()!;
  yield* others;
}
