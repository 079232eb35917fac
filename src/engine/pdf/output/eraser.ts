/**
 * Decides which bytes of the source are erased from the output. Every offset in any cross-reference section is a
 * boundary; the bytes from one boundary to the next belong to a live object and stay, or to something dead and become
 * line feeds. The bytes in between are not parsed.
 */

import { IN_FILE, type XrefTable } from "../objects/xrefTable.ts";
import { headerAt, LONGEST_HEADER } from "../syntax/lexer.ts";
import type { Xref } from "../xref/xref.ts";

/**
 * Thrown when the bytes being copied contradict an assumption of the plan. Open the document again with `thorough`,
 * which assumes nothing, and plan again.
 */
export class PlanOutdated extends Error {
  override name = "PlanOutdated";
}

export const LIVE = 0;
/** A cross-reference section, a trailer or a startxref. */
export const SECTION = 1;
/** An object whose live body is written elsewhere or dropped. */
export const GONE = 2;
/** What an older section says is an object. */
const STALE = 3;

/** Bytes around each chunk that the eraser may look at. */
export const CONTEXT = LONGEST_HEADER;

/** The boundaries in ascending order: four times the offset, plus LIVE, SECTION, GONE or STALE for what begins there. */
export type Boundaries = Float64Array;

/**
 * Collects the boundaries of the source.
 * @param length of the source in bytes
 * @param gone object numbers whose live body is written elsewhere or dropped
 * @param header offset where the file header ends
 */
export function collectBoundaries(
  { table, origin, sections }: Xref,
  length: number,
  gone: ReadonlySet<number>,
  header: number,
): Boundaries {
  const keys = new Float64Array(table.rows + sections.length + 1);
  let count = 1;
  for (let row = 0; row < table.rows; row++) {
    const offset = table.offset(row);
    if (table.kind(row) !== IN_FILE || offset < origin || offset >= length) continue;
    keys[count++] = offset * 4 + (!table.isLive(row) ? STALE : gone.has(table.number(row)) ? GONE : LIVE);
  }
  for (const offset of sections) keys[count++] = offset * 4 + SECTION;
  const found = keys.subarray(1, count).sort();
  // What is between the header and the first object is erased, unless the header's last comment runs into that object.
  if (found[0] !== undefined && found[0] < header * 4) return found;
  keys[0] = header * 4 + SECTION;
  return keys.subarray(0, count);
}

/** Returns where the copy of the source can stop: cross-reference sections at its end are cut off, not erased. */
export function endOfCopy(boundaries: Boundaries, length: number): number {
  let end = length;
  for (let i = boundaries.length - 1; i >= 0; i--) {
    const kind = boundaries[i]! % 4;
    const offset = Math.floor(boundaries[i]! / 4);
    // a cross-reference stream is a section, and then an object
    const isSection = kind === SECTION || (kind !== LIVE && boundaries[i - 1] === offset * 4 + SECTION);
    if (!isSection) break;
    end = offset;
  }
  return end;
}

/** Goes through the source once, front to back, and reports what to erase. */
export class Eraser {
  readonly #boundaries: Boundaries;
  readonly #doubtful: XrefTable | undefined;
  #next = 0;
  #erasing = false;

  /**
   * @param boundaries as `checkBoundaries` leaves them: no other where a live object begins
   * @param doubtful the cross-reference, unless it has been checked that live objects are at their offsets
   */
  constructor(boundaries: Boundaries, doubtful: XrefTable | undefined) {
    this.#boundaries = boundaries;
    this.#doubtful = doubtful;
  }

  /**
   * Calls `erase` for each dead range within [from, to) of the source. Each call has to continue where the last one
   * ended.
   * @param bytes the source from offset `base` on, reaching CONTEXT beyond both ends as far as the source does
   * @throws PlanOutdated if an object is not where it should be
   */
  pass(from: number, to: number, bytes: Uint8Array, base: number, erase: (from: number, to: number) => void): void {
    let start = from;
    for (; this.#next < this.#boundaries.length; this.#next++) {
      const key = this.#boundaries[this.#next]!;
      const offset = Math.floor(key / 4);
      if (offset >= to) break;
      const erasing = this.#erases(key % 4, offset, bytes, offset - base);
      if (erasing === this.#erasing) continue;
      if (this.#erasing && offset > start) erase(start, offset);
      start = offset;
      this.#erasing = erasing;
    }
    if (this.#erasing) erase(start, to);
  }

  /** Returns whether to erase from this boundary on. */
  #erases(kind: number, offset: number, bytes: Uint8Array, at: number): boolean {
    if (this.#doubtful && (kind === LIVE || kind === GONE) && !isThere(this.#doubtful, offset, bytes, at))
      throw new PlanOutdated("an object is not at its offset");
    if (kind === LIVE) return false;
    // Entries of older sections may be wrong: erasing starts only at what looks like an object.
    return kind === SECTION || this.#erasing || headerAt(bytes, at) !== undefined;
  }
}

/** Returns whether the object at an offset is the one, of the generation, that the cross-reference has there. */
function isThere(table: XrefTable, offset: number, bytes: Uint8Array, at: number): boolean {
  const found = headerAt(bytes, at);
  return found !== undefined && table.offsetOf(found.num) === offset && table.generationOf(found.num) === found.gen;
}
