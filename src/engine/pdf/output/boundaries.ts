/**
 * Offsets at which the source is split for copying. Each boundary has an offset and the kind of bytes that begin there.
 */

/** Kind of a boundary at which a live object begins. */
export const LIVE = 0;
/** Kind of a boundary at which a cross-reference section, a trailer or a startxref begins. */
export const SECTION = 1;
/**
 * Kind of a boundary at which the live version of an object begins, if the output does not retain this version. The
 * output has the object elsewhere, or not at all.
 */
export const SUPERSEDED = 2;
/** Kind of a boundary at which an object of an older revision begins, according to an older cross-reference section. */
export const STALE = 3;

export type BoundaryKind = typeof LIVE | typeof SECTION | typeof SUPERSEDED | typeof STALE;

/** Number of kinds of boundaries. */
const KINDS = 4;

/**
 * A list of boundaries. A large file has half a million boundaries, so each takes only eight bytes: the offset times
 * `KINDS`, plus the kind.
 */
export class Boundaries {
  readonly #keys: Float64Array;
  #length = 0;

  /** @param capacity the largest number of boundaries that will be added */
  constructor(capacity: number) {
    this.#keys = new Float64Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a boundary at the end of the list, regardless of its offset. */
  add(offset: number, kind: BoundaryKind): void {
    this.#keys[this.#length++] = offset * KINDS + kind;
  }

  /** Adds a boundary at the beginning of the list, regardless of its offset. */
  prepend(offset: number, kind: BoundaryKind): void {
    this.#keys.copyWithin(1, 0, this.#length++);
    this.#keys[0] = offset * KINDS + kind;
  }

  /** Sorts the boundaries by offset. Boundaries with equal offsets are sorted by the number of their kind. */
  sort(): void {
    this.#keys.subarray(0, this.#length).sort();
  }

  /** Returns the file offset of the boundary at `index`. */
  offsetAt(index: number): number {
    return Math.floor(this.#keys[index]! / KINDS);
  }

  kindAt(index: number): BoundaryKind {
    const key = this.#keys[index]!;
    return (key - KINDS * Math.floor(key / KINDS)) as BoundaryKind;
  }

  /** Returns whether a live object begins at the boundary at `index`. */
  isLive(index: number): boolean {
    return this.kindAt(index) === LIVE;
  }
}
