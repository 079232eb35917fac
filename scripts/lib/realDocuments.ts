/**
 * Documents that look like those of customers. They serve for visual inspection of marks and for tests of the marks'
 * places.
 */
import { degrees, PDFDocument, type PDFFont, type PDFPage, type RGB, rgb, StandardFonts } from "pdf-lib";

const INK = rgb(0.1, 0.11, 0.14);
const GRAY = rgb(0.42, 0.44, 0.5);
const RULE = rgb(0.8, 0.82, 0.86);
const BLUE = rgb(0.09, 0.27, 0.55);
const RED = rgb(0.78, 0.12, 0.14);

/**
 * The rows of a QR code (version 2, 25 modules wide) as hexadecimal numbers. Bits that are set are dark modules. The QR
 * code contains the text "OP7K2L LIS-AMS 12A seq 014".
 */
const QR_ROWS =
  `1fc937f 104f241 175e45d 175db5d 175e05d 105b341 1fd557f 0017200 17cdf7c 1f894e2 0f6ba65 1c96691 1167e49 1d9d02f 15c5787 10884fa 12f4ff6 0013519 1fcc35f 1055510 1758bf8 175f0c7 1755169 1045249 1fd08cf`.split(
    " ",
  );
const QR_MODULES = 25;

const SENTENCES = [
  "Thank you for the quotation of 3 November, which we have discussed with our works council and our bank.",
  "We accept the delivery dates for the first two lots and ask you to move the third one by a week.",
  "The drawings in the annex show the changed fixings, so please check them before production begins.",
  "Our purchasing department will send the order as soon as you confirm the price per square meter.",
  "Samples of both colors should reach our laboratory at least ten days before the first delivery.",
  "The warranty covers material and workmanship for five years from the day of acceptance.",
];

interface Fonts {
  readonly regular: PDFFont;
  readonly bold: PDFFont;
  readonly serif: PDFFont;
}

type Draw = (add: (width: number, height: number) => PDFPage, fonts: Fonts) => void;

