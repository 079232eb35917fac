/**
 * Decides which bytes of the source are erased from the output. Every offset in any cross-reference section is a
 * boundary. The bytes between two boundaries belong to a live object or to a superseded part. Bytes of live objects are
 * retained, and bytes of superseded parts become line feeds. The eraser does not parse these bytes.
 */

import { IN_FILE, type XrefTable } from "../objects/xrefTable.ts";
import { headerAt, LONGEST_HEADER } from "../syntax/lexer.ts";
import type { Xref } from "../xref/xref.ts";
import { Boundaries, type BoundaryKind, LIVE, SECTION, STALE, SUPERSEDED } from "./boundaries.ts";

/**
 * Thrown when the copied bytes contradict an assumption of the plan. Open the document again with `thorough`, which
 * makes no assumptions, and plan again.
 */
export class PlanOutdated extends Error {
  override name = "PlanOutdated";
}

/** Number of bytes before and after each chunk that the eraser may read. */
export const CONTEXT = LONGEST_HEADER;

/**
 * Collects the boundaries of the source in ascending order of their offsets.
 * @param from offset of the first source byte that is copied
 * @param length length of the source in bytes
 * @param superseded numbers of the objects whose live body is written elsewhere or dropped
 * @param header offset where the file header ends
 */
export function collectBoundaries(
  { table, sections }: Xref,
  from: number,
  length: number,
  superseded: ReadonlySet<number>,
  header: number,
): Boundaries {
  const found = new Boundaries(table.rows + sections.length + 1);
  for (let row = 0; row < table.rows; row++) {
    const offset = table.offset(row);
    if (table.kind(row) !== IN_FILE || offset < from || offset >= length) continue;
    found.add(offset, !table.isLive(row) ? STALE : superseded.has(table.number(row)) ? SUPERSEDED : LIVE);
  }
  for (const offset of sections) found.add(offset, SECTION);
  found.sort();
  // The bytes between the header and the first object are erased, unless the last comment of the header extends into
  // that object.
  const isWithinHeader = found.length > 0 && found.offsetAt(0) < header;
  if (!isWithinHeader) found.prepend(header, SECTION);
  return found;
}

/**
 * Returns the offset at which copying the source can end. Cross-reference sections at the end of the source are not
 * copied at all.
 */
export function endOfCopy(boundaries: Boundaries, length: number): number {
  let end = length;
  for (let i = boundaries.length - 1; i >= 0; i--) {
    const kind = boundaries.kindAt(i);
    const offset = boundaries.offsetAt(i);
    // A cross-reference stream has two boundaries: one as a section, and one as an object.
    const isXrefStream =
      kind !== LIVE && i > 0 && boundaries.kindAt(i - 1) === SECTION && boundaries.offsetAt(i - 1) === offset;
    if (kind !== SECTION && !isXrefStream) break;
    end = offset;
  }
  return end;
}

/** Reads the source once, from beginning to end, and reports the ranges to erase. */
export class Eraser {
  readonly #boundaries: Boundaries;
  readonly #unverified: XrefTable | undefined;
  #next = 0;
  #erasing = false;

  /**
   * @param boundaries the result of `checkBoundaries`, which has no second boundary at the offset of a live object
   * @param unverified the cross-reference table; undefined if the offsets of its live objects have been checked
   */
  constructor(boundaries: Boundaries, unverified: XrefTable | undefined) {
    this.#boundaries = boundaries;
    this.#unverified = unverified;
  }

  /**
   * Calls `erase` for each superseded range within [from, to) of the source. Each call must continue at the offset at
   * which the previous call ended.
   * @param bytes the source from offset `base`, including CONTEXT bytes before and after the range where the source has
   * them
   * @throws PlanOutdated if an object is not at its expected offset
   */
  pass(from: number, to: number, bytes: Uint8Array, base: number, erase: (from: number, to: number) => void): void {
    let start = from;
    for (; this.#next < this.#boundaries.length; this.#next++) {
      const offset = this.#boundaries.offsetAt(this.#next);
      if (offset >= to) break;
      const erasing = this.#erases(this.#boundaries.kindAt(this.#next), offset, bytes, offset - base);
      if (erasing === this.#erasing) continue;
      if (this.#erasing && offset > start) erase(start, offset);
      start = offset;
      this.#erasing = erasing;
    }
    if (this.#erasing) erase(start, to);
  }

  /** Returns whether the bytes from this boundary to the next are erased. */
  #erases(kind: BoundaryKind, offset: number, bytes: Uint8Array, at: number): boolean {
    if (this.#unverified && (kind === LIVE || kind === SUPERSEDED) && !isThere(this.#unverified, offset, bytes, at))
      throw new PlanOutdated("an object is not at its offset");
    if (kind === LIVE) return false;
    // Entries of older sections may be wrong. Erasing therefore starts only at the header of an object.
    return kind === SECTION || this.#erasing || headerAt(bytes, at) !== undefined;
  }
}

/** Returns whether the object at an offset has the number and generation that the cross-reference states. */
function isThere(table: XrefTable, offset: number, bytes: Uint8Array, at: number): boolean {
  const found = headerAt(bytes, at);
  return found !== undefined && table.offsetOf(found.num) === offset && table.generationOf(found.num) === found.gen;
}
