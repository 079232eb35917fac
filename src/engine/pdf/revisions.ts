/**
 * Revisions of the source that its cross-reference does not lead to (a later one was written without /Prev). A reader that
 * repairs a cut-off file would find their pages, so there must be none left in the output.
 */
import { concat } from "../bytes.ts";
import { type Boundaries, LIVE, PlanOutdated } from "./eraser.ts";
import { Malformed, startsWith } from "./lexer.ts";
import type { Objects } from "./objects.ts";
import { readStream } from "./streams.ts";

/** What every revision ends with (ISO 32000-2, 7.5.5). */
const END_OF_REVISION = "%%EOF";

/** Objects larger than this are looked through by their /Length rather than byte by byte: images, mostly. */
const LARGE = 64 * 1024;

/**
 * True where a revision ends within the bytes that are kept. For sources in memory. `streamEnds` tells of objects at these
 * offsets where their data end: what is before that need not be looked at.
 */
export function hasUnknownRevisions(
  objects: Objects,
  boundaries: Boundaries,
  streamEnds: ReadonlyMap<number, number>,
): boolean {
  const bytes = objects.source.bytes(0, objects.source.length);

  // The stretch of live objects that is yet to be searched.
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

/** By the byte under the end of the word being looked for: how far the word can be moved on (Horspool's search). */
const SKIP = new Uint8Array(256).fill(END_OF_REVISION.length);
for (let i = 0; i < END_OF_REVISION.length - 1; i++)
  SKIP[END_OF_REVISION.charCodeAt(i)] = END_OF_REVISION.length - 1 - i;

/** Whether a revision ends in these bytes. Several times faster than the runtime's own search for a text. */
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

/** Looks for the ends of revisions in what goes by. */
export class RevisionWatch {
  /** The end of what went by last. */
  #before: Uint8Array = new Uint8Array();

  /** Takes what comes next. @throws PlanOutdated where a revision ends in it */
  look(chunk: Uint8Array): void {
    const seam = concat([this.#before, chunk.subarray(0, END_OF_REVISION.length)]);
    if (hasEnd(seam) || hasEnd(chunk)) throw new PlanOutdated("an unknown revision");
    this.#before = chunk.slice(-END_OF_REVISION.length);
  }
}

/** Where the data of the stream object at `offset` end; `offset` itself where there is none. */
function endOfStream(objects: Objects, offset: number): number {
  try {
    return readStream(objects.source, offset, (length) => objects.streamLength(length)).end;
  } catch (error) {
    if (error instanceof Malformed) return offset;
    throw error;
  }
}
