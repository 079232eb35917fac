/** Finds the areas that the content of pages paints. These areas cover a mark that lies under the content. */
import type { InkSink } from "../content/inkScan.ts";
import type { Box } from "../pages/boxes.ts";
import { BEGINNING, PageInkReader } from "../pages/pageInk.ts";
import type { PdfDocument } from "./pdfDocument.ts";

/** Maximum number of pages that are read in a file. All later pages count as unpainted. */
const MAX_PAGES = 1000;
/** Maximum number of areas of a page or an appearance. */
const MAX_AREAS = 256;

/** Returns a sink that adds the opaque areas that content paints to `boxes`, up to a limit. */
export function opaqueAreasInto(boxes: Box[]): InkSink {
  return {
    area({ bounds: [x0, y0, x1, y1], isOpaque }) {
      if (isOpaque && boxes.length < MAX_AREAS) boxes.push({ x0, y0, x1, y1 });
    },
  };
}

/**
 * Returns, by page index, the opaque rectangles that the beginning of each page's content paints. The rectangles are in
 * user space. Must be called before a mark is laid over the pages.
 */
export async function paintedPages({ objects, pages }: PdfDocument): Promise<readonly Box[][]> {
  const reader = new PageInkReader(objects, BEGINNING);
  const painted: Box[][] = [];
  for (const page of pages.slice(0, MAX_PAGES)) {
    const boxes: Box[] = [];
    await reader.read(page, opaqueAreasInto(boxes));
    painted.push(boxes);
    await objects.source.meter.yieldIfDue();
  }
  return painted;
}
