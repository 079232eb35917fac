/** Allocates numbers for new objects (ISO 32000-2, 7.3.10). */
import { EngineError } from "../../errors.ts";
import type { Value } from "../syntax/values.ts";
import { LARGEST_NUMBER, type XrefTable } from "./xrefTable.ts";

/**
 * Minimum distance of a new number from the next lower number in use. A file may refer to missing objects, which mean
 * null. Their numbers are likely just above a number in use, and a new object must not have such a number.
 */
const MIN_DISTANCE = 1000;

/**
 * Allocates the numbers of new objects. First uses numbers above all numbers of the source. Then uses the gaps between
 * used numbers, beginning with the lowest gap.
 */
export class ObjectNumbers {
  readonly #table: XrefTable;
  #next: number;
  /** Last number of the current range. */
  #last = LARGEST_NUMBER;
  #gaps: Generator<[number, number]> | undefined;

  /** @param size the trailer's /Size */
  constructor(table: XrefTable, size: Value | undefined) {
    this.#table = table;
    this.#next = Math.max(table.largest, typeof size === "number" ? size : 0) + MIN_DISTANCE;
  }

  /**
   * Returns the next number.
   * @throws EngineError `damaged_pdf` if no number is left. This happens only if the file has object numbers in the
   * millions.
   */
  take(): number {
    while (this.#next > this.#last) {
      this.#gaps ??= gapsOf(this.#table);
      const gap = this.#gaps.next();
      if (gap.done)
        throw new EngineError(
          "damaged_pdf",
          "The PDF uses up all object numbers. Open it in a reader and save it as a new file.",
        );
      [this.#next, this.#last] = gap.value;
    }
    return this.#next++;
  }
}

/**
 * Yields the first and the last usable number of each gap between used numbers. A usable number is at least
 * `MIN_DISTANCE` above the used number before the gap. A shorter gap has no usable number.
 */
function* gapsOf(table: XrefTable): Generator<[number, number]> {
  let before = 0;
  for (const num of table.numbers()) {
    if (num - before > MIN_DISTANCE) yield [before + MIN_DISTANCE, num - 1];
    before = num;
  }
}
