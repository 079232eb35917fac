/** Programs that show PDFs, and what they show of the mark of property.ts. */
import { PDFiumLibrary } from "@hyzyla/pdfium";
import type { Reader } from "./property.ts";

// What MuPDF would print about each damage goes nowhere.
Object.assign(globalThis, { $libmupdf_wasm_Module: { print() {}, printErr() {} } });
const mupdf = await import("mupdf");

/** What is used of PDFium's own functions: the package itself draws whole pages only. */
interface Pdfium {
  HEAPU8: Uint8Array;
  wasmExports: { malloc(length: number): number; free(at: number): void };
  _FPDF_LoadMemDocument(at: number, length: number, password: number): number;
  _FPDF_CloseDocument(document: number): void;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, at: number, stride: number): number;
  _FPDFBitmap_FillRect(bitmap: number, x: number, y: number, width: number, height: number, color: number): void;
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDF_RenderPageBitmap(
    ...of: [
      bitmap: number,
      page: number,
      x: number,
      y: number,
      width: number,
      height: number,
      turn: number,
      flags: number,
    ]
  ): void;
}
const { module: pdfium } = (await PDFiumLibrary.init()) as unknown as { module: Pdfium };

/** What a damaged file counts may be any number. */
const MOST_PAGES = 50;
/** Side in pixels of what is drawn of a page: the square where the mark should be. */
const SIDE = 9;
const MIDDLE = (SIDE * SIDE - 1) / 2;

/** The square where the mark is on a page of this size: its side, and how far it is from the right and lower edges. */
function markOn(width: number, height: number): { side: number; margin: number } {
  const margin = Math.min(24, width / 10, height / 10);
  return { side: Math.min(width / 5, height - 2 * margin), margin };
}

const isMagenta = (r: number, g: number, b: number) => r > 230 && g < 25 && b > 230;

type PDFPage = InstanceType<typeof mupdf.PDFPage>;
const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceRGB, [0, 0, SIDE, SIDE], false);

export const MUPDF: Reader = {
  name: "MuPDF",
  look(pdf) {
    const marks: boolean[] = [];
    const document = twice(() => mupdf.Document.openDocument(pdf, "application/pdf"));
    if (document instanceof mupdf.PDFDocument && !document.needsPassword()) {
      const count = Math.min(twice(() => document.countPages()) ?? 0, MOST_PAGES);
      for (let index = 0; index < count; index++) {
        const mark = twice(() => mupdfShowsMark(document.loadPage(index)));
        if (mark !== undefined) marks.push(mark);
      }
    }
    document?.destroy();
    return marks;
  },
};

/** At the first damage that it finds, MuPDF repairs the file and fails; the next time it goes by what it has found. */
function twice<T>(run: () => T): T | undefined {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      return run();
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
    }
  }
  return undefined;
}

/** Returns undefined for what is no page: MuPDF shows it as one that is empty. */
function mupdfShowsMark(page: PDFPage): boolean | undefined {
  if (!page.getObject().resolve().isDictionary()) return undefined;
  const [x0, y0, x1, y1] = page.getBounds();
  const { side, margin } = markOn(x1 - x0, y1 - y0);
  const scale = SIDE / side;
  pixmap.clear(255);
  const device = new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap);
  try {
    page.runPageContents(device, [scale, 0, 0, scale, (margin + side - x1) * scale, (margin + side - y1) * scale]);
    device.close();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error; // otherwise what has been drawn counts
  }
  device.destroy();
  page.destroy();
  const [r, g, b] = pixmap.getPixels().subarray(3 * MIDDLE);
  return isMagenta(r!, g!, b!);
}

const BGRX = 3;
const pixels = pdfium.wasmExports.malloc(4 * SIDE * SIDE);

export const PDFIUM: Reader = {
  name: "PDFium",
  look: (pdf) => Array.from(pdfiumPages(pdf), pdfiumShowsMark),
};

function* pdfiumPages(pdf: Uint8Array): Generator<number> {
  const at = pdfium.wasmExports.malloc(pdf.length);
  pdfium.HEAPU8.set(pdf, at);
  const document = pdfium._FPDF_LoadMemDocument(at, pdf.length, 0);
  const count = document === 0 ? 0 : Math.min(pdfium._FPDF_GetPageCount(document), MOST_PAGES);
  for (let index = 0; index < count; index++) {
    const page = pdfium._FPDF_LoadPage(document, index);
    if (page === 0) continue;
    yield page;
    pdfium._FPDF_ClosePage(page);
  }
  if (document !== 0) pdfium._FPDF_CloseDocument(document);
  pdfium.wasmExports.free(at);
}

function pdfiumShowsMark(page: number): boolean {
  const [width, height] = [pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page)];
  const { side, margin } = markOn(width, height);
  const pixelsOf = (pt: number) => Math.round((pt * SIDE) / side);
  const bitmap = pdfium._FPDFBitmap_CreateEx(SIDE, SIDE, BGRX, pixels, 4 * SIDE);
  pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, SIDE, SIDE, 0xffffffff);
  const [x, y] = [pixelsOf(margin + side - width), pixelsOf(margin + side - height)];
  pdfium._FPDF_RenderPageBitmap(bitmap, page, x, y, pixelsOf(width), pixelsOf(height), 0, 0);
  pdfium._FPDFBitmap_Destroy(bitmap);
  const middle = pixels + 4 * MIDDLE;
  const [b, g, r] = pdfium.HEAPU8.subarray(middle, middle + 3);
  return isMagenta(r!, g!, b!);
}
