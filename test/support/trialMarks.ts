/**
 * Marks that are clearly visible on any page, even of a damaged file. Each mark comes with a square in which it must be
 * visible.
 */
import { readImage } from "../../src/engine/images/readImage.ts";
import type { LoadFont, TextMark } from "../../src/engine/index.ts";
import { markWithImage } from "../../src/engine/marks/imageMark.ts";
import { markWithText } from "../../src/engine/marks/textMark.ts";
import type { PdfDocument } from "../../src/engine/pdf/document/pdfDocument.ts";
import { MAGENTA } from "./stamp.ts";

/**
 * A square on a displayed page: the length of its side, and its distances from the left and upper edges of the page.
 */
export interface Square {
  side: number;
  left: number;
  top: number;
}

export interface TrialMark {
  lay(document: PdfDocument): Promise<unknown>;
  /** Returns a square that contains a part of the mark, on a displayed page of this size. */
  squareOn(width: number, height: number): Square;
}

/** An opaque magenta square in the lower right corner, a fifth of the page wide. */
export const CORNER: TrialMark = {
  async lay(document) {
    const picture = await readImage(MAGENTA, { maxPixels: 64 });
    await markWithImage(document, picture, { position: "bottom-right", scale: 0.2, opacity: 1 });
  },
  squareOn(width, height) {
    const margin = Math.min(24, width / 10, height / 10);
    const side = Math.min(width / 5, height - 2 * margin);
    return { side, left: width - margin - side, top: height - margin - side };
  },
};

/** Returns three text marks: the same text on all pages, a text with page numbers, and a tiled transparent text. */
export function textMarks(loadFont: LoadFont): TrialMark[] {
  const middle = (share: number, mark: TextMark): TrialMark => ({
    lay: (document) => markWithText(document, { ...mark, color: "#ff00ff" }, { loadFont, date: new Date(0) }),
    squareOn(width, height) {
      const side = share * Math.min(width, height);
      return { side, left: (width - side) / 2, top: (height - side) / 2 };
    },
  });
  return [
    middle(0.1, { text: "MMM", template: "horizontal", opacity: 1 }),
    middle(0.1, { text: "M{page}M", template: "horizontal", opacity: 1 }),
    middle(0.25, { text: "MMMMMM", template: "tiled", opacity: 0.6 }),
  ];
}
