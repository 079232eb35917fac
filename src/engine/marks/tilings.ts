import { type Matrix, multiply } from "../pdf/content/matrix.ts";
import type { ObjectSink } from "../pdf/document/newObject.ts";
import { type Mark, repeatMark } from "./form.ts";
import { ORIGIN, type Point, roundedUpSize, type Size, sizeKey, tile } from "./geometry.ts";

/**
 * Maximum side of a page in units of a mark. On larger pages, the mark is not tiled, because its copies would be too
 * small to see.
 */
const MAX_PAGE_UNITS = 1e9;

/** Caches the tilings of marks. Pages of similar size share a tiling. */
export class Tilings {
  readonly #sink: ObjectSink;
  readonly #gap: number | undefined;
  readonly #known = new Map<string, Tiling>();

  /** @param gap gap between the copies; see {@link tile} */
  constructor(sink: ObjectSink, gap: number | undefined) {
    this.#sink = sink;
    this.#gap = gap;
  }

  /**
   * Returns the tiling of a mark on a page.
   * @param size size of the mark in its own units
   * @param page displayed size of the page in points
   * @param offsetPt displacement of all copies in displayed space
   */
  of(size: Size, scale: number, degrees: number, page: Size, offsetPt: Point): Tiling {
    const rounded = roundedUpSize(page, scale);
    const offset = { x: offsetPt.x / scale, y: offsetPt.y / scale };
    const key = `${sizeKey(size)} ${degrees} ${sizeKey(rounded)} ${offset.x} ${offset.y}`;
    const isVisible = Math.max(rounded.width, rounded.height) < MAX_PAGE_UNITS;
    const tiling =
      this.#known.get(key) ??
      new Tiling(this.#sink, isVisible ? tile(size, degrees, rounded, { offset, gap: this.#gap }) : [ORIGIN]);
    this.#known.set(key, tiling);
    return tiling;
  }
}

/** A tiling from which some copies were removed. */
interface ThinnedTiling {
  /** Offset from the original middle copy to the copy that is now in the middle. */
  readonly middle: Point;
  readonly tiling: Tiling;
}

/** The copies of a mark around the middle of a page. All parts of a text have copies at equal offsets. */
export class Tiling {
  readonly #sink: ObjectSink;
  /** Place of the copy in the middle. */
  readonly #middle: Point;
  /** Offsets of all other copies from the copy in the middle. */
  readonly #offsets: readonly Point[];
  readonly #copies = new Map<Mark, Mark>();
  /** Cache of tilings from which some copies were removed. The key lists the indexes of the remaining copies. */
  readonly #thinned = new Map<string, ThinnedTiling>();

  /** @param places places of all copies; see {@link tile} */
  constructor(sink: ObjectSink, [middle = ORIGIN, ...others]: readonly Point[]) {
    this.#sink = sink;
    this.#middle = middle;
    this.#offsets = others.map(({ x, y }) => ({ x: x - middle.x, y: y - middle.y }));
  }

  /** Returns the matrix of the copy in the middle. `centered` is the matrix of a mark in the center of the page. */
  matrixOf(centered: Matrix): Matrix {
    return multiply([1, 0, 0, 1, this.#middle.x, this.#middle.y], centered);
  }

  /**
   * Returns this tiling without the copies for which `isLeftOut` is true. If all copies would be left out, the copy in
   * the middle stays.
   * @param isLeftOut returns whether the copy at an offset is left out
   */
  without(isLeftOut: (offset: Point) => boolean): ThinnedTiling {
    const all = [ORIGIN, ...this.#offsets];
    const left = all.filter((offset) => !isLeftOut(offset));
    if (left.length === all.length) return { middle: ORIGIN, tiling: this };
    const key = left.map((offset) => all.indexOf(offset)).join(" ");
    const known = this.#thinned.get(key);
    if (known) return known;
    const middle = left.reduce((a, b) => (Math.hypot(b.x, b.y) < Math.hypot(a.x, a.y) ? b : a), left[0] ?? ORIGIN);
    const others = left.filter((offset) => offset !== middle);
    const offsets = others.map(({ x, y }) => ({ x: x - middle.x, y: y - middle.y }));
    const thinned = { middle, tiling: new Tiling(this.#sink, [ORIGIN, ...offsets]) };
    this.#thinned.set(key, thinned);
    return thinned;
  }

  /**
   * Returns one mark that shows all copies except the copy in the middle. Returns undefined if there are no other
   * copies. Text extraction finds no text in this mark.
   */
  copiesOf(mark: Mark): Mark | undefined {
    if (this.#offsets.length === 0) return undefined;
    const copies = this.#copies.get(mark) ?? repeatMark(this.#sink, mark, this.#offsets);
    this.#copies.set(mark, copies);
    return copies;
  }
}
