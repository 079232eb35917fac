import type { ObjectSink } from "../pdf/document/newObject.ts";
import { type Mark, repeatMark } from "./form.ts";
import { type Point, roundedUp, type Size, sizeKey, tile } from "./geometry.ts";

/** A page of so many units of a mark and more has no copies of it: nobody would see them. */
const MOST_UNITS = 1e9;

/** Copies of marks all over the page, around one in the middle. Pages of about one size share them. */
export class Tilings {
  readonly #sink: ObjectSink;
  readonly #known = new Map<string, Tiling>();

  constructor(sink: ObjectSink) {
    this.#sink = sink;
  }

  /** Returns the copies of what is `size` large, in its own units, at a scale and turned by `degrees` on a page. */
  of(size: Size, scale: number, degrees: number, shown: Size): Tiling {
    const page = roundedUp(shown, scale);
    const key = `${sizeKey(size)} ${degrees} ${sizeKey(page)}`;
    const isSeen = Math.max(page.width, page.height) < MOST_UNITS;
    const tiling = this.#known.get(key) ?? new Tiling(this.#sink, isSeen ? tile(size, degrees, page).slice(1) : []);
    this.#known.set(key, tiling);
    return tiling;
  }
}

/** Copies of marks at the same places: all parts of a text have theirs, each from its own origin. */
export class Tiling {
  readonly #sink: ObjectSink;
  /** All but the one in the middle. */
  readonly #places: readonly Point[];
  readonly #around = new Map<Mark, Mark>();

  constructor(sink: ObjectSink, places: readonly Point[]) {
    this.#sink = sink;
    this.#places = places;
  }

  /** Returns a mark that shows all copies but the one in the middle, if there are any; readers find no text in it. */
  around(mark: Mark): Mark | undefined {
    if (this.#places.length === 0) return undefined;
    const around = this.#around.get(mark) ?? repeatMark(this.#sink, mark, this.#places);
    this.#around.set(mark, around);
    return around;
  }
}
