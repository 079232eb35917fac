/**
 * The cross-reference table in memory (ISO 32000-2, 7.5.4). The table has one row for each entry of every section, or
 * for each object that a scan found. Typed arrays store the rows; a million objects take about 25 MB. The newest row of
 * an object number is its live row. The other rows locate superseded bodies, which the output must not contain.
 */
import type { EngineError } from "../../errors.ts";
import { tooComplex } from "../source/meter.ts";

export const FREE = 0;
export const IN_FILE = 1;
export const IN_STREAM = 2;
/** Kind of a cross-reference entry. The object of the entry is free, directly in the file, or in an object stream. */
export type Kind = typeof FREE | typeof IN_FILE | typeof IN_STREAM;

/** The largest object number that readers accept (ISO 32000-1, Annex C). */
export const LARGEST_NUMBER = 8_388_607;
/** Maximum number of rows of any file. A row takes up to 30 bytes of memory. */
const MAX_ROWS = 2_000_000;
/** Number of rows that every file may have, however short it is. */
const BASE_ROWS = 500_000;
/**
 * Bytes of file length per row beyond `BASE_ROWS`. Without this limit, a short file could have millions of rows,
 * because free entries compress to almost nothing.
 */
const BYTES_PER_ROW = 4;

/**
 * Rows of cross-reference entries, and the live row of each object number. Fields 2 and 3 of a row are the fields 2 and
 * 3 of a cross-reference stream (ISO 32000-2, 7.5.8.3, table 18).
 */
export class XrefTable {
  /** Number of rows. */
  rows = 0;
  /** Largest object number with a row. */
  largest = 0;
  readonly #maxRows: number;
  #number = new Uint32Array(1024);
  #kind = new Uint8Array(1024);
  /** Field 2 of each row, by kind. IN_FILE: offset in the file. IN_STREAM: number of the object stream. FREE: 0. */
  #field2 = new Float64Array(1024);
  /**
   * Field 3 of each row, by kind. IN_FILE: generation. IN_STREAM: index in the object stream. FREE: next generation.
   */
  #field3 = new Uint32Array(1024);
  /**
   * Live row plus one, by object number. The value is 0 for an object without a row. This array is dense. `#sparse`
   * stores numbers that are far above the number of rows, as in hostile or sparse files.
   */
  #index = new Uint32Array(1024);
  readonly #sparse = new Map<number, number>();
  /** Offsets of the live objects in the file, in ascending order. Built on first use. */
  #offsets: Float64Array | undefined;

  /** @param length length of the file in bytes */
  constructor(length: number) {
    this.#maxRows = Math.min(MAX_ROWS, BASE_ROWS + Math.floor(length / BYTES_PER_ROW));
  }

