import { Meter, runYielding } from "./meter.ts";

/**
 * Where the engine reads its bytes from. The parsing core is synchronous: it asks for ranges and throws `MissingRange`
 * if one is not loaded; `retry` fetches it and runs the step again. So the same code reads a file in memory and a
 * stored object that is larger than memory.
 */
export type ByteSource = InMemory | OutOfMemory;

interface Readable {
  readonly length: number;
  /** Counts the work that these bytes cause. */
  readonly meter: Meter;
  /**
   * Returns the bytes [start, end) as a view that is valid until the next call.
   * @throws MissingRange if they are not loaded
   */
  bytes(start: number, end: number): Uint8Array;
  /**
   * Fetches the range that a MissingRange names and, at the same time, some of the blocks at the offsets `soonAt`,
   * which will be needed soon.
   */
  load(start: number, end: number, soonAt?: readonly number[]): Promise<void>;
}

/** A source whose bytes are all available for free: the planner makes checks at once that it would otherwise defer. */
interface InMemory extends Readable {
  readonly inMemory: true;
}

/** A source whose ranges have to be fetched. */
interface OutOfMemory extends Readable {
  readonly inMemory: false;
  /**
   * Returns the bytes [start, end) in order, bypassing the cache, to copy the file from end to end. Each piece is valid
   * until the next is requested.
   */
  stream(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Reads ranges of a file that is not in memory. The engine never asks for bytes past its end. */
export interface RangeReader {
  readonly length: number;
  /** Reads exactly the bytes [start, end). */
  read(start: number, end: number): Promise<Uint8Array>;
  /** Reads the bytes [start, end) in order, in pieces that need to stay valid only until the next is requested. */
  stream(start: number, end: number): AsyncIterable<Uint8Array>;
}

/**
 * Thrown when a step needs a range that has to be fetched first. No Error: it is thrown for each of thousands of pages, and
 * always caught, so nobody needs the stack that an Error takes its time to look at.
 */
export class MissingRange {
  readonly start: number;
  readonly end: number;

  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }
}

/**
 * Runs a synchronous step, fetching the ranges it misses, until it succeeds. Steps must be safe to repeat.
 * @param soonAt returns the file offsets that will be needed soon, to fetch them along
 */
export async function retry<T>(source: ByteSource, step: () => T, soonAt?: () => readonly number[]): Promise<T> {
  for (;;) {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof MissingRange)) throw error;
      await source.load(error.start, error.end, soonAt?.());
    }
  }
}

/** Repeats `walk.step` until it returns false. Each step runs as {@link retry} does; the loop yields to the event loop. */
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

const BLOCK = 64 * 1024;
const CACHED_BLOCKS = 64;
/** Most blocks fetched at once while the file is read front to back. */
const MOST_AHEAD = 32;
/** Parallel reads beyond which nothing is prefetched: a Worker has six connections. */
const MOST_READS = 6;
/** A read that skips fewer blocks than this still counts as sequential. */
const STRIDE = 4;

/**
 * A file whose ranges are fetched on demand in blocks of 64 KiB, several at once while it is read in order. The 64 most
 * recently used blocks are kept.
 */
export class RangeSource implements OutOfMemory {
  readonly inMemory = false;
  readonly length: number;
  readonly meter: Meter;
  readonly #reader: RangeReader;
  /** Least recently used first (a Map keeps insertion order). */
  readonly #blocks = new Map<number, Uint8Array>();
  /**
   * Block at which the last fetch ended, and how many blocks it was allowed to read ahead: doubled while fetches are
   * sequential.
   */
  #reached = -1;
  #ahead = 1;

  constructor(reader: RangeReader) {
    this.length = reader.length;
    this.meter = new Meter(reader.length);
    this.#reader = reader;
  }

  bytes(start: number, end: number): Uint8Array {
    const first = Math.floor(start / BLOCK);
    const last = Math.max(first, Math.ceil(end / BLOCK) - 1);
    for (let block = first; block <= last; block++) {
      if (!this.#blocks.has(block)) throw new MissingRange(start, end);
    }

    if (first === last) return this.#use(first).subarray(start - first * BLOCK, end - first * BLOCK);

    const joined = new Uint8Array(end - start);
    for (let block = first; block <= last; block++) {
      const at = block * BLOCK;
      const part = this.#use(block).subarray(Math.max(0, start - at), Math.min(BLOCK, end - at));
      joined.set(part, Math.max(at, start) - start);
    }
    return joined;
  }

  async load(start: number, end: number, soonAt: readonly number[] = []): Promise<void> {
    const first = Math.floor(start / BLOCK);
    const wanted = Math.max(first + 1, Math.ceil(end / BLOCK));
    let missing = first;
    while (missing < wanted && this.#blocks.has(missing)) missing++;
    const goesOn = missing >= this.#reached && missing - this.#reached < STRIDE;
    this.#ahead = goesOn ? Math.min(2 * this.#ahead, MOST_AHEAD) : 1;
    const last = Math.max(wanted, Math.min(missing + this.#ahead, Math.ceil(this.length / BLOCK)));
    this.#reached = last;

    for (let block = first; block < last; block++) if (this.#blocks.has(block)) this.#use(block);
    const reads: Promise<void>[] = [];
    for (let block = missing; block < last; block++) {
      if (this.#blocks.has(block)) continue;
      let next = block + 1;
      while (next < last && !this.#blocks.has(next)) next++;
      reads.push(this.#fetch(block, next));
      block = next - 1;
    }
    // A damaged cross-reference may have offsets behind the end.
    const others = new Set(soonAt.filter((offset) => offset < this.length).map((offset) => Math.floor(offset / BLOCK)));
    for (const block of others) {
      if (reads.length >= MOST_READS) break;
      const isNear = block >= first && block < last + STRIDE; // the read-ahead will fetch it
      if (!isNear && !this.#blocks.has(block)) reads.push(this.#fetch(block, block + 1));
    }
    await Promise.all(reads);
    // A request larger than the cache keeps all of its blocks.
    const keep = Math.max(CACHED_BLOCKS, last - first);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= keep) break;
      this.#blocks.delete(oldest);
    }
  }

  /** Fetches the blocks [first, end) as one range. */
  async #fetch(first: number, end: number): Promise<void> {
    const [from, to] = [first * BLOCK, Math.min(end * BLOCK, this.length)];
    const bytes = await this.#reader.read(from, to);
    if (bytes.length !== to - from) throw new Error(`asked for bytes ${from}-${to}, got ${bytes.length}`);
    // Copied, so that one block in use does not keep the whole fetched range alive.
    for (let block = first; block < end; block++)
      this.#blocks.set(block, bytes.slice((block - first) * BLOCK, (block - first + 1) * BLOCK));
  }

  stream(start: number, end: number): AsyncIterable<Uint8Array> {
    return this.#reader.stream(start, end);
  }

  #use(block: number): Uint8Array {
    const bytes = this.#blocks.get(block);
    if (!bytes) throw new MissingRange(block * BLOCK, Math.min((block + 1) * BLOCK, this.length));
    this.#blocks.delete(block);
    this.#blocks.set(block, bytes);
    return bytes;
  }
}
