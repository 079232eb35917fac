/**
 * Builds the graph of the references between the objects of a file. Each object is identified by its cross-reference
 * row.
 */
import type { XrefTable } from "../objects/xrefTable.ts";

/** Maximum number of references in the graph. Each reference takes 8 bytes. */
const MOST_REFERENCES = 1 << 21;

/**
 * A graph to which objects are added one by one. For each object, it stores a linked list of the rows to which the
 * object refers.
 */
export class ReferenceGraph {
  readonly #table: XrefTable;
  /** Index of the last reference of each row; -1 for a row without references. */
  readonly #last: Int32Array;
  #targets = new Int32Array(1024);
  /** For each reference, the index of the previous reference in the same list; -1 for the first reference. */
  #previous = new Int32Array(1024);
  #length = 0;

  constructor(table: XrefTable) {
    this.#table = table;
    this.#last = new Int32Array(table.rows).fill(-1);
  }

  /** Adds the references of an object. Returns false if the graph would become too large. */
  add(num: number, targets: readonly number[]): boolean {
    if (this.#length + targets.length > MOST_REFERENCES) return false;
    while (this.#length + targets.length > this.#targets.length) {
      this.#targets = grown(this.#targets);
      this.#previous = grown(this.#previous);
    }
    const from = this.#rowOf(num);
    for (const target of targets) {
      const to = this.#rowOf(target);
      if (from < 0 || to < 0) continue;
      this.#targets[this.#length] = to;
      this.#previous[this.#length] = this.#last[from]!;
      this.#last[from] = this.#length++;
    }
    return true;
  }

  /**
   * Sets `reached` to 1 for the rows of the objects in `starts`, and for all rows that are reachable from these rows.
   */
  reach(starts: readonly number[], reached: Uint8Array): void {
    const waiting: number[] = [];
    const visit = (row: number) => {
      if (row < 0 || reached[row]) return;
      reached[row] = 1;
      waiting.push(row);
    };
    for (const num of starts) visit(this.#rowOf(num));
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop())
      for (let at = this.#last[row]!; at >= 0; at = this.#previous[at]!) visit(this.#targets[at]!);
  }

  #rowOf(num: number): number {
    return num > this.#table.largest ? -1 : this.#table.liveRow(num);
  }
}

function grown(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(2 * numbers.length);
  copy.set(numbers);
  return copy;
}
