/**
 * Detects revisions of the source that its cross-reference does not lead to (a later one was written without /Prev). A
 * reader that repairs a truncated file would find their pages, so the output must not contain any.
 */
import { concat } from "../bytes.ts";
import { type Boundaries, LIVE, PlanOutdated } from "./eraser.ts";
import { Malformed, startsWith } from "./lexer.ts";
import type { Objects } from "./objects.ts";
import { readStream } from "./streams.ts";

/** The end of every revision (ISO 32000-2, 7.5.5). */
const END_OF_REVISION = "%%EOF";

/** Objects larger than this, mostly images, are skipped by their /Length instead of searched byte by byte. */
const LARGE = 64 * 1024;

/**
 * Returns whether a revision ends within the bytes that are kept. For sources in memory.
 * @param streamEnds for stream objects by offset, where their data end: bytes before that are not searched
 */
export function hasUnknownRevisions(
  objects: Objects,
  boundaries: Boundaries,
  streamEnds: ReadonlyMap<number, number>,
): boolean {
  const bytes = objects.source.bytes(0, objects.source.length);

  // The range of live objects that has not been searched yet.
  let start = 0;
  let end = 0;
  for (let i = 0; i < boundaries.length; i++) {
    if (boundaries[i]! % 4 !== LIVE) continue;
    const offset = boundaries[i]! / 4;
    while (i + 1 < boundaries.length && boundaries[i + 1]! < (offset + 1) * 4) i++;
    const next = i + 1 < boundaries.length ? Math.floor(boundaries[i + 1]! / 4) : bytes.length;
    const from = streamEnds.get(offset) ?? (next - offset > LARGE ? endOfStream(objects, offset) : offset);
    if (from !== end) {
      if (endsRevision(bytes, start, end)) return true;
      start = from;
    }
    end = next;
  }
  return endsRevision(bytes, start, end);
}

function endsRevision(bytes: Uint8Array, start: number, end: number): boolean {
  return hasEnd(bytes.subarray(start, end));
}

/** Horspool's search: how far the word can be moved on, by the byte under its last character. */
const SKIP = new Uint8Array(256).fill(END_OF_REVISION.length);
for (let i = 0; i < END_OF_REVISION.length - 1; i++)
  SKIP[END_OF_REVISION.charCodeAt(i)] = END_OF_REVISION.length - 1 - i;

/** Returns whether a revision ends in these bytes. Several times faster than the runtime's own text search. */
function hasEnd(bytes: Uint8Array): boolean {
  const before = END_OF_REVISION.length - 1;
  const final = END_OF_REVISION.charCodeAt(before);
  for (let last = before; last < bytes.length; ) {
    const byte = bytes[last]!;
    if (byte === final && startsWith(bytes, last - before, END_OF_REVISION)) return true;
    last += SKIP[byte]!;
  }
  return false;
}

/** Looks for ends of revisions in the chunks that are copied. */
export class RevisionWatch {
  /** The end of the previous chunk. */
  #before: Uint8Array = new Uint8Array();

  /**
   * Searches the next chunk.
   * @throws PlanOutdated if a revision ends in it
   */
  look(chunk: Uint8Array): void {
    const seam = concat([this.#before, chunk.subarray(0, END_OF_REVISION.length)]);
    if (hasEnd(seam) || hasEnd(chunk)) throw new PlanOutdated("an unknown revision");
    this.#before = chunk.slice(-END_OF_REVISION.length);
  }
}

/** Returns where the data of the stream object at `offset` end; `offset` itself if there is no stream. */
function endOfStream(objects: Objects, offset: number): number {
  try {
    return readStream(objects.source, offset, (length) => objects.streamLength(length)).end;
  } catch (error) {
    if (error instanceof Malformed) return offset;
    throw error;
  }
}
