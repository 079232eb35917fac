/** Offsets at which the source is split for copying, each with the kind of bytes that begin there. */

/** A live object. */
export const LIVE = 0;
/** A cross-reference section, a trailer or a startxref. */
export const SECTION = 1;
/** An object whose live body is written elsewhere in the output, or not at all. */
export const SUPERSEDED = 2;
/** An object of an older revision, as listed by an older cross-reference section. */
export const STALE = 3;

export type BoundaryKind = typeof LIVE | typeof SECTION | typeof SUPERSEDED | typeof STALE;

/** Number of kinds. */
const KINDS = 4;

/**
 * A list of boundaries. A large file has half a million, so each takes eight bytes: the offset times `KINDS`, plus the
 * kind.
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

  /** Sorts the boundaries by offset, and those with the same offset by the number of their kind. */
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
