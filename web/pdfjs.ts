/** pdf.js, with what it fetches from this deployment: the page that draws may be of another origin, or of none. */
import {
  GlobalWorkerOptions,
  getDocument,
  type PDFDocumentLoadingTask,
  type PDFPageProxy,
  type PDFWorker,
  type RenderTask,
} from "pdfjs-dist";

const asset = (path: string) => new URL(`/assets/${path}`, import.meta.url).href;

GlobalWorkerOptions.workerSrc = asset("pdf.worker.js");

/** Where pdf.js finds what some files need: character maps, the 14 standard fonts, decoders. */
const DATA = {
  cMapUrl: asset("pdfjs/cmaps/"),
  iccUrl: asset("pdfjs/iccs/"),
  standardFontDataUrl: asset("pdfjs/standard_fonts/"),
  wasmUrl: asset("pdfjs/wasm/"),
  useSystemFonts: false,
};

/** More pixels than this in each direction cost memory, and are not seen. */
const MAX_PIXEL_RATIO = 2;

/**
 * Begins to open a PDF.
 * @param source its bytes, which are used up; or its address, from where only what is drawn is fetched
 * @param worker goes on to other files; without one there is one for this file, and it ends with it
 */
export function openPdf(
  source: Uint8Array | string,
  password: string | undefined,
  worker?: PDFWorker,
): PDFDocumentLoadingTask {
  const from =
    typeof source === "string" ? { url: source, disableAutoFetch: true, disableStream: true } : { data: source };
  return getDocument({ ...DATA, ...from, ...(worker && { worker }), ...(password && { password }) });
}

/** Draws a page, one of so many, as wide as so many CSS pixels are on this screen. */
export function drawPage(
  page: PDFPageProxy,
  pages: number,
  width: number,
): { canvas: HTMLCanvasElement; task: RenderTask } {
  const pixels = width * Math.min(devicePixelRatio, MAX_PIXEL_RATIO);
  const viewport = page.getViewport({ scale: pixels / page.getViewport({ scale: 1 }).width });
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(viewport.width));
  canvas.height = Math.max(1, Math.round(viewport.height));
  canvas.role = "img";
  canvas.ariaLabel = `Page ${page.pageNumber} of ${pages}, marked`;
  return { canvas, task: page.render({ canvas, viewport }) };
}
