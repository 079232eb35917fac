/** Draws the first page of a file. Pages load this module only when they have a file to draw. */
import { drawPage, openPdf } from "./pdfjs.ts";

/**
 * Draws the first page of a PDF.
 * @param source the bytes, whose buffer is transferred; or the URL, from which only the needed parts are fetched
 * @param most maximum size of the drawn page, in CSS pixels
 * @throws Error if the file cannot be opened. Its `status` is the status of the HTTP answer, if there was an answer.
 */
export async function drawFirstPage(
  source: Uint8Array | string,
  password: string | undefined,
  most: { width: number; height: number },
): Promise<HTMLCanvasElement> {
  const loading = openPdf(source, password);
  try {
    const opened = await loading.promise;
    const page = await opened.getPage(1);
    const { width, height } = page.getViewport({ scale: 1 });
    const { canvas, task } = drawPage(page, opened.numPages, Math.min(most.width, (most.height * width) / height));
    await task.promise;
    return canvas;
  } finally {
    await loading.destroy();
  }
}
