/** Finds numbers for new objects (ISO 32000-2, 7.3.10). */
import { EngineError } from "../../errors.ts";
import type { Value } from "../syntax/values.ts";
import { LARGEST_NUMBER, type XrefTable } from "./xrefTable.ts";

/**
 * References to missing objects are null and must not lead to a new object. Where the file's /Size is wrong, and where
 * it leaves numbers out, such references are likely: new numbers keep this distance from the used ones before them.
 */
const DISTANCE = 1000;

/** Hands out the numbers of new objects: those above the source's, and when these are used up, its largest gaps. */
export class ObjectNumbers {
  readonly #table: XrefTable;
  #next: number;
  /** The last number of the run that is being handed out. */
  #last = LARGEST_NUMBER;
  #gaps: Generator<[number, number]> | undefined;

  /** @param size the trailer's /Size */
  constructor(table: XrefTable, size: Value | undefined) {
    this.#table = table;
    this.#next = table.largest + (size === table.largest + 1 ? 1 : DISTANCE);
  }

  /**
   * Returns the next number.
   * @throws EngineError `damaged_pdf` if there are none left, which takes object numbers in the millions
   */
  take(): number {
    while (this.#next > this.#last) {
      this.#gaps ??= gapsOf(this.#table);
      const gap = this.#gaps.next();
      if (gap.done)
        throw new EngineError("damaged_pdf", "The PDF leaves no object numbers for a mark. Save it anew in a reader.");
      [this.#next, this.#last] = gap.value;
    }
    return this.#next++;
  }
}

/** Yields the first and last of the numbers that are far enough behind a used one and before the next. */
function* gapsOf(table: XrefTable): Generator<[number, number]> {
  let before = 0;
  for (const num of table.numbers()) {
    if (num - before > DISTANCE) yield [before + DISTANCE, num - 1];
    before = num;
  }
}
