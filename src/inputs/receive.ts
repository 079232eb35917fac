import type { Stored } from "../stored.ts";
import { tooLarge } from "./size.ts";
import { LARGE_BYTES, type Turn } from "./turn.ts";

/** How much is received, and where it goes. */
export interface Room {
  maxBytes: number;
  /** Up to this many bytes stay in memory. */
  inMemoryBytes: number;
  /** Begun before a large file is taken in. */
  turn: Turn;
  /** Where larger files go. */
  keep(pieces: AsyncIterable<Uint8Array>): Promise<Stored>;
  /** The same for a stream of the runtime's own that has to have `length` bytes: none of them passes through here. */
  keepWhole(stream: ReadableStream<Uint8Array>, length: number): Promise<Stored>;
}

/** A file that has arrived as a whole: its bytes, or where they are kept. It has to be released. */
export class Received {
  readonly content: Uint8Array | Stored;

  constructor(content: Uint8Array | Stored) {
    this.content = content;
  }

  /** Its first bytes, at most `length`. */
  async head(length: number): Promise<Uint8Array> {
    if (this.content instanceof Uint8Array) return this.content.subarray(0, length);
    return this.content.read(0, Math.min(length, this.content.length));
  }

  /** Ends its use: what was kept is deleted. Once is enough, and more does nothing. */
  async release(): Promise<void> {
    if (!(this.content instanceof Uint8Array)) await this.content.delete();
  }
}

/**
 * Receives a file. Its bytes are counted as they come; `expectedBytes` is what its sender announced, which may be a lie.
 * @throws Problem source_too_large, too_busy; and what `pieces` and `keep` throw
 */
export async function receive(
  pieces: AsyncIterable<Uint8Array>,
  { maxBytes, inMemoryBytes, turn, keep }: Room,
  expectedBytes = 0,
): Promise<Received> {
  if (expectedBytes > LARGE_BYTES) await turn.begin();
  let length = 0;
  const counted = (async function* () {
    for await (const piece of pieces) {
      length += piece.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      if (length > LARGE_BYTES) await turn.begin();
      yield piece;
    }
  })();

  try {
    const { bytes, isWhole } =
      expectedBytes > inMemoryBytes
        ? { bytes: new Uint8Array(), isWhole: false }
        : await fill(counted, inMemoryBytes, expectedBytes);
    if (isWhole) return new Received(bytes);
    return new Received(await keep(joined(bytes, counted)));
  } finally {
    await counted.return();
  }
}

/** The bytes up to the end, or up to the piece that goes past `most`: that one is the last taken. */
async function fill(
  pieces: AsyncGenerator<Uint8Array>,
  most: number,
  expected: number,
): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  let bytes = new Uint8Array(expected || 64 * 1024);
  let length = 0;
  for (;;) {
    const { done, value } = await pieces.next();
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
 * Receives a file of which so much is known: more than stays in memory.
 * @throws Problem too_busy; and what `stream` and `keepWhole` throw
 */
export async function receiveWhole(
  stream: ReadableStream<Uint8Array>,
  length: number,
  { turn, keepWhole }: Room,
): Promise<Received> {
  await turn.begin();
  return new Received(await keepWhole(stream, length));
}

async function* joined(first: Uint8Array, others: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* others;
}
