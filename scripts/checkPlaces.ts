/**
 * `npm run check:places -- FOLDER…` marks the PDFs of folders with and without `position: auto`, and counts the marks
 * that cover existing content of the first page. MuPDF draws the page without the mark. A mark touches the page if more
 * than {@link TOUCH_SHARE} of the pixels in the mark's box are ink. Marks that touch the page at every place are
 * counted separately. The script exits with 1 if `auto` does not help enough: more than a fifth of the marks that touch
 * the page at their default place also touch it with `auto`.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type * as Mupdf from "mupdf";
import { EngineError, IMAGE_POSITIONS, type ImageMark, type TextMark, watermark } from "../src/engine/index.ts";
import { joined } from "../test/support/bytes.ts";
import { ownMupdf } from "../test/support/mupdf.ts";
import { RED_PNG } from "../test/support/png.ts";
import { loadFont } from "./lib/loadFont.ts";

/** Scale of the drawn pages, in pixels per point. */
const SCALE = 1;
/** Minimum difference in a color channel (0 to 255) between an ink pixel and the most frequent color of the page. */
const INK = 48;
/** A mark touches the page if the share of ink pixels in the mark's box exceeds this value. */
const TOUCH_SHARE = 0.005;

const EDGES = { header: ["top", "top-left", "top-right"], footer: ["bottom", "bottom-left", "bottom-right"] } as const;
const NINE = IMAGE_POSITIONS.slice(0, 9);
/** The tested marks. `own` is the default place of a mark, and `places` are the places that `auto` may choose. */
const SETTINGS: { name: string; mark: TextMark | ImageMark; own: string; places: readonly string[] }[] = [
  { name: "stamp", mark: { text: "CONFIDENTIAL", template: "stamp" }, own: "top-right", places: NINE },
  {
    name: "footer",
    mark: { text: "Copy for A. Smith, 2026-11-25", template: "footer" },
    own: "bottom",
    places: EDGES.footer,
  },
  {
    name: "header",
    mark: { text: "Copy for A. Smith, 2026-11-25", template: "header" },
    own: "top",
    places: EDGES.header,
  },
  { name: "image", mark: { image: RED_PNG, scale: 0.2 }, own: "bottom-right", places: NINE },
];

/**
 * Maximum number of marks that touch the page with `auto`, as a share of the marks that touch it at their default
 * place.
 */
const MAX_SHARE = 0.2;

type Quad = readonly (readonly [x: number, y: number])[];

/** The pixels of a page that are ink. */
interface InkPixels {
  readonly width: number;
  readonly height: number;
  readonly isInk: Uint8Array;
}

let mupdf: typeof Mupdf = await ownMupdf();

function firstPage(pdf: Uint8Array): Mupdf.PDFPage {
  return mupdf.Document.openDocument(pdf, "application/pdf").loadPage(0) as Mupdf.PDFPage;
}

function inkOf(page: Mupdf.PDFPage): InkPixels {
  const pixmap = page.toPixmap(mupdf.Matrix.scale(SCALE, SCALE), mupdf.ColorSpace.DeviceRGB, false, true);
  const [width, height, stride] = [pixmap.getWidth(), pixmap.getHeight(), pixmap.getStride()];
  const data = pixmap.getPixels();
  const colors = new Map<number, number>();
  const colorAt = (x: number, y: number) => {
    const at = y * stride + 3 * x;
    return (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!;
  };
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) colors.set(colorAt(x, y), (colors.get(colorAt(x, y)) ?? 0) + 1);
  const [paper] = [...colors].reduce((a, b) => (b[1] > a[1] ? b : a));
  const isInk = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const color = colorAt(x, y);
      const isFar = [16, 8, 0].some((shift) => Math.abs(((color >> shift) & 255) - ((paper >> shift) & 255)) > INK);
      isInk[y * width + x] = Number(isFar);
    }
  return { width, height, isInk };
}

