/**
 * `npm run draw-pictures` draws the pictures of the page at `/` into `web/pictures/`. The engine marks a page for each
 * template, and pages that other tools get wrong. MuPDF converts the marked pages to SVG. The script also makes the
 * files of `examples/` (the contract is the page's sample) and the picture of README.md, `docs/before-after.png`.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import * as mupdf from "mupdf";
import { concatTransformationMatrix, degrees, PDFDocument, type PDFPage, rgb } from "pdf-lib";
import { TEMPLATES, type TemplateName, type TextMark, watermark } from "../src/engine/index.ts";
import { loadFont } from "./lib/loadFont.ts";
import { grid, pngOf, renderPagesByMupdf } from "./lib/raster.ts";
import { sampleContract } from "./lib/sampleContract.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "web/pictures");
const INK = rgb(0.13, 0.14, 0.17);
const LINE = rgb(0.85, 0.86, 0.88);

await mkdir(folder, { recursive: true });
for (const name of Object.keys(TEMPLATES) as TemplateName[]) {
  const isLine = TEMPLATES[name].sizeShare < 0.03;
  await draw(`template-${name}`, (page) => write(page), {
    text: isLine ? "Draft of 1 May" : "DRAFT",
    template: name,
    opacity: 0.75,
    ...(isLine && { fontSizePt: 13 }), // a line at its usual size would be unreadable in a small picture
  });
}

const mark: TextMark = { text: "CONFIDENTIAL", color: "#d6006c", opacity: 0.75 };
await draw("upright", (page) => write(page), mark);
await draw(
  "landscape",
  (page) => {
    page.setSize(300, 212);
    chart(page);
  },
  mark,
);
await draw(
  "turned",
  (page) => {
    // stored sideways, as by a scanner, with a /Rotate that turns it upright
    page.setSize(300, 212);
    page.setRotation(degrees(90));
    page.pushOperators(concatTransformationMatrix(0, 1, -1, 0, 300, 0));
    write(page);
  },
  mark,
);
await draw(
  "cropped",
  (page) => {
    page.setSize(380, 460);
    page.setCropBox(60, 90, 212, 300);
    write(page, 60, 90);
  },
  mark,
);

const contract = await sampleContract();
await writeFile(join(root, "examples/contract.pdf"), contract);
await writeFile(join(root, "docs/before-after.png"), await beforeAndAfter(contract));
await writeFile(join(root, "examples/logo.png"), logo());
await writeFile(join(root, "web/icon.png"), await icon(128));

/** Draws pages 1 and 3 of the contract as PNG, each without a mark and with a mark. Page 3 is stored on its side. */
async function beforeAndAfter(source: Uint8Array): Promise<Uint8Array> {
  const marked = await bytesOf(source, { text: "CONFIDENTIAL" });
  const cell = { width: 240, height: 340 };
  const [before, after] = await Promise.all([source, marked].map((pdf) => renderPagesByMupdf(pdf, cell)));
  return pngOf(grid([[0, 2].flatMap((page) => [before![page]!, after![page]!])], cell));
}

/** Marks a PDF and returns its bytes. */
async function bytesOf(source: Uint8Array, mark: TextMark): Promise<Uint8Array> {
  const plan = await watermark(source, mark, { loadFont, date: new Date("2026-01-01") });
  const chunks: Uint8Array[] = [];
  for await (const chunk of plan.chunks()) chunks.push(chunk.slice());
  return Buffer.concat(chunks);
}

/** Draws the site's logo as PNG, in its two colors on a transparent background. */
function logo(): Uint8Array {
  const canvas = createCanvas(640, 420);
  const ink = canvas.getContext("2d");
  ink.globalCompositeOperation = "multiply";
  for (const [x, color] of [
    [210, "#00a3dd"],
    [430, "#e0007a"],
  ] as const) {
    ink.fillStyle = color;
    ink.beginPath();
    ink.arc(x, 210, 200, 0, 2 * Math.PI);
    ink.fill();
  }
  return canvas.toBuffer("image/png");
}

/** Draws the site's icon for programs that cannot show SVG. */
async function icon(size: number): Promise<Uint8Array> {
  const canvas = createCanvas(size, size);
  canvas.getContext("2d").drawImage(await loadImage(join(root, "web/favicon.svg")), 0, 0, size, size);
  return canvas.toBuffer("image/png");
}

/** Draws one marked page to `<name>.svg`. */
async function draw(name: string, paint: (page: PDFPage) => void, options: TextMark): Promise<void> {
  const source = await PDFDocument.create();
  const page = source.addPage([212, 300]);
  paint(page);
  const document = mupdf.Document.openDocument(await bytesOf(await source.save(), options), "application/pdf");
  const output = new mupdf.Buffer();
  const writer = new mupdf.DocumentWriter(output, "svg", "text=path");
  const marked = document.loadPage(0);
  marked.run(writer.beginPage(marked.getBounds()), mupdf.Matrix.identity);
  writer.endPage();
  writer.close();
  await writeFile(join(folder, `${name}.svg`), smaller(output.asString()));
}

/** Draws a page of a letter: a heading, and bars for lines. */
function write(page: PDFPage, left = 0, bottom = 0): void {
  page.drawRectangle({ x: left + 22, y: bottom + 246, width: 84, height: 9, color: INK });
  page.drawRectangle({ x: left + 22, y: bottom + 234, width: 52, height: 4, color: LINE });
  const lengths = [168, 160, 168, 150, 96, 0, 168, 164, 168, 158, 168, 60, 0, 168, 150, 120];
  for (const [row, length] of lengths.entries())
    if (length > 0)
      page.drawRectangle({ x: left + 22, y: bottom + 212 - row * 11, width: length, height: 4, color: LINE });
}

/** Draws a page of a report: a heading, and the columns of a chart. */
function chart(page: PDFPage): void {
  page.drawRectangle({ x: 22, y: 176, width: 110, height: 9, color: INK });
  page.drawRectangle({ x: 22, y: 164, width: 66, height: 4, color: LINE });
  for (const [column, height] of [46, 70, 58, 92, 80, 112, 104].entries())
    page.drawRectangle({ x: 22 + column * 37.5, y: 24, width: 25, height, color: LINE });
}

/**
 * Returns an SVG without attributes for SVG editors and without invisible decimals. Masks begin with black, as SVG
 * needs, instead of MuPDF's white.
 */
function smaller(svg: string): string {
  return svg
    .replace('width="100%" height="100%" fill="white"', 'width="100%" height="100%" fill="black"')
    .replace(/ xmlns:inkscape="[^"]*"| data-text="[^"]*"| inkscape:\w+="[^"]*"/g, "")
    .replace(/\d+\.\d{4,}|\.\d{4,}/g, (number) => String(Number(Number(number).toFixed(3))));
}
