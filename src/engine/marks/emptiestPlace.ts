/** Chooses the emptiest place for a mark on each page, depending on the areas that the page paints. */
import { type Bounds, boundsOf } from "../pdf/content/bounds.ts";
import type { Matrix } from "../pdf/content/matrix.ts";
import type { PdfDocument } from "../pdf/document/pdfDocument.ts";
import type { Page } from "../pdf/pages/page.ts";
import { PageInkReader } from "../pdf/pages/pageInk.ts";
import { type Point, pointAt, type Size } from "./geometry.ts";
import { POSITIONS, type Spot, spotOf } from "./positions.ts";

/** Maximum distance at which a mark and painted content count as touching, in units of user space. */
const CLEARANCE = 1;

/** The area of a mark on a page: a rectangle at any angle, in the page's user space. */
export class Footprint {
  readonly #bounds: Bounds;
  readonly #center: Point;
  /** The directions of two adjacent sides of the rectangle as unit vectors. `half` is half the length of the side. */
  readonly #axes: readonly (readonly [x: number, y: number, half: number])[];

  /**
   * @param size size of the mark in its own units
   * @param matrix maps the mark to user space
   */
  constructor({ width, height }: Size, matrix: Matrix) {
    const [a, b, c, d] = matrix;
    const corners = [0, width].flatMap((x) => [0, height].map((y) => pointAt(matrix, x, y)));
    this.#bounds = boundsOf(corners.flatMap(({ x, y }) => [x, y]));
    this.#center = pointAt(matrix, width / 2, height / 2);
    this.#axes = (
      [
        [a, b, width],
        [c, d, height],
      ] as const
    ).map(([x, y, side]) => {
      const length = Math.hypot(x, y);
      return [x / length, y / length, (side * length) / 2] as const;
    });
  }

  /**
   * Returns the approximate area that a rectangle and the footprint have in common. Returns 0 if they do not overlap.
   */
  overlap(bounds: Bounds): number {
    const own = this.#bounds;
    const width = Math.min(bounds[2] + CLEARANCE, own[2]) - Math.max(bounds[0] - CLEARANCE, own[0]);
    if (width <= 0) return 0;
    const height = Math.min(bounds[3] + CLEARANCE, own[3]) - Math.max(bounds[1] - CLEARANCE, own[1]);
    if (height <= 0) return 0;
    const [x0, y0, x1, y1] = bounds;
    const [halfWidth, halfHeight] = [(x1 - x0) / 2 + CLEARANCE, (y1 - y0) / 2 + CLEARANCE];
    const [dx, dy] = [(x0 + x1) / 2 - this.#center.x, (y0 + y1) / 2 - this.#center.y];
    // Two rectangles are apart if a straight line that is parallel to a side of one rectangle separates them.
    const isApart = this.#axes.some(
      ([x, y, half]) => Math.abs(dx * x + dy * y) >= half + halfWidth * Math.abs(x) + halfHeight * Math.abs(y),
    );
    return isApart ? 0 : width * height;
  }
}

/** The place that was chosen on a page, and the barcodes that the mark must not cover there. */
export interface ChosenPlace {
  readonly spot: Spot;
  /** The bounds of barcodes in the page's user space. */
  readonly barcodes: readonly Bounds[];
}

/**
 * Chooses the emptiest place on each page. The mark covers as little of barcodes as possible, and then as little of
 * other content as possible. Among equally empty places, chooses the place nearest to the mark's own place. If the
 * content of a page cannot be read, the mark stays at its own place.
 * @param own the place of the mark on an empty page
 * @param footprintsOn returns, for a page, a function from a place to the area that the mark then covers
 */
export async function emptiestPlaces(
  document: PdfDocument,
  own: Spot,
  footprintsOn: (page: Page) => (spot: Spot) => Footprint,
): Promise<ChosenPlace[]> {
  const reader = new PageInkReader(document.objects);
  const spots = placesNear(own);
  const places: ChosenPlace[] = [];
  for (const page of document.pages) {
    const footprintAt = footprintsOn(page);
    const candidates = spots.map((spot) => ({ spot, footprint: footprintAt(spot), ink: 0, coded: 0 }));
    const barcodes: Bounds[] = [];
    const isRead = await reader.read(page, {
      ink(bounds) {
        for (const candidate of candidates) candidate.ink += candidate.footprint.overlap(bounds);
      },
      barcode(bounds) {
        barcodes.push(bounds);
        for (const candidate of candidates) candidate.coded += candidate.footprint.overlap(bounds);
      },
    });
    const emptiest = candidates.reduce((best, other) =>
      other.coded < best.coded || (other.coded === best.coded && other.ink < best.ink) ? other : best,
    );
    places.push({ spot: isRead ? emptiest.spot : own, barcodes });
    await document.objects.source.meter.yieldIfDue();
  }
  return places;
}

/**
 * Returns the places to which a mark may move. Its own place comes first, and the other places follow by their distance
 * from it. A mark in the middle of the upper or lower edge stays at this edge. A tiled mark does not move.
 */
function placesNear(own: Spot): Spot[] {
  if (own.isTiled) return [own];
  const isAtEdge = own.x === 0.5 && own.y !== 0.5;
  const distance = ({ x, y }: Spot) => Math.hypot(x - own.x, y - own.y);
  return POSITIONS.slice(0, 9)
    .map(spotOf)
    .filter(({ y }) => !isAtEdge || y === own.y)
    .sort((a, b) => distance(a) - distance(b));
}
