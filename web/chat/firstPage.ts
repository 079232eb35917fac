/** What draws the first page of a file: loaded once there is one. */
import { drawPage, openPdf } from "../pdfjs.ts";

/** The largest that a page is shown, in CSS pixels. `styles/chat.css` has the same. */
const WIDTH = 352;
const HEIGHT = 480;

/**
 * Draws the first page of a PDF. Of a large one only what the page needs is fetched.
 * @throws Error if it cannot be opened: with the `status` of the answer, if that was one
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
