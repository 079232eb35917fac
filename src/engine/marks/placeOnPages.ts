import { type Matrix, multiply } from "../pdf/content/matrix.ts";
import type { PdfDocument } from "../pdf/document/pdfDocument.ts";
import { overlay } from "../pdf/output/overlay.ts";
import type { Page } from "../pdf/pages/page.ts";
import { wordsOf } from "./actualText.ts";
import { AnnotationMarks, clipOut, placedBox, touches } from "./annotationMarks.ts";
import type { Mark } from "./form.ts";
import { displayedSize, haveSameShape, type Point, pointAt, type Size, samplesOf, toUserSpace } from "./geometry.ts";
import { numbers, showEach } from "./operators.ts";

/** The marks of one page, and the matrix from their common space to displayed space. */
export interface Placement {
  matrix: Matrix;
  /** Size of the whole mark in the space that all its parts share. For a tiled mark, this is the size of one copy. */
  size: Size;
  parts: readonly Part[];
  /** Whether the parts include copies of the mark. */
  isTiled?: boolean;
  /** The text that all parts of the mark show together. */
  words?: string;
  /** Marks from which no text is extracted. They are drawn after the parts. */
  echoes?: readonly Part[];
}

/** The place of the mark on one page, for programs that let people move the mark. */
export interface MarkOutline {
  /** Number of the page, from 1. */
  readonly page: number;
  /** Size of the page as displayed, in points. */
  readonly pageSize: Size;
  /**
   * Corners of the mark, in points of the page as displayed. The order before the mark's rotation is lower left, lower
   * right, upper right, upper left. A tiled mark has the corners of the copy in the middle.
   */
  readonly corners: readonly Point[];
  /** Points per pixel of an image, or per hundredth of an em of a text. */
  readonly scale: number;
}

/** Facts about the marks of a document. */
export interface PlacedMarks {
  /** Numbers of the pages on which no mark is visible because all marks lie outside of the page, in ascending order. */
  readonly outsidePages: number[];
}

/** A mark and its translation in the space of its {@link Placement}. */
export interface Part extends Point {
  readonly mark: Mark;
}

/** A page with its marks. */
interface PlacedPage {
  readonly page: Page;
  readonly matrix: Matrix;
  /** The operands of `cm` that map the marks to the page's user space. */
  readonly operands: string;
  /** Whether no mark is on the page. */
  readonly isOutside: boolean;
  /** Sample points of the marks in user space, computed on first use. */
  points?: ReturnType<typeof pointsOf>;
  /** The operators that show the marks, computed on first use. */
  drawn?: DrawnParts;
}

/** The operators that show marks with their words. */
interface DrawnParts {
  /** The parts of the mark, followed by its echoes. */
  readonly parts: readonly Part[];
  /** The resource name of each part and echo. */
  readonly names: readonly string[];
  readonly words: string | undefined;
  readonly operators: string;
}

/**
 * Scale of the words that Poppler finds in the corner of the page (see {@link cornerOf}), in points per unit of a mark.
 */
const CORNER_SCALE = 1e-5;
/** Distance in points between the page's edges and the words in its corner. Poppler ignores words outside the page. */
const CORNER_PT = 0.1;

/**
 * Puts marks on every page of the document, and accounts for the page's rotation, boxes and user unit. Each mark has
 * the same resource name on all pages. Pages with the same marks at the same places share their operators.
 * @param onPlace receives the place of the mark on each page
 */
