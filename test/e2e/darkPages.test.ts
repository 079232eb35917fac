/** Tests that images and the letters of marks, not only their edges, are visible on dark pages in several readers. */
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import { describe, expect, it } from "vitest";
import { loadFont } from "../../scripts/lib/loadFont.ts";
import { type Raster, renderPages, renderPagesByMupdf } from "../../scripts/lib/raster.ts";
import { TEMPLATES, type TemplateName, watermark } from "../../src/engine/index.ts";
import { everyOf } from "../support/allCases.ts";
import { joined } from "../support/bytes.ts";
import { pdfOf, streamOf } from "../support/pdf.ts";
import { drawBy, missing } from "./readers.ts";

const [WIDTH, HEIGHT] = [600, 840];
const DPI = 150;
const BOX = { width: (WIDTH * DPI) / 72, height: (HEIGHT * DPI) / 72 };
/** Colors of the tested pages. */
const COLORS = [
  [0, 0, 0],
  [18, 25, 51],
  [64, 64, 64],
  [110, 110, 110],
  [0, 0, 255],
  [96, 0, 24],
  [0, 80, 60],
] as const;
/** Distance between the rows of pixels in which the test looks for an edge. */
const ROW_STEP = 9;
/** Minimum ink of a stroke pixel, as a share of the darkest pixel's ink. */
const SOLID = 0.98;

const drawByPoppler = drawBy(
  "pdftoppm",
  (input, folder) => ["-r", String(DPI), input, join(folder, "page")],
  (number) => `page-${number}.ppm`,
);
const READERS = [
  ["MuPDF", undefined, (pdf: Uint8Array) => renderPagesByMupdf(pdf, BOX), 3],
  ["PDFium", undefined, (pdf: Uint8Array) => renderPages(pdf, BOX), 4],
  ["Poppler", missing("pdftoppm", "-v"), (pdf: Uint8Array) => drawByPoppler(pdf, COLORS.length + 1), 4],
] as const;

/** Returns a PDF whose first page is white, and whose other pages have the colors `COLORS`. */
function coloredPages(): Uint8Array {
  const contents = ["", ...COLORS.map((color) => `${color.map((value) => value / 255).join(" ")} rg 0 0 600 840 re f`)];
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${contents.length} /Kids [${contents.map((_, i) => `${2 * i + 3} 0 R`).join(" ")}] /MediaBox [0 0 ${WIDTH} ${HEIGHT}] >>`,
    ...contents.flatMap((content, i) => [
      `<< /Type /Page /Parent 2 0 R /Contents ${2 * i + 4} 0 R >>`,
      streamOf(content),
    ]),
  ]);
}

/** Returns the indexes of the pixels of letters on the white page. */
function strokesOn({ rgb }: Raster): number[] {
  const inks = Array.from(
    { length: rgb.length / 3 },
    (_, at) => 765 - rgb[3 * at]! - rgb[3 * at + 1]! - rgb[3 * at + 2]!,
  );
  const most = inks.reduce((a, b) => Math.max(a, b));
  return inks.flatMap((ink, at) => (ink >= SOLID * most ? [at] : []));
}

/** Returns the relative luminance of a color, plus the 0.05 that WCAG 2.2 adds to both sides of a contrast ratio. */
function luminance(color: Iterable<number>): number {
  const [red, green, blue] = Array.from(color, (value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.05 + 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** Returns a PNG of a disk in one color on a transparent background. */
function diskOf([red, green, blue]: readonly [number, number, number]): Uint8Array {
  const canvas = createCanvas(200, 100);
  const ink = canvas.getContext("2d");
  ink.fillStyle = `rgb(${red}, ${green}, ${blue})`;
  ink.arc(100, 50, 45, 0, 2 * Math.PI);
  ink.fill();
  return canvas.toBuffer("image/png");
}

/** Returns the highest contrast between the page color and a pixel in every `ROW_STEP`th row of a rendered page. */
function highestContrast({ rgb, width }: Raster, color: readonly number[]): number {
  const colors = new Set<number>();
  for (let row = 0; row < rgb.length; row += 3 * width * ROW_STEP)
    for (let at = row; at < row + 3 * width && at < rgb.length; at += 3)
      colors.add((rgb[at]! << 16) | (rgb[at + 1]! << 8) | rgb[at + 2]!);
  const page = luminance(color);
  const contrasts = Array.from(colors, (rgb) => {
    const pixel = luminance([rgb >> 16, (rgb >> 8) & 255, rgb & 255]);
    return Math.max(pixel, page) / Math.min(pixel, page);
  });
  return Math.max(...contrasts);
}

describe.each(READERS)("marks on dark pages, rendered by %s", (_, program, draw, step) => {
  it.skipIf(program).each(everyOf(Object.keys(TEMPLATES) as TemplateName[], step))(
    "the letters of the template %s have a contrast of at least 1.5:1 with dark pages",
    async (template) => {
      const text = TEMPLATES[template].small ? "CONFIDENTIAL ".repeat(12) : "CONFIDENTIAL";
      const plan = await watermark(coloredPages(), { text, template }, { loadFont });
      const [white, ...pages] = await draw(await joined(plan.chunks()));
      const strokes = strokesOn(white!);
      expect(strokes.length).toBeGreaterThan(50);
      const contrasts = pages.map(({ rgb }, i) => {
        const page = luminance(COLORS[i]!);
        const letters = strokes.map((at) => luminance(rgb.subarray(3 * at, 3 * at + 3)));
        const contrast = (letter: number) => Math.max(letter, page) / Math.min(letter, page);
        return [COLORS[i], letters.reduce((least, letter) => Math.min(least, contrast(letter)), 21)] as const;
      });
      expect(contrasts).toHaveLength(COLORS.length);
      expect(contrasts.filter(([, contrast]) => !(contrast >= 1.5))).toEqual([]);
    },
  );

  it.skipIf(program)("a navy logo has an edge with a contrast of at least 1.5:1 on dark pages by default", async () => {
    const image = diskOf([20, 30, 80]);
    const contrasts = async (edge: "auto" | "none") => {
      const [, ...pages] = await draw(await joined((await watermark(coloredPages(), { image, edge })).chunks()));
      return pages.map((page, i) => highestContrast(page, COLORS[i]!));
    };
    const [withEdge, without] = [await contrasts("auto"), await contrasts("none")];
    expect(withEdge.filter((contrast) => !(contrast >= 1.5))).toEqual([]);
    expect(without.filter((contrast) => contrast < 1.2).length).toBeGreaterThan(2);
  });
});
