import { crc32, deflateSync } from "node:zlib";
import { PDFiumLibrary } from "@hyzyla/pdfium";
import { ColorSpace, Document, Matrix } from "mupdf";

/** An image in 8-bit RGB. Its rows begin at the top. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** A size in pixels. */
interface Size {
  width: number;
  height: number;
}

/** Renders every page of a PDF, each scaled to fit into `box` (in pixels). */
export type Renderer = (pdf: Uint8Array, box: Size) => Promise<Raster[]>;

let library: Promise<PDFiumLibrary> | undefined;

/**
 * Loads PDFium, the PDF engine of Chrome. PDFium is loaded only once, because loading takes longer than drawing a page.
 */
export function pdfium(): Promise<PDFiumLibrary> {
  library ??= PDFiumLibrary.init();
  return library;
}

/** Renders every page with PDFium. */
export const renderPages: Renderer = async (pdf, box) => {
  const document = await (await pdfium()).loadDocument(Buffer.from(pdf));
  try {
    const rasters: Raster[] = [];
    for (const page of document.pages()) {
      const size = page.getOriginalSize();
      const scale = Math.min(box.width / size.originalWidth, box.height / size.originalHeight);
      const { width, height, data } = await page.render({ scale, render: "bitmap" });
      rasters.push({ width, height, rgb: packed(data, width, height, width * 4, 4) });
    }
    return rasters;
  } finally {
    document.destroy();
  }
};

/** Renders every page with MuPDF. */
export const renderPagesByMupdf: Renderer = async (pdf, box) => {
  const document = Document.openDocument(pdf, "application/pdf");
  const rasters = Array.from({ length: document.countPages() }, (_, index) => {
    const page = document.loadPage(index);
    const [left, top, right, bottom] = page.getBounds();
    const scale = Math.min(box.width / (right - left), box.height / (bottom - top));
    const pixmap = page.toPixmap(Matrix.scale(scale, scale), ColorSpace.DeviceRGB);
    const [width, height] = [Math.min(pixmap.getWidth(), box.width), Math.min(pixmap.getHeight(), box.height)];
    return { width, height, rgb: packed(pixmap.getPixels(), width, height, pixmap.getStride(), 3) };
  });
  document.destroy();
  return rasters;
};

/**
 * Copies the RGB values of an image without padding. The image has `channels` bytes per pixel and `stride` bytes per
 * row.
 */
export function packed(
  data: Uint8Array | Uint8ClampedArray,
  width: number,
  height: number,
  stride: number,
  channels: number,
): Uint8Array {
  const rgb = new Uint8Array(width * height * 3);
  let to = 0;
  for (let y = 0; y < height; y++)
    for (let from = y * stride; from < y * stride + width * channels; from += channels) {
      rgb[to++] = data[from]!;
      rgb[to++] = data[from + 1]!;
      rgb[to++] = data[from + 2]!;
    }
  return rgb;
}

/** Arranges images in rows of equal cells, each centered in its cell on gray. */
export function grid(rows: readonly (readonly Raster[])[], cell: Size, gap = 8): Raster {
  const columns = Math.max(...rows.map((row) => row.length));
  const [stepX, stepY] = [cell.width + gap, cell.height + gap];
  const [width, height] = [columns * stepX + gap, rows.length * stepY + gap];
  const rgb = new Uint8Array(width * height * 3).fill(0xdd);
  for (const [y, row] of rows.entries())
    for (const [x, picture] of row.entries()) {
      const left = gap + x * stepX + Math.floor((cell.width - picture.width) / 2);
      const top = gap + y * stepY + Math.floor((cell.height - picture.height) / 2);
      for (let line = 0; line < picture.height; line++) {
        const from = line * picture.width * 3;
        rgb.set(picture.rgb.subarray(from, from + picture.width * 3), ((top + line) * width + left) * 3);
      }
    }
  return { width, height, rgb };
}

/** Encodes a PNG of 8-bit RGB. Rows use the Up filter, which compresses flat areas best. */
export function pngOf({ width, height, rgb }: Raster): Uint8Array {
  const rows = new Uint8Array(height * (width * 3 + 1));
  for (let y = 0; y < height; y++) {
    const at = y * (width * 3 + 1);
    rows[at] = 2;
    for (let i = 0; i < width * 3; i++)
      rows[at + 1 + i] = rgb[y * width * 3 + i]! - (y > 0 ? rgb[(y - 1) * width * 3 + i]! : 0);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(rows, { level: 9 });
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, "latin1");
  framed.set(data, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, -4)), data.length + 8);
  return framed;
}
