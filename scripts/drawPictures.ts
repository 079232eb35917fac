/**
 * `npm run draw-pictures` draws the pictures of the page at `/` into `web/pictures/`. `lib/sitePictures.ts` makes the
 * marked pages, PDFium draws them, and the script saves them as WebP. The script also makes the picture of README.md
 * (`docs/before-after.png`) and the files of `examples/`. The page at `/` uses the contract in `examples/` as its
 * sample.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas, GlobalFonts, loadImage } from "@napi-rs/canvas";
import { grid, pngOf, type Raster, renderPages, renderPagesByMupdf } from "./lib/raster.ts";
import { sampleContract } from "./lib/sampleContract.ts";
import { markedBytes, sitePictures } from "./lib/sitePictures.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "web/pictures");
/** Quality of the WebP pictures. At this quality, areas of one color stay uniform. */
const QUALITY = 65;
/** Size of the picture that messengers and social networks show of the page at `/` (Open Graph). */
const CARD = { width: 1200, height: 630 };

await mkdir(folder, { recursive: true });
for (const { name, side, pdf } of await sitePictures()) {
  const [page] = await renderPages(pdf, { width: side, height: side });
  await writeFile(join(folder, `${name}.webp`), await webpOf(page!));
}

const contract = await sampleContract();
await writeFile(join(root, "examples/contract.pdf"), contract);
await writeFile(join(root, "docs/before-after.png"), await beforeAndAfter(contract));
await writeFile(join(root, "examples/logo.png"), logo());
await writeFile(join(root, "web/icon.png"), await icon(128));
await writeFile(join(root, "web/card.png"), await card(contract));

/**
 * Draws pages 1 and 3 of the contract as PNG, each without a mark and with a mark. The content of page 3 is stored
 * sideways and displayed upright.
 */
async function beforeAndAfter(source: Uint8Array): Promise<Uint8Array> {
  const marked = await markedBytes(source, { text: "CONFIDENTIAL" });
  const cell = { width: 240, height: 340 };
  const [before, after] = await Promise.all([source, marked].map((pdf) => renderPagesByMupdf(pdf, cell)));
  return pngOf(grid([[0, 2].flatMap((page) => [before![page]!, after![page]!])], cell));
}

/** Encodes a picture as WebP. */
async function webpOf({ width, height, rgb }: Raster): Promise<Uint8Array> {
  const canvas = createCanvas(width, height);
  const ink = canvas.getContext("2d");
  const image = ink.createImageData(width, height);
  for (let pixel = 0; pixel < width * height; pixel++)
    image.data.set([rgb[3 * pixel]!, rgb[3 * pixel + 1]!, rgb[3 * pixel + 2]!, 255], 4 * pixel);
  ink.putImageData(image, 0, 0);
  return canvas.encode("webp", QUALITY);
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

/** Draws the name and the purpose of the service, and a page before and after marking, as PNG. */
async function card(source: Uint8Array): Promise<Uint8Array> {
  GlobalFonts.registerFromPath(join(root, "fonts/noto-sans-bold.ttf"), "Card");
  const canvas = createCanvas(CARD.width, CARD.height);
  const ink = canvas.getContext("2d");
  ink.fillStyle = "#f1f3f5";
  ink.fillRect(0, 0, CARD.width, CARD.height);
  ink.fillStyle = "#14161b";
  ink.font = "76px Card";
  for (const [line, words] of ["Watermark", "every page."].entries()) ink.fillText(words, 64, 200 + 92 * line);
  ink.font = "30px Card";
  ink.fillStyle = "#4a505b";
  for (const [line, words] of [
    "A text or an image on every",
    "page of a PDF. Pay per call,",
    "without an account.",
  ].entries())
    ink.fillText(words, 64, 370 + 44 * line);
  ink.fillStyle = "#cc0068";
  ink.fillText("Overprint", 64, 566);
  const marked = await markedBytes(source, { text: "CONFIDENTIAL", color: "#d6006c", opacity: 0.6 });
  for (const [index, pdf] of [source, marked].entries()) {
    const [page] = await renderPages(pdf, { width: 400, height: 460 });
    const picture = await loadImage(Buffer.from(pngOf(page!)));
    const at = { x: 560 + 190 * index, y: 60 + 60 * index };
    ink.shadowColor = "rgba(0, 0, 0, 0.3)";
    ink.shadowBlur = 24;
    ink.drawImage(picture, at.x, at.y);
  }
  return canvas.encode("png");
}
