import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Canvas, createCanvas, DOMMatrix, ImageData, Path2D } from "@napi-rs/canvas";
import { getDocument, type PDFPageProxy } from "unpdf/pdfjs";
import { packed, type Raster, type Renderer, renderPages, renderPagesByMupdf } from "../../scripts/lib/raster.ts";
import { everyOf } from "../support/allCases.ts";

/** Sampling interval: in `npm test`, a reader that is a separate program draws only one of this many files. */
const SAMPLE_STEP = 6;

/** PDF reader that renders pages. */
export interface Reader {
  name: string;
  /** Name of the required program, if that program is not installed. */
  missing?: string | undefined;
  /**
   * Whether unfinished content of a page affects other pages in this reader. An open path affects the next page, and an
   * open inline image can affect any page.
   */
  leaks?: boolean;
  /** Renders every page at one pixel per point. Rendering stops at the first failure. */
  draw(pdf: Uint8Array, pages: number): Promise<Raster[]>;
}

const atOnePixel = (renderer: Renderer, side: number) => (pdf: Uint8Array) =>
  renderer(pdf, { width: side, height: side });

/** PDF reader for tests with many files. */
interface SamplingReader extends Reader {
  /**
   * Returns the cases that the reader draws. A separate program must start once per file, so `npm test` draws only a
   * sample with it.
   */
  sample<T>(cases: readonly T[]): readonly T[];
}

const all = <T>(cases: readonly T[]) => cases;
const some = <T>(cases: readonly T[]) => everyOf(cases, SAMPLE_STEP);

/** Returns all readers, for square pages with a side of `side` points. */
export function readersOf(side: number): SamplingReader[] {
  return [
    { name: "PDFium", sample: all, draw: atOnePixel(renderPages, side) },
    { name: "MuPDF", sample: all, draw: atOnePixel(renderPagesByMupdf, side) },
    { name: "pdf.js", sample: all, draw: drawByPdfjs },
    { name: "Poppler", sample: some, missing: missing("pdftoppm", "-v"), draw: drawByPoppler },
    { name: "Ghostscript", sample: some, missing: missing("gs", "--version"), leaks: true, draw: drawByGhostscript },
  ];
}

/** Factory of the canvases that pdf.js requests. */
class CanvasFactory {
  create(width: number, height: number) {
    const canvas = createCanvas(width, height);
    return { canvas, context: canvas.getContext("2d") };
  }
  reset({ canvas }: { canvas: Canvas }, width: number, height: number) {
    Object.assign(canvas, { width, height });
  }
  destroy() {}
}

/** Renders every page with pdf.js at one pixel per point. */
export async function drawByPdfjs(pdf: Uint8Array): Promise<Raster[]> {
  Object.assign(globalThis, { DOMMatrix, ImageData, Path2D });
  const document = await getDocument({ data: Uint8Array.from(pdf), verbosity: 0, CanvasFactory }).promise;
  const rasters: Raster[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page: PDFPageProxy = await document.getPage(number);
    const viewport = page.getViewport({ scale: 1 });
    const { width, height } = viewport;
    const canvas = createCanvas(width, height);
    const context = canvas.getContext("2d");
    const target = { canvas, canvasContext: context, viewport } as unknown as Parameters<PDFPageProxy["render"]>[0];
    // After a failure, the canvas shows what was drawn before it, as for a user.
    await page.render(target).promise.catch(() => {});
    const rgba = context.getImageData(0, 0, width, height).data;
    rasters.push({ width, height, rgb: packed(rgba, width, height, width * 4, 4) });
    page.cleanup();
  }
  await document.cleanup();
  return rasters;
}

/** Returns the name of a program if it is not installed. `argument` makes an installed program exit immediately. */
export const missing = (program: string, argument: string) =>
  spawnSync(program, [argument]).error ? program : undefined;

const drawByPoppler = drawBy(
  "pdftoppm",
  (input, folder) => ["-r", "72", input, join(folder, "page")],
  (number, pages) => `page-${String(number).padStart(String(pages).length, "0")}.ppm`,
);

const drawByGhostscript = drawBy(
  "gs",
  (input, folder) => [
    ...["-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=ppmraw", "-r72"],
    ...[`-sOutputFile=${join(folder, "page-%d.ppm")}`, input],
  ],
  (number) => `page-${number}.ppm`,
);

/**
 * Returns a function that renders pages with a program. The program writes one file per page. `read` parses these
 * files, and its default parses PPM.
 */
export function drawBy(
  program: string,
  argumentsOf: (input: string, folder: string) => string[],
  nameOf: (number: number, pages: number) => string,
  read: (file: Buffer) => Raster | Promise<Raster> = parsePpm,
): Reader["draw"] {
  return async (pdf, pages) => {
    const folder = mkdtempSync(join(tmpdir(), "overprint-readers-"));
    try {
      const input = join(folder, "input.pdf");
      writeFileSync(input, pdf);
      execFileSync(program, argumentsOf(input, folder), { stdio: "ignore" });
      const names = Array.from({ length: pages }, (_, index) => nameOf(index + 1, pages));
      return await Promise.all(names.map(async (name) => read(readFileSync(join(folder, name)))));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

/** Parses a binary PPM picture with 8 bits per channel. */
export function parsePpm(file: Buffer): Raster {
  const [head, width, height] = /^P6\s(?:#.*\s)*(\d+)\s(\d+)\s255\s/.exec(file.toString("latin1", 0, 200))!;
  return { width: Number(width), height: Number(height), rgb: file.subarray(head.length) };
}