/** The function that draws each document, by the name of the document. */
const DOCUMENTS = {
  letterhead(add, { regular, bold }) {
    const page = add(595, 842);
    for (const [index, color] of [BLUE, RED].entries())
      page.drawCircle({ x: 500 + index * 18, y: 780, size: 20, color, opacity: 1 });
    write(page, "HOLLIS & VAN DAM", 400, 742, 12, bold, BLUE);
    write(page, "Hollis & Van Dam · Quay 14 · 3011 AB Rotterdam", 64, 690, 7, regular, GRAY);
    for (const [index, line] of [
      "Example Trading Company",
      "Attn. Purchasing",
      "12 Mill Lane",
      "Leeds LS1 4AP",
    ].entries())
      write(page, line, 64, 672 - index * 14, 10.5, regular);
    write(page, "Rotterdam, 12 November 2026", 400, 600, 10.5, regular);
    write(page, "Your quotation 2026-1183", 64, 560, 10.5, bold);
    paragraphs(page, regular, { x: 64, y: 530, width: 467, size: 10.5, count: 14 });
    page.drawLine({ start: { x: 64, y: 74 }, end: { x: 531, y: 74 }, thickness: 0.5, color: BLUE });
    for (const [index, line] of [
      "Chamber of commerce 24312345",
      "VAT NL001234567B01",
      "Account 0417 1643 00",
    ].entries())
      write(page, line, 64 + index * 165, 60, 7, regular, GRAY);
  },

  invoice(add, { regular, bold }) {
    const page = add(595, 842);
    write(page, "INVOICE", 64, 770, 24, bold);
    write(page, "No. 2026-00417", 430, 776, 10, regular);
    write(page, "Due 12 December 2026", 430, 762, 10, regular);
    page.drawRectangle({ x: 64, y: 640, width: 467, height: 22, color: rgb(0.91, 0.94, 0.98) });
    for (const [label, x] of [
      ["Item", 70],
      ["Quantity", 330],
      ["Price", 405],
      ["Amount", 475],
    ] as const)
      write(page, label, x, 647, 9, bold);
    for (let row = 0; row < 14; row++) {
      const y = 620 - row * 24;
      write(page, `Facade panel type ${String.fromCharCode(65 + row)}, anodized`, 70, y, 9, regular);
      write(page, String(4 + row * 3), 345, y, 9, regular);
      write(page, `${(17.5 + row).toFixed(2)}`, 405, y, 9, regular);
      write(page, ((4 + row * 3) * (17.5 + row)).toFixed(2), 475, y, 9, regular);
      page.drawLine({ start: { x: 64, y: y - 8 }, end: { x: 531, y: y - 8 }, thickness: 0.4, color: RULE });
    }
    write(page, "Total EUR 9,871.00", 400, 258, 13, bold);
    write(page, "Please pay to account 0417 1643 00 within 30 days.", 64, 60, 8, regular, GRAY);
  },

  slides(add, { regular, bold }) {
    const title = add(960, 540);
    title.drawRectangle({ x: 0, y: 0, width: 960, height: 540, color: rgb(0.07, 0.1, 0.2) });
    write(title, "Results of the third quarter", 80, 290, 44, bold, rgb(1, 1, 1));
    write(title, "Board meeting, 20 November 2026", 80, 240, 20, regular, rgb(0.7, 0.78, 0.92));
    const chart = add(960, 540);
    write(chart, "Revenue grew in every region", 60, 470, 30, bold, BLUE);
    for (const [index, line] of [
      "North: new plant since May",
      "South: price rise of 4 %",
      "Export: two large orders",
    ].entries())
      write(chart, `•  ${line}`, 60, 400 - index * 40, 20, regular);
    for (const [index, height] of [120, 150, 135, 190, 240, 265].entries())
      chart.drawRectangle({ x: 520 + index * 62, y: 90, width: 44, height, color: index > 3 ? RED : BLUE });
    write(chart, "Confidential · page 2", 60, 30, 10, regular, GRAY);
  },

  boardingPass(add, { regular, bold }) {
    const page = add(595, 842);
    page.drawRectangle({ x: 40, y: 560, width: 515, height: 230, borderColor: GRAY, borderWidth: 1 });
    page.drawRectangle({ x: 40, y: 752, width: 515, height: 38, color: BLUE });
    write(page, "BOARDING PASS", 56, 765, 16, bold, rgb(1, 1, 1));
    for (const [index, [label, value]] of [
      ["Passenger", "DE WIT / ANNE"],
      ["From", "Lisbon LIS"],
      ["To", "Amsterdam AMS"],
      ["Seat", "12A"],
    ].entries()) {
      write(page, label!, 56, 722 - index * 40, 8, regular, GRAY);
      write(page, value!, 56, 706 - index * 40, 14, bold);
    }
    qrCode(page, 400, 600, 120);
    write(page, "Before you travel", 40, 520, 14, bold);
    paragraphs(page, regular, { x: 40, y: 495, width: 515, size: 10, count: 8 });
  },

  cadPlan(add, { regular, bold }) {
    const page = add(1191, 842);
    page.drawRectangle({ x: 20, y: 20, width: 1151, height: 802, borderColor: INK, borderWidth: 1.4 });
    for (let column = 0; column < 9; column++)
      for (let row = 0; row < 6; row++) {
        const [x, y] = [70 + column * 95, 250 + row * 88];
        page.drawRectangle({
          x,
          y,
          width: 80 + ((column * row) % 3) * 7,
          height: 74,
          borderColor: row % 2 ? RED : BLUE,
          borderWidth: 0.7,
        });
        write(page, `${row + 1}.${column + 1}`, x + 4, y + 5, 6, regular, GRAY);
        page.drawLine({ start: { x, y }, end: { x: x + 40, y: y + 74 }, thickness: 0.3, color: GRAY });
      }
    for (let line = 0; line < 22; line++)
      page.drawLine({
        start: { x: 60, y: 60 + line * 8 },
        end: { x: 700, y: 60 + line * 8 },
        thickness: 0.25,
        color: rgb(0, 0.55, 0.3),
      });
    page.drawRectangle({ x: 851, y: 20, width: 320, height: 130, borderColor: INK, borderWidth: 1 });
    write(page, "Ground floor, section B-B", 862, 120, 14, bold);
    write(page, "Drawing 7714-B · scale 1:50 · A3", 862, 98, 9, regular);
    write(page, "Checked 4 November 2026", 862, 82, 9, regular);
  },

  bookPage(add, { serif }) {
    const page = add(432, 648);
    write(page, "THE LIGHTHOUSE KEEPERS", 150, 606, 8, serif, GRAY);
    paragraphs(page, serif, { x: 56, y: 578, width: 320, size: 10.5, count: 26 });
    write(page, "117", 209, 36, 9, serif);
  },

  label(add, { regular, bold }) {
    const page = add(288, 432);
    page.drawRectangle({ x: 8, y: 8, width: 272, height: 416, borderColor: INK, borderWidth: 1.5 });
    write(page, "PRIORITY", 20, 380, 30, bold);
    for (const [index, line] of ["Anne de Wit", "Haven 52", "3111 CH Schiedam", "NETHERLANDS"].entries())
      write(page, line, 20, 330 - index * 18, 13, regular);
    for (let bar = 0, x = 24; x < 258; bar++) {
      const width = 1 + ((bar * 7) % 3);
      page.drawRectangle({ x, y: 90, width, height: 90, color: INK });
      x += width + 1 + ((bar * 5) % 3);
    }
    write(page, "3S OPR 0417 1643 00", 60, 70, 11, regular);
  },

  receipt(add, { regular, bold }) {
    const page = add(227, 560);
    write(page, "CORNER SHOP", 66, 530, 13, bold);
    for (let row = 0; row < 22; row++) {
      const y = 500 - row * 17;
      write(page, ["Bread", "Milk 1 l", "Coffee beans", "Apples"][row % 4]!, 14, y, 9, regular);
      write(page, (1.15 + row * 0.4).toFixed(2), 180, y, 9, regular);
    }
    write(page, "TOTAL   EUR 117.70", 14, 110, 12, bold);
    write(page, "VAT NL001234567B01 · order 88-1203", 14, 88, 8, regular);
    write(page, "Thank you", 90, 40, 9, regular);
  },

  scan(add, { serif }) {
    const page = add(595, 842);
    page.setRotation(degrees(90));
    page.drawRectangle({ x: 0, y: 0, width: 595, height: 842, color: rgb(0.94, 0.92, 0.87) });
    paragraphs(page, serif, { x: 70, y: 760, width: 455, size: 11, count: 30 });
  },
} satisfies Record<string, Draw>;

