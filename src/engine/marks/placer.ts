import { DEFAULTS, type MarkOptions } from "../options.ts";
import type { Matrix } from "../pdf/content/matrix.ts";
import type { ObjectSink } from "../pdf/document/newObject.ts";
import type { Page } from "../pdf/pages/page.ts";
import {
  displayedSize,
  type FrameBox,
  frameOn,
  marginOn,
  ORIGIN,
  type PageFrame,
  type Point,
  placeAt,
  type Size,
} from "./geometry.ts";
import type { Spot } from "./positions.ts";
import { type Tiling, Tilings } from "./tilings.ts";

/** The shape of a mark on a page. */
export interface Shape {
  /** Size of the mark in its own units. */
  readonly size: Size;
  /** Size of one unit of the mark, in points. */
  readonly scale: number;
  /** Rotation of the mark in degrees, counter-clockwise. */
  readonly rotation: number;
}

/** The place of a mark on a page. */
export interface Place {
  /** Matrix from the mark's space to displayed space, for the copy in the middle if the mark is tiled. */
  readonly matrix: Matrix;
  /** The other copies of the mark, if the mark is tiled. */
  readonly tiling: Tiling | undefined;
}

/** Places a mark in the box and at the offset that the caller requested. */
export class Placer {
  readonly #tilings: Tilings;
  readonly #box: FrameBox | undefined;
  readonly #offset: Point;

  constructor(
    sink: ObjectSink,
    { box, offsetXPt = DEFAULTS.offsetPt, offsetYPt = DEFAULTS.offsetPt, tileGap }: MarkOptions,
  ) {
    this.#tilings = new Tilings(sink, tileGap);
    this.#box = box;
    this.#offset = { x: offsetXPt, y: offsetYPt };
  }

  /** Returns the area of a page in which the mark is placed. Copies of a tiled mark extend beyond this area. */
  frameOn(page: Page): PageFrame {
    return frameOn(page, this.#box);
  }

  /**
   * Returns the place of a mark on a page.
   * @param requestedPt requested margin in points
   */
  place(spot: Spot, { size, scale, rotation }: Shape, page: Page, requestedPt: number): Place {
    const frame = this.frameOn(page);
    const marginPt = marginOn(frame, requestedPt);
    const placed = (area: Size, offset: Point) => placeAt(spot, size, scale, rotation, area, marginPt, offset);
    const { x, y } = this.#offset;
    if (!spot.isTiled) return { matrix: placed(frame, { x: frame.x + x, y: frame.y + y }), tiling: undefined };
    const whole = displayedSize(page);
    const tiling = this.#tilings.of(size, scale, rotation, whole, {
      x: frame.x + (frame.width - whole.width) / 2 + x,
      y: frame.y + (frame.height - whole.height) / 2 + y,
    });
    return { matrix: tiling.matrixOf(placed(whole, ORIGIN)), tiling };
  }
}
