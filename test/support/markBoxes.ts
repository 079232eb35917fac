import { type ImageMark, watermark } from "../../src/engine/index.ts";
import { joined } from "./bytes.ts";
import { ownMupdf } from "./mupdf.ts";
import { MAGENTA } from "./stamp.ts";

/** A rectangle on a displayed page, in points from its lower left corner: left, bottom, right, top. */
export type DisplayedBox = readonly [number, number, number, number];

const mupdf = await ownMupdf();

/** Marks a PDF with an opaque magenta square. Returns the bounding box of the mark on each displayed page. */
export async function markBoxes(
  source: Uint8Array,
  options: Omit<ImageMark, "image">,
): Promise<(DisplayedBox | undefined)[]> {
  const plan = await watermark(source, { image: MAGENTA, opacity: 1, ...options });
  return magentaBoxes(await joined(plan.chunks()));
}

/**
 * Returns the bounding box of the magenta pixels on each displayed page. MuPDF renders each page at one pixel per
 * point.
 */
function magentaBoxes(pdf: Uint8Array): (DisplayedBox | undefined)[] {
  const document = mupdf.Document.openDocument(pdf, "application/pdf");
  return Array.from({ length: document.countPages() }, (_, index) => {
    const pixmap = document.loadPage(index).toPixmap(mupdf.Matrix.identity, mupdf.ColorSpace.DeviceRGB, false);
    const [width, height, pixels] = [pixmap.getWidth(), pixmap.getHeight(), pixmap.getPixels()];
    let [left, bottom, right, top] = [width, height, 0, 0];
    for (let row = 0; row < height; row++)
      for (let x = 0; x < width; x++) {
        const at = 3 * (row * width + x);
        if (pixels[at]! < 200 || pixels[at + 1]! > 100 || pixels[at + 2]! < 200) continue;
        const y = height - 1 - row;
        [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
        [bottom, top] = [Math.min(bottom, y), Math.max(top, y + 1)];
      }
    return right > left ? [left, bottom, right, top] : undefined;
  });
}
