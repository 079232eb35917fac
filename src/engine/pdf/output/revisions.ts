/**
 * Searches the retained bytes for signs of unmarked pages. An unmarked page is not listed in the page tree, or belongs
 * to a revision that the cross-reference does not reach. A revision is not reached if a later revision has no /Prev.
 * The output must not contain unmarked pages, because a reader that repairs a truncated file would find them.
 */
import { indexOf } from "#platform/search";
import { concat } from "../../bytes.ts";
import type { Objects } from "../objects/objects.ts";
import { readStream } from "../objects/streams.ts";
import { isRegular, isWhite, startsWith, unlessMalformed } from "../syntax/lexer.ts";
import type { Boundaries } from "./boundaries.ts";
import { PlanOutdated } from "./eraser.ts";

/** Keyword at the end of every revision (ISO 32000-2, 7.5.5). */
const END_OF_REVISION = "%%EOF";
/** Value of /Type in every page. The search does not find a page whose /Type is written with escapes. */
const PAGE = "/Page";
const TYPE = "/Type";

/**
 * Size in bytes above which an object is not searched but skipped with the help of its /Length. Most of these objects
 * are images.
 */
const LARGE = 64 * 1024;

/**
 * Returns the offsets of the live objects that contain, or are followed by, a sign of unmarked pages. The source must be
 * in memory.
 * @param streamEnds end offset of each stream's data; the key is the offset of the stream's object. Stream data are not
 * searched
 */
export function findSuspects(
  objects: Objects,
  boundaries: Boundaries,
  streamEnds: ReadonlyMap<number, number>,
): Set<number> {
  const bytes = objects.source.bytes(0, objects.source.length);
  const suspects = new Set<number>();
  const search = (from: number, to: number) => {
    for (const find of [findEndOfRevision, findPage])
      for (let at = find(bytes, from, to); at >= 0; at = find(bytes, at + 1, to))
        suspects.add(liveObjectAt(boundaries, at));
  };

  // The range of live objects that has not been searched yet.
  let start = 0;
  let end = 0;
  for (let i = 0; i < boundaries.length; i++) {
    if (!boundaries.isLive(i)) continue;
    const offset = boundaries.offsetAt(i);
    while (i + 1 < boundaries.length && boundaries.offsetAt(i + 1) === offset) i++;
    const next = i + 1 < boundaries.length ? boundaries.offsetAt(i + 1) : bytes.length;
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

/** Returns whether a text contains /Type /Page. */
export function mentionsPage(text: Uint8Array): boolean {
  return findPage(text, 0, text.length) >= 0;
}

/** Returns the offset of the last live object that begins at or before `at`. */
function liveObjectAt(boundaries: Boundaries, at: number): number {
  let [low, high] = [0, boundaries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boundaries.offsetAt(middle) <= at) low = middle + 1;
    else high = middle;
  }
  let last = low - 1;
  while (!boundaries.isLive(last)) last--;
  return boundaries.offsetAt(last);
}

/** Returns the offset of the next `%%EOF` in [start, end). Returns -1 if the keyword does not occur. */
function findEndOfRevision(bytes: Uint8Array, start: number, end: number): number {
  return indexOf(bytes, END_OF_REVISION, start, end);
}

/** Returns the offset of the next /Page in [start, end) that follows a /Type. Returns -1 if the name does not occur. */
function findPage(bytes: Uint8Array, start: number, end: number): number {
  let at = indexOf(bytes, PAGE, start, end);
  while (at >= 0 && !isType(bytes, at)) at = indexOf(bytes, PAGE, at + 1, end);
  return at;
}

/** Returns whether `bytes` contain the end of a revision or the type of a page. */
function hasSign(bytes: Uint8Array): boolean {
  return findEndOfRevision(bytes, 0, bytes.length) >= 0 || findPage(bytes, 0, bytes.length) >= 0;
}

/** Returns whether the name /Page at `at` is complete and follows /Type. */
function isType(bytes: Uint8Array, at: number): boolean {
  const end = at + PAGE.length;
  if (end === bytes.length || isRegular(bytes[end])) return false;
  while (isWhite(bytes[at - 1])) at--;
  return startsWith(bytes, at - TYPE.length, TYPE);
}

/**
 * Number of bytes before and after the seam between two chunks that are searched together. Every sign of unmarked pages
 * is shorter, even with white space in it.
 */
const SEAM = 64;

/** Searches the copied chunks for signs of unmarked pages. */
export class RevisionWatch {
  /** Last bytes of the previous chunk. */
  #before: Uint8Array = new Uint8Array();

  /**
   * Searches the next chunk.
   * @throws PlanOutdated if the chunk contains a sign of unmarked pages
   */
  inspect(chunk: Uint8Array): void {
    const seam = concat([this.#before, chunk.subarray(0, SEAM)]);
    if (hasSign(seam) || hasSign(chunk)) throw new PlanOutdated("an unknown revision or page");
    this.#before = chunk.slice(-SEAM);
  }
}

/** Returns the end of the data of the stream object at `offset`, or `offset` if no stream begins there. */
function endOfStream(objects: Objects, offset: number): number {
  return unlessMalformed(
    () => readStream(objects.source, offset, (length) => objects.streamLength(length)).end,
    offset,
  );
}
