import { multiply } from "../pdf/content/matrix.ts";
import type { PdfDocument } from "../pdf/document/pdfDocument.ts";
import type { Page } from "../pdf/pages/page.ts";
import { emptiestPlaces, Footprint } from "./emptiestPlace.ts";
import { type Point, toUserSpace } from "./geometry.ts";
import type { Place, Placer, Shape } from "./placer.ts";
import type { Spot } from "./positions.ts";

/** The requested place of a mark: its spot, whether it may move from there, and its margin. */
export interface Aim {
  readonly spot: Spot;
  /** Whether the mark moves from `spot` to the emptiest place of each page. */
  readonly isAuto: boolean;
  /** Requested margin in points. */
  readonly marginPt: number;
}

/** Returns a function that computes the place of a mark on a page. */
export async function placesFor(
  document: PdfDocument,
  placer: Placer,
  { spot, isAuto, marginPt }: Aim,
  shapeOn: (page: Page) => Shape,
): Promise<(page: Page) => Place> {
  if (!isAuto) return (page) => placer.place(spot, shapeOn(page), page, marginPt);

  const footprint = (page: Page, { size }: Shape, { matrix }: Pick<Place, "matrix">) =>
    new Footprint(size, multiply(matrix, toUserSpace(page)));
  const chosen = await emptiestPlaces(document, spot, (page) => {
    const shape = shapeOn(page);
    return (at) => footprint(page, shape, placer.place(at, shape, page, marginPt));
  });
  return (page) => {
    const shape = shapeOn(page);
    const { spot: at, barcodes } = chosen[page.index]!;
    const place = placer.place(at, shape, page, marginPt);
    if (!place.tiling || barcodes.length === 0) return place;
    const movedBy = ({ x, y }: Point) => multiply([1, 0, 0, 1, x, y], place.matrix);
    const { middle, tiling } = place.tiling.without((offset) => {
      const copy = footprint(page, shape, { matrix: movedBy(offset) });
      return barcodes.some((bounds) => copy.overlap(bounds) > 0);
    });
    return { matrix: movedBy(middle), tiling };
  };
}