export async function placeOnPages(
  document: PdfDocument,
  placementOn: (page: Page) => Placement,
  onPlace?: (outline: MarkOutline) => void,
): Promise<PlacedMarks> {
  const outsidePages: number[] = [];
  /** The previous page and its matrix, cached because consecutive pages are mostly alike. */
  let previous: PlacedPage | undefined;
  const isUnder = document.layer === "under";
  const annotationMarks = await AnnotationMarks.of(document);
  await overlay(document, (page, nameOf) => {
    const placement = placementOn(page);
    const { matrix, parts, words, echoes = [] } = placement;
    const all = echoes.length > 0 ? [...parts, ...echoes] : parts;
    onPlace?.(outlineOf(page, placement));
    const toUser = () => multiply(matrix, toUserSpace(page));
    if (previous?.matrix !== matrix || !haveSameShape(previous.page, page))
      previous = {
        ...{ page, matrix, operands: numbers(toUser()) },
        isOutside: !isOnPage(placement, displayedSize(page)),
      };
    if (previous.isOutside) outsidePages.push(page.index + 1);
    const { operands } = previous;
    const { windows, hidden } = annotationMarks.coveredBoxes(page, all, toUser);
    if (isUnder || hidden.length > 0) {
      previous.points ??= pointsOf(isUnder ? all : parts, toUser());
      document.placed.push({ index: page.index, points: previous.points, hidden });
    }
    const names = all.map(({ mark }) => nameOf(mark.ref));
    if (!previous.drawn || !isDrawn(previous.drawn, all, names, words)) {
      const operators = drawnOn(page, placement, operands, names);
      previous.drawn = { parts: all, names, words, operators };
    }
    const { operators } = previous.drawn;
    if (windows.length === 0) return operators;
    annotationMarks.show(page, windows, (named) =>
      [parts, echoes].map((marks) => `q ${operands} cm ${showEach(marks, ({ mark }) => named(mark.ref))} Q`).join(" "),
    );
    return `q ${clipOut(windows, page.box)}${operators} Q`;
  });
  return { outsidePages };
}

/** Returns whether marks with the given names and words have the same operators as the marks that were drawn before. */
function isDrawn(drawn: DrawnParts, parts: readonly Part[], names: readonly string[], words?: string): boolean {
  if (drawn.parts.length !== parts.length || drawn.words !== words) return false;
  return parts.every((part, index) => part === drawn.parts[index] && names[index] === drawn.names[index]);
}

/**
 * Returns the operators that show marks on a page.
 * @param operands see PlacedPage
 * @param names see DrawnParts
 */
function drawnOn(
  page: Page,
  { parts, words, echoes = [] }: Placement,
  operands: string,
  names: readonly string[],
): string {
  const show = (marks: readonly Part[], first: number) => showEach(marks, (_, index) => names[first + index]!);
  const shown = `q ${operands} cm ${show(parts, 0)} Q`;
  if (words === undefined) return shown;
  const copies = echoes.length > 0 ? `\nq ${operands} cm ${show(echoes, parts.length)} Q` : "";
  return `q ${wordsOf(words, `${shown} ${cornerOf(page)} cm`)} Q${copies}`;
}

function outlineOf(page: Page, { matrix, size: { width, height } }: Placement): MarkOutline {
  const corner = (x: number, y: number) => pointAt(matrix, x, y);
  return {
    page: page.index + 1,
    pageSize: displayedSize(page),
    corners: [corner(0, 0), corner(width, 0), corner(width, height), corner(0, height)],
    scale: Math.hypot(matrix[0], matrix[1]),
  };
}

/**
 * Returns whether a part of the mark's box is on the page. Tiled marks are measured by the boxes of their parts, which
 * include the copies. The boxes of text parts are wider than the text, so other marks are measured by their size.
 */
function isOnPage({ matrix, size, parts, echoes = [], isTiled = false }: Placement, page: Size): boolean {
  const area = { x0: 0, y0: 0, x1: page.width, y1: page.height };
  const boxes = isTiled ? [...parts, ...echoes].map(placedBox) : [{ x0: 0, y0: 0, x1: size.width, y1: size.height }];
  return boxes.some((box) => touches(area, box, matrix));
}

/** Returns the sample points of all marks, mapped by `matrix`. */
function pointsOf(parts: readonly Part[], matrix: Matrix): Point[] {
  return parts.flatMap(({ mark: { box }, x, y }) => {
    const [left, bottom, right, top] = box;
    return samplesOf([x + left, y + bottom, x + right, y + top], matrix);
  });
}

/**
 * Returns the matrix that maps a mark into the top right corner of the page. Poppler positions the words of marked
 * content by the matrix that applies at the end of that content. Words in the corner change neither the order nor the
 * columns of the page's own text.
 */
function cornerOf(page: Page): string {
  const { width, height } = displayedSize(page);
  return numbers(
    multiply([CORNER_SCALE, 0, 0, CORNER_SCALE, width - CORNER_PT, height - CORNER_PT], toUserSpace(page)),
  );
}
