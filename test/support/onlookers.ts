/** PDF renderers that check whether trial marks are visible. */
import { PDFiumLibrary } from "@hyzyla/pdfium";
import { ownMupdf } from "./mupdf.ts";
import type { Square, TrialMark } from "./trialMarks.ts";

const mupdf = await ownMupdf();

/** A PDF renderer that checks whether a mark is visible. */
export interface Onlooker {
  name: string;
  /** Returns, for each displayed page, whether the mark is visible. */
  look(pdf: Uint8Array, mark: TrialMark): readonly boolean[];
}

/** The PDFium functions that this file calls. The npm package itself can only render whole pages. */
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

/** Maximum number of pages to check, because a damaged file may claim any number of pages. */
const MOST_PAGES = 50;
/** Side in pixels of the square that the renderer draws. The square contains a part of the mark. */
const SIDE = 9;

/**
 * Returns whether any pixel is tinted by the magenta mark. A pixel has `channels` bytes, of which the second is green.
 */
function isTinted(pixels: Uint8Array | Uint8ClampedArray, channels: number): boolean {
  for (let at = 0; at < pixels.length; at += channels) {
    const green = pixels[at + 1]!;
    if (pixels[at]! - green > 12 && pixels[at + 2]! - green > 12) return true;
  }
  return false;
}

type PDFPage = InstanceType<typeof mupdf.PDFPage>;
const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceRGB, [0, 0, SIDE, SIDE], false);

export const MUPDF: Onlooker = {
  name: "MuPDF",
  look(pdf, mark) {
    const marks: boolean[] = [];
    const document = twice(() => mupdf.Document.openDocument(pdf, "application/pdf"));
    if (document instanceof mupdf.PDFDocument && !document.needsPassword()) {
      // MuPDF renders transparent marks in gray if a damaged output intent claims a gray color space
      twice(() => document.getTrailer().get("Root").delete("OutputIntents"));
      const count = Math.min(twice(() => document.countPages()) ?? 0, MOST_PAGES);
      for (let index = 0; index < count; index++) {
        const isMarked = twice(() => mupdfShows(document.loadPage(index), mark));
        if (isMarked !== undefined) marks.push(isMarked);
      }
    }
    document?.destroy();
    return marks;
  },
};

/**
 * Runs a function, and repeats it once if it throws. In the first call, MuPDF repairs a damaged file but still fails.
 * The second call uses the repaired file.
 */
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

/**
 * Returns whether MuPDF shows the mark on a page, or undefined for an object that is not a page. MuPDF shows such an
 * object as an empty page.
 */
function mupdfShows(page: PDFPage, mark: TrialMark): boolean | undefined {
  if (!page.getObject().resolve().isDictionary()) return undefined;
  const [x0, y0, x1, y1] = page.getBounds();
  const { side, left, top } = mark.squareOn(x1 - x0, y1 - y0);
  const scale = SIDE / side;
  pixmap.clear(255);
  const device = new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap);
  try {
    page.runPageContents(device, [scale, 0, 0, scale, -(x0 + left) * scale, -(y0 + top) * scale]);
    device.close();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error; // after any other error, the partly drawn page is checked
  }
  device.destroy();
  page.destroy();
  return isTinted(pixmap.getPixels(), 3);
}

const BGRX = 3;
const pixels = pdfium.wasmExports.malloc(4 * SIDE * SIDE);

export const PDFIUM: Onlooker = {
  name: "PDFium",
  look(pdf, mark) {
    const marks: boolean[] = [];
    const at = pdfium.wasmExports.malloc(pdf.length);
    pdfium.HEAPU8.set(pdf, at);
    const document = pdfium._FPDF_LoadMemDocument(at, pdf.length, 0);
    const count = document === 0 ? 0 : Math.min(pdfium._FPDF_GetPageCount(document), MOST_PAGES);
    for (let index = 0; index < count; index++) {
      const page = pdfium._FPDF_LoadPage(document, index);
      if (page === 0) continue;
      marks.push(pdfiumShows(page, mark.squareOn(pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page))));
      pdfium._FPDF_ClosePage(page);
    }
    if (document !== 0) pdfium._FPDF_CloseDocument(document);
    pdfium.wasmExports.free(at);
    return marks;
  },
};

function pdfiumShows(page: number, { side, left, top }: Square): boolean {
  const pixelsOf = (pt: number) => Math.round((pt * SIDE) / side);
  const [width, height] = [pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page)].map(pixelsOf);
  const bitmap = pdfium._FPDFBitmap_CreateEx(SIDE, SIDE, BGRX, pixels, 4 * SIDE);
  pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, SIDE, SIDE, 0xffffffff);
  pdfium._FPDF_RenderPageBitmap(bitmap, page, -pixelsOf(left), -pixelsOf(top), width!, height!, 0, 0);
  pdfium._FPDFBitmap_Destroy(bitmap);
  return isTinted(pdfium.HEAPU8.subarray(pixels, pixels + 4 * SIDE * SIDE), 4);
}
