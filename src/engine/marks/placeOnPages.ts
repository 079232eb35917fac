import type { PdfDocument } from "../pdf/document/pdfDocument.ts";
import { overlay } from "../pdf/output/overlay.ts";
import type { Page } from "../pdf/pages/page.ts";
import type { Mark } from "./form.ts";
import { haveSameShape, type Matrix, multiply, type Point, toUserSpace } from "./geometry.ts";
import { numbers, showEach } from "./operators.ts";

/** The marks of one page, and the matrix from their common space to displayed space. */
export interface Placement {
  matrix: Matrix;
  parts: readonly Part[];
}

/** A mark and its translation in the space of its {@link Placement}. */
export interface Part extends Point {
  readonly mark: Mark;
}

/**
 * Puts marks on every page of the document, and accounts for the page's rotation, boxes and user unit. Each mark has
 * the same resource name on all pages. Pages with the same marks at the same places share their operators.
 */
export async function placeOnPages(document: PdfDocument, placementOn: (page: Page) => Placement): Promise<void> {
  /** The previous page and its matrix, cached because consecutive pages are mostly alike. */
  let previous: { page: Page; matrix: Matrix; operands: string } | undefined;
  await overlay(document, (page, nameOf) => {
    const { matrix, parts } = placementOn(page);
    const shown = showEach(parts, ({ mark }) => nameOf(mark.ref));
    if (previous?.matrix !== matrix || !haveSameShape(previous.page, page))
      previous = { page, matrix, operands: numbers(multiply(matrix, toUserSpace(page))) };
    return `q ${previous.operands} cm ${shown} Q`;
  });
}
