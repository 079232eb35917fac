import type { ObjectSink } from "../pdf/document/newObject.ts";
import { type Mark, repeatMark } from "./form.ts";
import { type Point, roundedUpSize, type Size, sizeKey, tile } from "./geometry.ts";

/** Page size, in units of a mark, from which it is not tiled, because its copies would be too small to see. */
const MAX_PAGE_UNITS = 1e9;

/** Tilings of marks. Pages of similar size share them. */
export class Tilings {
  readonly #sink: ObjectSink;
  readonly #known = new Map<string, Tiling>();

  constructor(sink: ObjectSink) {
    this.#sink = sink;
  }

  /**
   * Returns the tiling of a mark of `size`, in its own units, at a scale and rotation on a page of the size `shown`.
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

/** Copies of marks around the middle of a page. Every part of a text has copies at the same offsets from its origin. */
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
   * Returns a mark that shows all copies except the one in the middle, or undefined without any. Text extraction finds
   * no text in it.
   */
  copiesOf(mark: Mark): Mark | undefined {
    if (this.#offsets.length === 0) return undefined;
    const copies = this.#copies.get(mark) ?? repeatMark(this.#sink, mark, this.#offsets);
    this.#copies.set(mark, copies);
    return copies;
  }
}
