/** Draws the first page of a file. The chat view loads this module only when a file exists. */
import { drawPage, openPdf } from "../pdfjs.ts";

/** Maximum size of the drawn page, in CSS pixels. `styles/chat.css` has the same values. */
const WIDTH = 352;
const HEIGHT = 480;

/**
 * Draws the first page of a PDF. Fetches only the parts that the page needs.
 * @throws Error if the file cannot be opened. Its `status` is the status of the HTTP answer, if there was an answer.
 */
export async function drawFirstPage(url: string, password: string | undefined): Promise<HTMLCanvasElement> {
  const loading = openPdf(url, password);
  try {
    const opened = await loading.promise;
    const page = await opened.getPage(1);
    const { width, height } = page.getViewport({ scale: 1 });
    const { canvas, task } = drawPage(page, opened.numPages, Math.min(WIDTH, (HEIGHT * width) / height));
    await task.promise;
    return canvas;
  } finally {
    await loading.destroy();
  }
}
