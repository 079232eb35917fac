import {
  concatTransformationMatrix,
  degrees,
  PDFDocument,
  type PDFFont,
  type PDFPage,
  rgb,
  StandardFonts,
} from "pdf-lib";

const INK = rgb(0.1, 0.11, 0.14);
const QUIET = rgb(0.42, 0.44, 0.5);
const RULE = rgb(0.82, 0.83, 0.86);
const MARGIN = 64;
const DATE = new Date("2026-01-15T09:00:00Z");

const CLAUSES = [
  [
    "1. Purpose",
    "The parties wish to explore the joint production of a printed catalog, and in doing so will show each other drafts, prices and customer lists that neither has published.",
  ],
  [
    "2. What is confidential",
    "Everything that one party gives to the other in writing, on a screen or by word of mouth, if it is marked as confidential on each page or if a reasonable reader would consider it so.",
  ],
  [
    "3. What the receiver does",
    "The receiver keeps it as carefully as its own, shows it only to those who work on the catalog, and gives it back or destroys it within ten days of being asked to.",
  ],
  [
    "4. What is not covered",
    "What the receiver knew before, what is public through no act of the receiver's, and what a court demands to see, of which the receiver gives notice where it may.",
  ],
  [
    "5. How long it lasts",
    "Two years from the date of signature, whether or not the catalog is printed. Trade secrets stay covered for as long as they are such.",
  ],
] as const;

const SALES = [38, 52, 47, 61, 74, 69, 88, 97] as const;
const SCHEDULE = [
  ["Manuscript", "4 February", "Author"],
  ["First proofs", "20 February", "Printer"],
  ["Corrections", "6 March", "Author"],
  ["Press proofs", "13 March", "Printer"],
  ["Printing", "20 March", "Printer"],
  ["Binding", "3 April", "Binder"],
  ["Delivery", "10 April", "Carrier"],
] as const;

/**
 * Creates the sample of the page at `/`: a contract of four pages, which are upright, landscape, rotated by /Rotate,
 * and cropped off the origin. Its bytes are always the same.
 */
export async function sampleContract(): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.setTitle("Non-disclosure agreement (sample)");
  document.setCreationDate(DATE);
  document.setModificationDate(DATE);
  const serif = await document.embedFont(StandardFonts.TimesRoman);
  const sans = await document.embedFont(StandardFonts.Helvetica);
  const bold = await document.embedFont(StandardFonts.HelveticaBold);
  const heading = (page: PDFPage, title: string, note: string, left = MARGIN, top = page.getHeight() - MARGIN) => {
    page.drawText(note.toUpperCase(), { x: left, y: top, size: 8, font: sans, color: QUIET });
    page.drawText(title, { x: left, y: top - 32, size: 25, font: bold, color: INK });
  };

  const first = document.addPage([595, 842]);
  heading(first, "Non-disclosure agreement", "Between Halftone Press and Gutter & Bleed Ltd");
  clauses(first, CLAUSES, serif, bold, MARGIN, 690);
  for (const [x, name] of [
    [MARGIN, "Halftone Press"],
    [330, "Gutter & Bleed Ltd"],
  ] as const) {
    first.drawLine({ start: { x, y: 110 }, end: { x: x + 200, y: 110 }, thickness: 0.8, color: INK });
    first.drawText(name, { x, y: 94, size: 9, font: sans, color: QUIET });
  }

  const chart = document.addPage([842, 595]);
  heading(chart, "Copies sold, in thousands", "Annex A: a landscape page");
  for (const [index, value] of SALES.entries()) {
    const x = MARGIN + index * 90;
    chart.drawRectangle({ x, y: 90, width: 62, height: value * 3.4, color: rgb(0.78, 0.83, 0.9) });
    chart.drawText(String(value), { x, y: 98 + value * 3.4, size: 12, font: bold, color: INK });
    chart.drawText(String(2018 + index), { x, y: 70, size: 10, font: sans, color: QUIET });
  }

  const turned = document.addPage([842, 595]);
  turned.setRotation(degrees(90));
  // stores the content sideways, as a scanner does
  turned.pushOperators(concatTransformationMatrix(0, 1, -1, 0, 842, 0));
  heading(turned, "Schedule", "Annex B: a page that is stored on its side", MARGIN, 842 - MARGIN);
  for (const [row, cells] of SCHEDULE.entries()) {
    const y = 690 - row * 46;
    for (const [column, cell] of cells.entries())
      turned.drawText(cell, { x: MARGIN + column * 170, y, size: 14, font: column === 0 ? bold : serif, color: INK });
    turned.drawLine({ start: { x: MARGIN, y: y - 16 }, end: { x: 531, y: y - 16 }, thickness: 0.6, color: RULE });
  }

  const cropped = document.addPage([800, 1000]);
  cropped.setCropBox(100, 80, 595, 842);
  heading(cropped, "House rules", "Annex C: a page cropped off its origin", 164, 858);
  clauses(cropped, CLAUSES.slice(1, 4), serif, bold, 164, 770);
  return document.save();
}

function clauses(
  page: PDFPage,
  paragraphs: readonly (readonly [string, string])[],
  serif: PDFFont,
  bold: PDFFont,
  x: number,
  top: number,
): void {
  for (const [index, [title, words]] of paragraphs.entries()) {
    const y = top - index * 108;
    page.drawText(title, { x, y, size: 12, font: bold, color: INK });
    page.drawText(words, { x, y: y - 21, size: 12.5, lineHeight: 18, font: serif, color: INK, maxWidth: 467 });
  }
}
