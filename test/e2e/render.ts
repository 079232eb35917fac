import { pdfium } from "../../scripts/lib/raster.ts";

/** Page that PDFium, the PDF engine of Chrome, has rendered. */
export interface Rendered {
  width: number;
  height: number;
  /** Pixels in rows from the top, with four bytes each. */
  rgba: Uint8Array;
  /**
   * Returns the color at a point. The coordinates are fractions of width and height, measured from the upper left
   * corner.
   */
  at(x: number, y: number): [number, number, number];
  /** Returns the number of pixels outside `box` that clearly differ from another rendering of the same size. */
  changedOutside(box: Box, other: Rendered): number;
  /**
   * Returns the bounding box of all pixels that `is` accepts, as fractions of the page's width and height. Undefined if
   * `is` accepts no pixel.
   */
  boxOf(is: (rgb: [number, number, number]) => boolean): Box | undefined;
}

/** Box in fractions of the page's width and height, measured from the upper left corner. */
interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Renders every page of a PDF, at one pixel per point by default. */
export async function render(
  pdf: Uint8Array,
  { password, scale = 1 }: { password?: string; scale?: number } = {},
): Promise<Rendered[]> {
  const document = await (await pdfium()).loadDocument(Buffer.from(pdf), password);
  try {
    const pages: Rendered[] = [];
    for (const page of document.pages()) {
      const { width, height, data } = await page.render({ scale, render: "bitmap" });
      pages.push(renderedOf(width, height, data));
    }
    return pages;
  } finally {
    document.destroy();
  }
}

function renderedOf(width: number, height: number, rgba: Uint8Array): Rendered {
  const words = wordsOf(rgba);
  const pixel = (x: number, y: number): [number, number, number] => {
    const at = 4 * (y * width + x);
    return [rgba[at]!, rgba[at + 1]!, rgba[at + 2]!];
  };
  return {
    width,
    height,
    rgba,
    at: (x, y) => pixel(Math.min(width - 1, Math.floor(x * width)), Math.min(height - 1, Math.floor(y * height))),
    changedOutside(box, other) {
      if (other.width !== width || other.height !== height) return Infinity;
      const others = wordsOf(other.rgba);
      let changed = 0;
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          // Fast path: most pixels are equal in both renderings.
          if (words[y * width + x] === others[y * width + x]) continue;
          const inside =
            x >= box.left * width - 2 &&
            x < box.right * width + 2 &&
            y >= box.top * height - 2 &&
            y < box.bottom * height + 2;
          if (inside) continue;
          const [mine, theirs] = [pixel(x, y), other.at((x + 0.5) / width, (y + 0.5) / height)];
          if (mine.some((value, channel) => Math.abs(value - theirs[channel]!) > 32)) changed++;
        }
      return changed;
    },
    boxOf(is) {
      let [left, top, right, bottom] = [width, height, -1, -1];
      let last: number | undefined;
      let isAccepted = false;
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          const word = words[y * width + x];
          // Most pixels equal the previous pixel, which `is` has already tested.
          if (word !== last) isAccepted = is(pixel(x, y));
          last = word;
          if (!isAccepted) continue;
          left = Math.min(left, x);
          right = Math.max(right, x + 1);
          top = Math.min(top, y);
          bottom = Math.max(bottom, y + 1);
        }
      return right < 0
        ? undefined
        : { left: left / width, top: top / height, right: right / width, bottom: bottom / height };
    },
  };
}

/**
 * Returns each pixel as one number. With one array per pixel, comparing hundreds of millions of pixels would take
 * longer than rendering them.
 */
const wordsOf = ({ buffer, byteOffset, length }: Uint8Array) => new Uint32Array(buffer, byteOffset, length / 4);
