import type { PdfDocument } from "../pdf/document.ts";
import { overlay } from "../pdf/overlay.ts";
import type { Page } from "../pdf/page.ts";
import type { Mark } from "./form.ts";
import { haveSameShape, type Matrix, multiply, toUserSpace } from "./geometry.ts";
import { numbers } from "./operators.ts";

/** What goes on one page: marks, each translated in a common space, and the matrix from that to displayed space. */
export interface Placement {
  matrix: Matrix;
  parts: readonly Part[];
}

/** A mark and its translation in the space of its {@link Placement}. */
export interface Part {
  mark: Mark;
  x: number;
  y: number;
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
    const shown = inPlace(parts, ({ mark }) => nameOf(mark.ref));
    if (last?.matrix !== matrix || !haveSameShape(last.page, page))
      last = { page, matrix, operands: numbers(multiply(matrix, toUserSpace(page))) };
    return `q ${last.operands} cm ${shown} Q`;
  });
}

/**
 * Returns operators that show the parts. Each is translated from the one before it, rounded to a hundredth of a unit:
 * this keeps operators short, since every numbered page has its own.
 */
function inPlace(parts: readonly Part[], nameOf: (part: Part) => string): string {
  let [x, y] = [0, 0];
  const operators: string[] = [];
  for (const part of parts) {
    const [dx, dy] = [hundredths(part.x - x), hundredths(part.y - y)];
    if (dx !== 0 || dy !== 0) operators.push(`1 0 0 1 ${dx} ${dy} cm`);
    operators.push(`/${nameOf(part)} Do`);
    x += dx;
    y += dy;
  }
  return operators.join(" ");
}

function hundredths(value: number): number {
  return value === 0 ? 0 : Number(value.toFixed(2));
}