  /**
   * Adds an entry of a section. Sections are added from the newest to the oldest, so an existing live row stays live.
   * The exception is a free entry in row `replaceFreeFrom` or a later row. This entry is replaced, because the table of
   * a hybrid file marks the objects of its stream as free (ISO 32000-2, 7.5.8.4). Ignores an entry in use with number
   * 0, because only the head of the free list has this number. Also ignores a free entry whose number is too large for
   * readers.
   * @param field2 offset, object-stream number or 0, depending on `kind`
   * @param field3 generation, index or next generation, depending on `kind`
   * @throws EngineError too_complex if the table has too many rows, or an object number is too large for readers
   */
  add(num: number, kind: Kind, field2: number, field3: number, replaceFreeFrom = Number.POSITIVE_INFINITY): void {
    if ((num > LARGEST_NUMBER && kind === FREE) || (num === 0 && kind !== FREE)) return;
    const row = this.#append(num, kind, field2, field3);
    const live = this.liveRow(num);
    if (live < 0 || (live >= replaceFreeFrom && this.#kind[live] === FREE)) this.#setLive(num, row);
  }

  /**
   * Adds an entry that is newer than all entries added before. A scan adds entries in this order, because it reads the
   * file from beginning to end. Ignores object numbers that readers reject, because any digits may precede the word
   * `obj` in a damaged file.
   * @param field2 see {@link XrefTable.add}
   * @param field3 see {@link XrefTable.add}
   * @returns whether the object had a live row before
   * @throws EngineError too_complex if the table has too many rows
   */
  replace(num: number, kind: Kind, field2: number, field3: number): boolean {
    if (num > LARGEST_NUMBER || num === 0) return false;
    const before = this.liveRow(num);
    this.#setLive(num, this.#append(num, kind, field2, field3));
    return before >= 0;
  }

  /**
   * Returns the live row of an object, or -1 if the object has no row.
   * @throws EngineError too_complex if the number is too large for readers
   */
  liveRow(num: number): number {
    if (num < this.#index.length) return this.#index[num]! - 1;
    if (num > LARGEST_NUMBER) throw tooLarge(num);
    return (this.#sparse.get(num) ?? 0) - 1;
  }

  /** Returns whether an object with this number exists, in the file or in an object stream. */
  isInUse(num: number): boolean {
    const row = this.liveRow(num);
    return row >= 0 && this.#kind[row] !== FREE;
  }

  /** Returns whether an object is directly in the file. */
  isInFile(num: number): boolean {
    const row = this.liveRow(num);
    return row >= 0 && this.#kind[row] === IN_FILE;
  }

  /** Returns the offset of an object that is directly in the file, or -1 for other objects. */
  offsetOf(num: number): number {
    const row = this.liveRow(num);
    return row >= 0 && this.#kind[row] === IN_FILE ? this.#field2[row]! : -1;
  }

  isLive(row: number): boolean {
    return this.liveRow(this.#number[row]!) === row;
  }

  /** Returns the smallest offset of a live object in the file. Returns Infinity if the file has no live object. */
  firstOffset(): number {
    let first = Number.POSITIVE_INFINITY;
    for (let row = 0; row < this.rows; row++)
      if (this.#kind[row] === IN_FILE && this.#field2[row]! < first && this.isLive(row)) first = this.#field2[row]!;
    return first;
  }

  number(row: number): number {
    return this.#number[row]!;
  }

  kind(row: number): Kind {
    return this.#kind[row] as Kind;
  }

  /** Returns the file offset in an IN_FILE row. */
  offset(row: number): number {
    return this.#field2[row]!;
  }

  /** Returns the object-stream number in an IN_STREAM row. */
  streamNumber(row: number): number {
    return this.#field2[row]!;
  }

  /** Returns the generation of an IN_FILE row, or the next generation of a FREE row. */
  generation(row: number): number {
    return this.#field3[row]!;
  }

  /** Returns the index within the object stream in an IN_STREAM row. */
  index(row: number): number {
    return this.#field3[row]!;
  }

  /** Returns whether both tables locate an object at the same offset or in the same object stream. */
  agreesWith(other: XrefTable, num: number): boolean {
    const [row, otherRow] = [this.liveRow(num), other.liveRow(num)];
    return (
      row >= 0 &&
      otherRow >= 0 &&
      this.#kind[row] === other.#kind[otherRow] &&
      this.#field2[row] === other.#field2[otherRow]
    );
  }

  /** Corrects the index in an IN_STREAM row. */
  setIndex(row: number, index: number): void {
    this.#field3[row] = index;
  }

  /** Returns the generation of an object in the file, or 0 for other objects. */
  generationOf(num: number): number {
    return this.isInFile(num) ? this.generation(this.liveRow(num)) : 0;
  }

  /** Corrects the generation in an IN_FILE row. */
  setGeneration(row: number, gen: number): void {
    this.#field3[row] = gen;
  }

  /** Yields the object numbers that have a row, in ascending order. */
  *numbers(): Generator<number> {
    const dense = Math.min(this.largest + 1, this.#index.length);
    for (let num = 0; num < dense; num++) if (this.#index[num] !== 0) yield num;
    yield* [...this.#sparse.keys()].filter((num) => num >= dense).sort((a, b) => a - b);
  }

  /** Whether the offsets are sorted. If not, {@link nextOffset} sorts them first. */
  get isSorted(): boolean {
    return this.#offsets !== undefined;
  }

  /** Returns the offset of the next live object in the file after `offset`. Returns Infinity if no object follows. */
  nextOffset(offset: number): number {
    const offsets = this.#sortedOffsets();
    return offsets[firstAbove(offsets, offset)] ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Returns whether the offsets of all live objects are plausible: each offset is inside the file, and no two offsets
   * are equal.
   */
  hasPlausibleOffsets(length: number): boolean {
    return this.#sortedOffsets().every((offset, i, offsets) => offset < length && offset !== offsets[i - 1]);
  }

  #sortedOffsets(): Float64Array {
    if (this.#offsets) return this.#offsets;
    const offsets = new Float64Array(this.rows);
    let count = 0;
    for (let row = 0; row < this.rows; row++)
      if (this.#kind[row] === IN_FILE && this.isLive(row)) offsets[count++] = this.#field2[row]!;
    this.#offsets = offsets.subarray(0, count).sort();
    return this.#offsets;
  }

  #append(num: number, kind: Kind, field2: number, field3: number): number {
    if (this.rows >= this.#maxRows) throw tooComplex("it has too many objects");
    if (num > LARGEST_NUMBER) throw tooLarge(num);
    if (this.rows === this.#number.length) this.#grow();
    const row = this.rows++;
    this.#number[row] = num;
    this.#kind[row] = kind;
    this.#field2[row] = field2;
    this.#field3[row] = field3;
    if (num > this.largest) this.largest = num;
    return row;
  }

  #setLive(num: number, row: number): void {
    if (this.#kind[row] === IN_FILE || this.isInFile(num)) this.#offsets = undefined;
    if (num >= this.#index.length && num < 4 * this.rows + 65_536) {
      const larger = new Uint32Array(Math.max(num + 1, this.#index.length * 2));
      larger.set(this.#index);
      for (const [sparse, value] of this.#sparse) {
        if (sparse >= larger.length) continue;
        larger[sparse] = value;
        this.#sparse.delete(sparse);
      }
      this.#index = larger;
    }
    if (num < this.#index.length) this.#index[num] = row + 1;
    else this.#sparse.set(num, row + 1);
  }

  #grow(): void {
    const size = this.#number.length * 2;
    const number = new Uint32Array(size);
    number.set(this.#number);
    this.#number = number;
    const kind = new Uint8Array(size);
    kind.set(this.#kind);
    this.#kind = kind;
    const field2 = new Float64Array(size);
    field2.set(this.#field2);
    this.#field2 = field2;
    const field3 = new Uint32Array(size);
    field3.set(this.#field3);
    this.#field3 = field3;
  }
}

function tooLarge(num: number): EngineError {
  return tooComplex(`it has object number ${num}, which readers reject`);
}

/** Returns the index of the first of the `ascending` numbers that is greater than `limit`. */
export function firstAbove(ascending: ArrayLike<number>, limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
