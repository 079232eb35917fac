import type { ObjectSink } from "../pdf/document/newObject.ts";
import { type Mark, repeatMark } from "./form.ts";
import { type Point, roundedUpSize, type Size, sizeKey, tile } from "./geometry.ts";

/**
 * Maximum side of a page in units of a mark. On larger pages, the mark is not tiled, because copies would be too small
 * to see.
 */
const MAX_PAGE_UNITS = 1e9;

/** Caches the tilings of marks. Pages of similar size share a tiling. */
export class Tilings {
  readonly #sink: ObjectSink;
  readonly #known = new Map<string, Tiling>();

  constructor(sink: ObjectSink) {
    this.#sink = sink;
  }

  /**
   * Returns the tiling of a mark on a page.
   * @param size size of the mark in its own units
   * @param page displayed size of the page in points
   */
  of(size: Size, scale: number, degrees: number, page: Size): Tiling {
    const rounded = roundedUpSize(page, scale);
    const key = `${sizeKey(size)} ${degrees} ${sizeKey(rounded)}`;
    const isVisible = Math.max(rounded.width, rounded.height) < MAX_PAGE_UNITS;
    const tiling =
      this.#known.get(key) ?? new Tiling(this.#sink, isVisible ? tile(size, degrees, rounded).slice(1) : []);
    this.#known.set(key, tiling);
    return tiling;
  }
}

/** The copies of a mark around the middle of a page. All parts of a text have copies at the same offsets. */
export class Tiling {
  readonly #sink: ObjectSink;
  /** Offsets of all copies except the one in the middle. */
  readonly #offsets: readonly Point[];
  readonly #copies = new Map<Mark, Mark>();

  constructor(sink: ObjectSink, offsets: readonly Point[]) {
    this.#sink = sink;
    this.#offsets = offsets;
  }

  /**
   * Returns one mark that shows all copies except the one in the middle, or undefined if there are no others. Text
   * extraction finds no text in this mark.
   */
  copiesOf(mark: Mark): Mark | undefined {
    if (this.#offsets.length === 0) return undefined;
    const copies = this.#copies.get(mark) ?? repeatMark(this.#sink, mark, this.#offsets);
    this.#copies.set(mark, copies);
    return copies;
  }
}
