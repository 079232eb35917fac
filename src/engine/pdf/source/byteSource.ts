import { Meter, runYielding } from "./meter.ts";

/**
 * The source of the PDF's bytes. The parsing core is synchronous. The core requests ranges of bytes, and the source
 * throws `MissingRange` if a range is not loaded. `retry` then fetches the range and repeats the step. The same code
 * therefore reads a file in memory and a stored file that is larger than memory.
 */
export type ByteSource = InMemory | OutOfMemory;

interface Readable {
  readonly length: number;
  /** Counts the work for the file. */
  readonly meter: Meter;
  /**
   * Returns the bytes [start, end) as a view that is valid until the next call.
   * @throws MissingRange if the bytes are not loaded
   */
  bytes(start: number, end: number): Uint8Array;
  /**
   * Fetches the range of a MissingRange. In parallel, fetches some of the blocks at the offsets in `upcoming`, because
   * later steps will need these blocks.
   */
  load(start: number, end: number, upcoming?: readonly number[]): Promise<void>;
}

/**
 * A source whose bytes are all in memory. All checks of this kind of source are made during planning. For other
 * sources, some checks are postponed.
 */
interface InMemory extends Readable {
  readonly inMemory: true;
}

/** A source whose ranges must be fetched. */
interface OutOfMemory extends Readable {
  readonly inMemory: false;
  /** Progress of searches. A repeated step continues its search from the stored offset. */
  readonly searches: Searches;
  /**
   * Streams the bytes [start, end) in order, without the cache. The method is meant for copying the file from beginning
   * to end. Each piece is valid until the next piece is requested.
   */
  stream(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Reads ranges of a file that is not in memory. The engine never requests bytes past the end. */
export interface RangeReader {
  readonly length: number;
  /** Reads exactly the bytes [start, end). */
  read(start: number, end: number): Promise<Uint8Array>;
  /** Streams the bytes [start, end) in order. Each piece must stay valid until the next piece is requested. */
  stream(start: number, end: number): AsyncIterable<Uint8Array>;
}

/**
 * Thrown when a step needs a range that must be fetched first. The class is not an Error, because creating stack traces
 * would cost time: an instance is thrown and caught for each of thousands of pages.
 */
export class MissingRange {
  readonly start: number;
  readonly end: number;

  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }
}

/** Maximum number of searches that are remembered. No step makes more searches. */
const MAX_SEARCHES = 16;

/** Remembers the progress of searches, so that a repeated step does not search the same bytes again. */
class Searches {
  readonly #progress = new Map<string, number>();

  /** Returns the offset up to which a search has found nothing so far. */
  progressOf(search: string): number | undefined {
    return this.#progress.get(search);
  }

  /** Records that a search has found nothing before the offset `at`. */
  remember(search: string, at: number): void {
    if (this.#progress.size === MAX_SEARCHES && !this.#progress.has(search))
      this.#progress.delete(this.#progress.keys().next().value!);
    this.#progress.set(search, at);
  }
}

/**
 * Repeats a synchronous step until it succeeds, and fetches each range that the step needs. The step must be safe to
 * repeat.
 * @param upcoming returns the file offsets that later steps will need, so that their blocks are fetched in the same
 * round trip
 */
export async function retry<T>(source: ByteSource, step: () => T, upcoming?: () => readonly number[]): Promise<T> {
  for (;;) {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof MissingRange)) throw error;
      await source.load(error.start, error.end, upcoming?.());
    }
  }
}

/**
 * Repeats `walk.step` until the method returns false. Fetches missing ranges as {@link retry} does, and yields to the
 * event loop between time slices.
 */
export async function retryAll(
  source: ByteSource,
  walk: { step(): boolean; upcoming?(): readonly number[] },
): Promise<void> {
  await runYielding(
    source.meter,
    () => walk.step(),
    (slice) => retry(source, slice, () => walk.upcoming?.() ?? []),
  );
}

/** A file that is entirely in memory. */
export class MemorySource implements InMemory {
  readonly inMemory = true;
  readonly length: number;
  readonly meter: Meter;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.length = bytes.length;
    this.meter = new Meter(bytes.length);
  }

  bytes(start: number, end: number): Uint8Array {
    return this.#bytes.subarray(start, end);
  }

  async load(): Promise<void> {}
}

const BLOCK_BYTES = 64 * 1024;
const CACHED_BLOCKS = 64;
/** Maximum number of blocks in one sequential read-ahead. */
const MAX_READ_AHEAD = 32;
/** Number of parallel reads at which prefetching stops. A Worker may open six connections. */
const MAX_PARALLEL_READS = 6;
/** Number of skipped blocks below which a read counts as sequential. */
const SEQUENTIAL_STRIDE = 4;

