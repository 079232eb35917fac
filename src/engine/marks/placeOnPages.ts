import type { PdfDocument } from "../pdf/document/pdfDocument.ts";
import { overlay } from "../pdf/output/overlay.ts";
import type { Page } from "../pdf/pages/page.ts";
import type { Mark } from "./form.ts";
import { haveSameShape, type Matrix, multiply, type Point, toUserSpace } from "./geometry.ts";
import { numbers, showEach } from "./operators.ts";

/** What goes on one page: marks, each translated in a common space, and the matrix from that to displayed space. */
export interface Placement {
  matrix: Matrix;
  parts: readonly Part[];
}

/** A mark and its translation in the space of its {@link Placement}. */
export interface Part extends Point {
  readonly mark: Mark;
}

/**
 * Lays marks over every page of the document, taking account of its rotation, boxes and user unit. Each mark takes one
 * name in the pages' resources, and pages that show the same at the same place share the operators.
 */
export async function placeOnPages(document: PdfDocument, placementOn: (page: Page) => Placement): Promise<void> {
  /** The page before, and where its marks are: mostly where this one's are. */
  let last: { page: Page; matrix: Matrix; operands: string } | undefined;
  await overlay(document, (page, nameOf) => {
    const { matrix, parts } = placementOn(page);
    const shown = showEach(parts, ({ mark }) => nameOf(mark.ref));
    if (last?.matrix !== matrix || !haveSameShape(last.page, page))
      last = { page, matrix, operands: numbers(multiply(matrix, toUserSpace(page))) };
    return `q ${last.operands} cm ${shown} Q`;
  });
}
