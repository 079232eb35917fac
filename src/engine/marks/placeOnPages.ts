import type { PdfDocument } from "../pdf/document.ts";
import { overlay } from "../pdf/overlay.ts";
import type { Page } from "../pdf/pageTree.ts";
import type { Mark } from "./form.ts";
import { type Matrix, multiply, toUserSpace } from "./geometry.ts";
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
  await overlay(document, (page, nameOf) => {
    const { matrix, parts } = placementOn(page);
    const shown = inPlace(parts, ({ mark }) => nameOf(mark.ref));
    return `q ${numbers(multiply(matrix, toUserSpace(page)))} cm ${shown} Q`;
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
    const [dx, dy] = [part.x - x, part.y - y].map((value) => String(Number(value.toFixed(2)))) as [string, string];
    if (dx !== "0" || dy !== "0") operators.push(`1 0 0 1 ${dx} ${dy} cm`);
    operators.push(`/${nameOf(part)} Do`);
    x += Number(dx);
    y += Number(dy);
  }
  return operators.join(" ");
}