/** Returns the corners of the mark's box in pixels, from the operators that place it. */
function quadOf(page: Mupdf.PDFPage): Quad {
  const dictionary = page.getObject();
  const contents = dictionary.get("Contents");
  const stream = contents.isArray() ? contents.get(contents.length - 1) : contents;
  const text = stream.readStream().asString();
  const found = /q ([-\d. ]+) cm \/(\S+) Do/.exec(text) ?? /q ([-\d. ]+) cm (?:q )?\/(\S+) Do/.exec(text);
  if (!found) throw new Error(`no mark in ${text}`);
  const matrix = found[1]!.trim().split(" ").map(Number) as Mupdf.Matrix;
  const box = dictionary.get("Resources", "XObject", found[2]!).get("BBox");
  const [x0, y0, x1, y1] = [0, 1, 2, 3].map((i) => box.get(i).asNumber()) as [number, number, number, number];
  const all = mupdf.Matrix.concat(mupdf.Matrix.concat(matrix, page.getTransform()), mupdf.Matrix.scale(SCALE, SCALE));
  return (
    [
      [x0, y0],
      [x1, y0],
      [x1, y1],
      [x0, y1],
    ] as const
  ).map(([x, y]) => [all[0] * x + all[2] * y + all[4], all[1] * x + all[3] * y + all[5]] as const);
}

function touches({ width, height, isInk }: InkPixels, quad: Quad): boolean {
  const sides = quad.map((from, i) => [from, quad[(i + 1) % quad.length]!] as const);
  const side = (x: number, y: number, [from, to]: (typeof sides)[number]) =>
    (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]);
  const [xs, ys] = [quad.map(([x]) => x), quad.map(([, y]) => y)];
  let [pixels, ink] = [0, 0];
  for (let y = Math.max(0, Math.floor(Math.min(...ys))); y < Math.min(height, Math.max(...ys)); y++)
    for (let x = Math.max(0, Math.floor(Math.min(...xs))); x < Math.min(width, Math.max(...xs)); x++) {
      const signs = sides.map((each) => Math.sign(side(x + 0.5, y + 0.5, each)));
      if (signs.includes(1) && signs.includes(-1)) continue;
      pixels++;
      ink += isInk[y * width + x]!;
    }
  return ink > TOUCH_SHARE * pixels;
}

/** Marks a file, and returns the place of the mark on its first page. */
async function marked(source: Uint8Array, mark: TextMark | ImageMark, position: string): Promise<Quad> {
  const plan = await watermark(source, { ...mark, position } as TextMark, { loadFont });
  return quadOf(firstPage(await joined(plan.chunks())));
}

const counts = SETTINGS.map(() => ({ marks: 0, "no empty place": 0, default: 0, auto: 0 }));
let skipped = 0;
for (const folder of process.argv.slice(2))
  for (const name of globSync("**/*.pdf", { cwd: folder }).toSorted()) {
    const source = new Uint8Array(readFileSync(join(folder, name)));
    mupdf = await ownMupdf();
    try {
      const ink = inkOf(firstPage(source));
      for (const [i, { name: setting, mark, own, places }] of SETTINGS.entries()) {
        const count = counts[i]!;
        const isAt = async (position: string) => touches(ink, await marked(source, mark, position));
        const [isOwnTouching, isTouching] = [await isAt(own), await isAt("auto")];
        const empty: string[] = [];
        if (isOwnTouching) for (const place of places) if (!(await isAt(place))) empty.push(place);
        count.marks++;
        if (isOwnTouching && empty.length === 0) {
          count["no empty place"]++;
          continue;
        }
        count.default += Number(isOwnTouching);
        count.auto += Number(isTouching);
        if (isTouching)
          console.log(`${folder}/${name}: ${setting} touches the page. Empty: ${empty.join(", ") || own}`);
      }
    } catch (error) {
      if (!(error instanceof EngineError)) console.log(`${folder}/${name} is skipped: ${error}`);
      skipped++;
    }
  }
console.table(Object.fromEntries(SETTINGS.map(({ name }, i) => [name, counts[i]])));
console.log(`${skipped} files are rejected, or MuPDF does not draw them.`);
const total = (key: "default" | "auto") => counts.reduce((sum, count) => sum + count[key], 0);
console.log(`${total("default")} marks touch the page at their default place, ${total("auto")} with auto.`);
if (total("auto") > MAX_SHARE * total("default")) process.exitCode = 1;