/**
 * A file whose ranges are fetched on demand in blocks of 64 KiB. If reads are sequential, a fetch covers several
 * blocks. An LRU cache contains at most `CACHED_BLOCKS` blocks.
 */
export class RangeSource implements OutOfMemory {
  readonly inMemory = false;
  readonly length: number;
  readonly meter: Meter;
  readonly searches = new Searches();
  readonly #reader: RangeReader;
  /** LRU cache of blocks by block number, least recently used first. A Map iterates in insertion order. */
  readonly #blocks = new Map<number, Uint8Array>();
  /** Number of the block after the last fetched block. */
  #lastEnd = -1;
  /** Number of blocks that a fetch may cover. Doubles while fetches are sequential. */
  #readAhead = 1;

  constructor(reader: RangeReader) {
    this.length = reader.length;
    this.meter = new Meter(reader.length);
    this.#reader = reader;
  }

  bytes(start: number, end: number): Uint8Array {
    const first = Math.floor(start / BLOCK_BYTES);
    const last = Math.max(first, Math.ceil(end / BLOCK_BYTES) - 1);
    for (let block = first; block <= last; block++) {
      if (!this.#blocks.has(block)) throw new MissingRange(start, end);
    }

    if (first === last) return this.#use(first).subarray(start - first * BLOCK_BYTES, end - first * BLOCK_BYTES);

    const joined = new Uint8Array(end - start);
    for (let block = first; block <= last; block++) {
      const at = block * BLOCK_BYTES;
      const part = this.#use(block).subarray(Math.max(0, start - at), Math.min(BLOCK_BYTES, end - at));
      joined.set(part, Math.max(at, start) - start);
    }
    return joined;
  }

  async load(start: number, end: number, upcoming: readonly number[] = []): Promise<void> {
    const first = Math.floor(start / BLOCK_BYTES);
    const required = Math.max(first + 1, Math.ceil(end / BLOCK_BYTES));
    let missing = first;
    while (missing < required && this.#blocks.has(missing)) missing++;
    const isSequential = missing >= this.#lastEnd && missing - this.#lastEnd < SEQUENTIAL_STRIDE;
    this.#readAhead = isSequential ? Math.min(2 * this.#readAhead, MAX_READ_AHEAD) : 1;
    const last = Math.max(required, Math.min(missing + this.#readAhead, Math.ceil(this.length / BLOCK_BYTES)));
    this.#lastEnd = last;

    for (let block = first; block < last; block++) if (this.#blocks.has(block)) this.#use(block);
    const reads: Promise<void>[] = [];
    for (let block = missing; block < last; block++) {
      if (this.#blocks.has(block)) continue;
      let next = block + 1;
      while (next < last && !this.#blocks.has(next)) next++;
      reads.push(this.#fetch(block, next));
      block = next - 1;
    }
    // If the cross-reference is damaged, its offsets may lie past the end of the file.
    const others = new Set(
      upcoming.filter((offset) => offset < this.length).map((offset) => Math.floor(offset / BLOCK_BYTES)),
    );
    for (const block of others) {
      if (reads.length >= MAX_PARALLEL_READS) break;
      const isNear = block >= first && block < last + SEQUENTIAL_STRIDE; // The read-ahead will fetch near blocks anyway.
      if (!isNear && !this.#blocks.has(block)) reads.push(this.#fetch(block, block + 1));
    }
    await Promise.all(reads);
    // If a request is larger than the cache, all blocks of the request must stay in memory.
    const capacity = Math.max(CACHED_BLOCKS, last - first);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= capacity) break;
      this.#blocks.delete(oldest);
    }
  }

  /** Fetches the blocks [first, end) as one range. */
  async #fetch(first: number, end: number): Promise<void> {
    const [from, to] = [first * BLOCK_BYTES, Math.min(end * BLOCK_BYTES, this.length)];
    const bytes = await this.#reader.read(from, to);
    if (bytes.length !== to - from) throw new Error(`requested bytes ${from}-${to}, received ${bytes.length}`);
    // Each block is copied, because a view of the block would retain the memory of the whole fetched range.
    for (let block = first; block < end; block++)
      this.#blocks.set(block, bytes.slice((block - first) * BLOCK_BYTES, (block - first + 1) * BLOCK_BYTES));
  }

  stream(start: number, end: number): AsyncIterable<Uint8Array> {
    return this.#reader.stream(start, end);
  }

  #use(block: number): Uint8Array {
    const bytes = this.#blocks.get(block);
    if (!bytes) throw new MissingRange(block * BLOCK_BYTES, Math.min((block + 1) * BLOCK_BYTES, this.length));
    this.#blocks.delete(block);
    this.#blocks.set(block, bytes);
    return bytes;
  }
}
