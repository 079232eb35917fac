import { crc32, deflateSync } from "node:zlib";
import { PDFiumLibrary } from "@hyzyla/pdfium";

/** Pixels in RGB, rows from the top. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** Renders every page of a PDF with PDFium, each to fit into `box` pixels. */
export async function renderPages(pdf: Uint8Array, box: { width: number; height: number }): Promise<Raster[]> {
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(Buffer.from(pdf));
    const rasters: Raster[] = [];
    for (const page of document.pages()) {
      const size = page.getOriginalSize();
      const scale = Math.min(box.width / size.originalWidth, box.height / size.originalHeight);
      const { width, height, data } = await page.render({ scale, render: "bitmap" });
      const rgb = new Uint8Array(width * height * 3);
      for (let pixel = 0; pixel < width * height; pixel++)
        for (let channel = 0; channel < 3; channel++) rgb[pixel * 3 + channel] = data[pixel * 4 + channel]!;
      rasters.push({ width, height, rgb });
    }
    document.destroy();
    return rasters;
  } finally {
    library.destroy();
  }
}

/** Lays pictures out in rows of cells of one size, centred, on grey. */
export function grid(rows: readonly (readonly Raster[])[], cell: { width: number; height: number }, gap = 8): Raster {
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

/** A PNG of 8-bit RGB; each row holds the differences to the one above, which compresses flat areas best. */
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
