import type { ObjectSink } from "../pdf/document/newObject.ts";
import { type Mark, repeatMark } from "./form.ts";
import { type Point, roundedUp, type Size, sizeKey, tile } from "./geometry.ts";

/** Page size, in units of a mark, from which it is not tiled, because its copies would be too small to see. */
const MOST_UNITS = 1e9;

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
  of(size: Size, scale: number, degrees: number, shown: Size): Tiling {
    const page = roundedUp(shown, scale);
    const key = `${sizeKey(size)} ${degrees} ${sizeKey(page)}`;
    const isSeen = Math.max(page.width, page.height) < MOST_UNITS;
    const tiling = this.#known.get(key) ?? new Tiling(this.#sink, isSeen ? tile(size, degrees, page).slice(1) : []);
    this.#known.set(key, tiling);
    return tiling;
  }
}

/** Copies of marks around the middle of a page. Every part of a text has copies at the same offsets from its origin. */
export class Tiling {
  readonly #sink: ObjectSink;
  /** Offsets of all copies except the one in the middle. */
  readonly #places: readonly Point[];
  readonly #around = new Map<Mark, Mark>();

  constructor(sink: ObjectSink, places: readonly Point[]) {
    this.#sink = sink;
    this.#places = places;
  }

  /**
   * Returns a mark that shows all copies except the one in the middle, or undefined without any. Text extraction finds
   * no text in it.
   */
  around(mark: Mark): Mark | undefined {
    if (this.#places.length === 0) return undefined;
    const around = this.#around.get(mark) ?? repeatMark(this.#sink, mark, this.#places);
    this.#around.set(mark, around);
    return around;
  }
}
