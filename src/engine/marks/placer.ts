import { DEFAULTS, type MarkOptions } from "../options.ts";
import type { ObjectSink } from "../pdf/document/newObject.ts";
import { type Matrix, ORIGIN, type Point, placeAt, type Size } from "./geometry.ts";
import type { Spot } from "./positions.ts";
import { type Tiling, Tilings } from "./tilings.ts";

/** Where a mark is on a page. */
interface Place {
  /** Matrix from the mark's space to displayed space, for the copy in the middle if the mark is tiled. */
  readonly matrix: Matrix;
  /** The other copies, if the mark is tiled. */
  readonly tiling: Tiling | undefined;
}

/** Places a mark at the position and the offset that the caller requested. */
export class Placer {
  readonly #tilings: Tilings;
  readonly #offset: Point;

  constructor(sink: ObjectSink, { offsetXPt = DEFAULTS.offsetPt, offsetYPt = DEFAULTS.offsetPt, tileGap }: MarkOptions) {
    this.#tilings = new Tilings(sink, tileGap);
    this.#offset = { x: offsetXPt, y: offsetYPt };
  }

  /**
   * Returns the place of a mark on a page.
   * @param size size of the mark in its own units
   * @param page displayed size of the page in points
   */
  place(spot: Spot, size: Size, scale: number, degrees: number, page: Size, marginPt: number): Place {
    const placed = (offset: Point) => placeAt(spot, size, scale, degrees, page, marginPt, offset);
    if (!spot.isTiled) return { matrix: placed(this.#offset), tiling: undefined };
    const tiling = this.#tilings.of(size, scale, degrees, page, this.#offset);
    return { matrix: tiling.matrixOf(placed(ORIGIN)), tiling };
  }
}
