import type { Page, PdfDocument } from "../pdf/document.ts";
import { overlay } from "../pdf/overlay.ts";
import type { Mark } from "./form.ts";
import { type Matrix, multiply, toUserSpace } from "./geometry.ts";
import { numbers } from "./operators.ts";

/** What goes on one page: a mark, made when its key is first met, and where (from the mark's space to displayed space). */
interface Placement {
  key: string;
  mark(): Mark;
  matrices: readonly Matrix[];
}

/** Lays marks over every page of the document, whatever its rotation, boxes and unit. */
export function layOver(document: PdfDocument, placementOn: (page: Page) => Placement): void {
  const indexes = new Map<string, number>();
  const marks: Mark[] = [];
  const placements = document.pages.map((page) => {
    const { key, mark, matrices } = placementOn(page);
    let index = indexes.get(key);
    if (index === undefined) {
      index = marks.push(mark()) - 1;
      indexes.set(key, index);
    }
    return { index, matrices };
  });

  overlay(
    document,
    marks.map(({ ref }) => ref),
    (page, names) => {
      const { index, matrices } = placements[page.index]!;
      const toPage = toUserSpace(page);
      return matrices.map((matrix) => `q ${numbers(multiply(matrix, toPage))} cm /${names[index]} Do Q`).join("\n");
    },
  );
}
