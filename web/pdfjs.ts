/**
 * Configures pdf.js to load its own data from absolute URLs of this deployment. Relative URLs would fail in the chat
 * view, whose document has no URL.
 */
import {
  GlobalWorkerOptions,
  getDocument,
  type PDFDocumentLoadingTask,
  type PDFPageProxy,
  type PDFWorker,
  type RenderTask,
  VerbosityLevel,
} from "pdfjs-dist";

const asset = (path: string) => new URL(`/assets/${path}`, import.meta.url).href;

GlobalWorkerOptions.workerSrc = asset("pdf.worker.js");

/** Data that pdf.js needs for some files: character maps, the 14 standard fonts, color profiles and decoders. */
const DATA = {
  cMapUrl: asset("pdfjs/cmaps/"),
  iccUrl: asset("pdfjs/iccs/"),
  standardFontDataUrl: asset("pdfjs/standard_fonts/"),
  wasmUrl: asset("pdfjs/wasm/"),
  useSystemFonts: false,
  verbosity: VerbosityLevel.ERRORS, // warnings about damaged files and replaced documents are only for developers
};

/** Maximum pixel ratio. More pixels cost memory without visible benefit. */
const MAX_PIXEL_RATIO = 2;

/**
 * Begins to open a PDF.
 * @param source the bytes, whose buffer is transferred; or the URL, from which only the needed parts are fetched
 * @param worker a worker that several files share. By default, the file gets its own worker, which ends with the file.
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

/**
 * Draws a page.
 * @param pages total number of pages, for the accessible name of the picture
 * @param width width on the screen in CSS pixels
 */
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
