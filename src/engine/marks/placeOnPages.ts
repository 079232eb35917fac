import type { PdfDocument } from "../pdf/document/pdfDocument.ts";
import { overlay } from "../pdf/output/overlay.ts";
import type { Page } from "../pdf/pages/page.ts";
import { wordsOf } from "./actualText.ts";
import type { Mark } from "./form.ts";
import { displayedSize, haveSameShape, type Matrix, multiply, type Point, toUserSpace } from "./geometry.ts";
import { numbers, showEach } from "./operators.ts";

/** The marks of one page, and the matrix from their common space to displayed space. */
export interface Placement {
  matrix: Matrix;
  parts: readonly Part[];
  /** The text that all parts show together. */
  words?: string;
  /** Marks without text to extract, drawn after the parts. */
  echoes?: readonly Part[];
}

/** A mark and its translation in the space of its {@link Placement}. */
export interface Part extends Point {
  readonly mark: Mark;
}

/** Scale of the corner in which Poppler finds words, in points per unit of a mark. */
const CORNER_SCALE = 1e-5;
/** Distance of the corner from the page's edges, in points. Poppler ignores words outside the page. */
const CORNER_PT = 0.1;

/**
 * Puts marks on every page of the document, and accounts for the page's rotation, boxes and user unit. Each mark has
 * the same resource name on all pages. Pages with the same marks at the same places share their operators.
 */
export async function placeOnPages(document: PdfDocument, placementOn: (page: Page) => Placement): Promise<void> {
  /** The previous page and its matrix, cached because consecutive pages are mostly alike. */
  let previous: { page: Page; matrix: Matrix; operands: string } | undefined;
  await overlay(document, (page, nameOf) => {
    const { matrix, parts, words, echoes = [] } = placementOn(page);
    const show = (marks: readonly Part[]) => showEach(marks, ({ mark }) => nameOf(mark.ref));
    if (previous?.matrix !== matrix || !haveSameShape(previous.page, page))
      previous = { page, matrix, operands: numbers(multiply(matrix, toUserSpace(page))) };
    const shown = `q ${previous.operands} cm ${show(parts)} Q`;
    if (words === undefined) return shown;
    const copies = echoes.length > 0 ? `\nq ${previous.operands} cm ${show(echoes)} Q` : "";
    return `q ${wordsOf(words, `${shown} ${cornerOf(page)} cm`)} Q${copies}`;
  });
}

/**
 * Returns the matrix that maps a mark into the top right corner of the page. Poppler places the words of marked content
 * by the matrix at its end. In this corner they change neither the order nor the columns of the page's own text.
 */
function cornerOf(page: Page): string {
  const { width, height } = displayedSize(page);
  return numbers(
    multiply([CORNER_SCALE, 0, 0, CORNER_SCALE, width - CORNER_PT, height - CORNER_PT], toUserSpace(page)),
  );
}