/** The name of a document. */
export type RealDocument = keyof typeof DOCUMENTS;
/** The names of all documents. */
export const REAL_DOCUMENTS = Object.keys(DOCUMENTS) as RealDocument[];

/** Creates the document with a given name. */
export async function realDocument(name: RealDocument): Promise<Uint8Array<ArrayBuffer>> {
  const document = await PDFDocument.create();
  const fonts = {
    regular: await document.embedFont(StandardFonts.Helvetica),
    bold: await document.embedFont(StandardFonts.HelveticaBold),
    serif: await document.embedFont(StandardFonts.TimesRoman),
  };
  DOCUMENTS[name]((width, height) => document.addPage([width, height]), fonts);
  return new Uint8Array(await document.save());
}

function write(page: PDFPage, text: string, x: number, y: number, size: number, font: PDFFont, color: RGB = INK): void {
  page.drawText(text, { x, y, size, font, color });
}

/** Writes `count` sentences, broken at `width`, from the top left corner at (x, y), in points. */
function paragraphs(
  page: PDFPage,
  font: PDFFont,
  { x, y, width, size, count }: { x: number; y: number; width: number; size: number; count: number },
): void {
  const text = Array.from({ length: count }, (_, index) => SENTENCES[index % SENTENCES.length]).join(" ");
  page.drawText(text, { x, y, size, font, color: INK, maxWidth: width, lineHeight: size * 1.45 });
}

/** Draws the QR code as rectangles, with its lower left corner at (x, y). */
function qrCode(page: PDFPage, x: number, y: number, side: number): void {
  const module = side / QR_MODULES;
  for (const [row, bits] of QR_ROWS.entries())
    for (let column = 0; column < QR_MODULES; column++)
      if ((Number.parseInt(bits, 16) >> (QR_MODULES - 1 - column)) & 1)
        page.drawRectangle({
          x: x + column * module,
          y: y + side - (row + 1) * module,
          width: module,
          height: module,
          color: INK,
        });
}
