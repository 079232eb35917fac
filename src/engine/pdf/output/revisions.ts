/**
 * Searches what is kept of the source for signs of pages without a mark: of revisions that the cross-reference does not
 * lead to (a later one was written without /Prev), and of pages that the page tree does not lead to. A reader that
 * repairs a truncated file would find them, so the output must not contain any.
 */
import { indexOf } from "#platform/search";
import { concat } from "../../bytes.ts";
import type { Objects } from "../objects/objects.ts";
import { readStream } from "../objects/streams.ts";
import { isRegular, isWhite, Malformed, startsWith } from "../syntax/lexer.ts";
import { type Boundaries, LIVE, PlanOutdated } from "./eraser.ts";

/** The end of every revision (ISO 32000-2, 7.5.5). */
const END_OF_REVISION = "%%EOF";
/** The type of every page, behind /Type. A name may be written otherwise, with escapes: such pages are not found. */
const PAGE = "/Page";
/** Length of both. */
const LENGTH = 5;

/** Objects larger than this, mostly images, are skipped by their /Length instead of searched byte by byte. */
const LARGE = 64 * 1024;

/**
 * Returns the offsets of live objects in or behind which there is such a sign. For sources in memory.
 * @param streamEnds for stream objects by offset, where their data end: bytes before that are not searched
 */
export function findSuspects(
  objects: Objects,
  boundaries: Boundaries,
  streamEnds: ReadonlyMap<number, number>,
): Set<number> {
  const bytes = objects.source.bytes(0, objects.source.length);
  const suspects = new Set<number>();
  const search = (from: number, to: number) => {
    for (let at = findSign(bytes, from, to); at >= 0; at = findSign(bytes, at + 1, to))
      suspects.add(liveObjectAt(boundaries, at));
  };

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
      search(start, end);
      start = from;
    }
    end = next;
  }
  search(start, end);
  return suspects;
}

/** Returns whether a text has the sign of a page in it. */
export function mentionsPage(text: Uint8Array): boolean {
  for (let at = findSign(text, 0, text.length); at >= 0; at = findSign(text, at + 1, text.length))
    if (startsWith(text, at, PAGE)) return true;
  return false;
}

/** Returns the offset of the last live object that begins at `at` or before. */
function liveObjectAt(boundaries: Boundaries, at: number): number {
  let [low, high] = [0, boundaries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boundaries[middle]! < (at + 1) * 4) low = middle + 1;
    else high = middle;
  }
  let last = low - 1;
  while (boundaries[last]! % 4 !== LIVE) last--;
  return boundaries[last]! / 4;
}

/** Horspool's search for both: how far they can be moved on, by the byte under their last character; 0 if it is that. */
const SKIP = new Uint8Array(256).fill(LENGTH);
for (const word of [END_OF_REVISION, PAGE])
  for (let i = 0; i < LENGTH; i++) SKIP[word.charCodeAt(i)] = Math.min(SKIP[word.charCodeAt(i)]!, LENGTH - 1 - i);

/** Returns the next sign in [start, end), or -1. */
function findSign(bytes: Uint8Array, start: number, end: number): number {
  for (let last = start + LENGTH - 1; last < end; ) {
    const skip = SKIP[bytes[last]!]!;
    if (skip > 0) {
      last += skip;
      continue;
    }
    const at = last - LENGTH + 1;
    if (startsWith(bytes, at, END_OF_REVISION) || (startsWith(bytes, at, PAGE) && isType(bytes, at))) return at;
    last += LENGTH;
  }
  return -1;
}

/** Returns whether there is a sign in many bytes. Most have neither of the words, which the runtime finds out much faster. */
function hasSign(bytes: Uint8Array): boolean {
  const isWorthIt = indexOf(bytes, END_OF_REVISION) >= 0 || indexOf(bytes, PAGE) >= 0;
  return isWorthIt && findSign(bytes, 0, bytes.length) >= 0;
}

/** Returns whether the name at `at` ends there and follows /Type. */
function isType(bytes: Uint8Array, at: number): boolean {
  if (at + LENGTH === bytes.length || isRegular(bytes[at + LENGTH])) return false;
  while (isWhite(bytes[at - 1])) at--;
  return startsWith(bytes, at - LENGTH, "/Type");
}

/** Bytes around the seam between two chunks that are searched together: a sign, and the white space in it. */
const SEAM = 64;

/** Looks for signs in the chunks that are copied. */
export class RevisionWatch {
  /** The end of the previous chunk. */
  #before: Uint8Array = new Uint8Array();

  /**
   * Searches the next chunk.
   * @throws PlanOutdated if there is a sign in it
   */
  look(chunk: Uint8Array): void {
    const seam = concat([this.#before, chunk.subarray(0, SEAM)]);
    if (findSign(seam, 0, seam.length) >= 0 || hasSign(chunk)) throw new PlanOutdated("an unknown revision or page");
    this.#before = chunk.slice(-SEAM);
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
