/**
 * `npm run check:viewers` puts a mark of each template on pages of several kinds, and compares how PDFium and other
 * viewers draw the mark. The script compares the position of the mark, its strength, and the number of pixels that only
 * one viewer changes. The strength may differ, because Ghostscript widens thin edges. The script also looks for the
 * mark on pages of irregular files, and extracts the text of marks in 60 languages with Poppler. Viewers that are not
 * installed are listed and skipped.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TEMPLATES, type TemplateName, type TextMark, watermark } from "../src/engine/index.ts";
import { plainText } from "../test/e2e/extractors.ts";
import { IRREGULAR, marksShown } from "../test/e2e/irregularFiles.ts";
import { drawBy, drawByPdfjs, missing, type Reader } from "../test/e2e/readers.ts";
import { joined } from "../test/support/bytes.ts";
import { CONFIDENTIAL } from "../test/support/confidential.ts";
import { onePage, pdfOf, streamOf } from "../test/support/pdf.ts";
import { chromiumPath, NO_BROWSER } from "./lib/chromium.ts";
import { drawByChromium } from "./lib/chromiumViewer.ts";
import { compareMarks } from "./lib/compareMarks.ts";
import { loadFont } from "./lib/loadFont.ts";
import { type Raster, renderPages, renderPagesByMupdf } from "./lib/raster.ts";
import { rasterOf } from "./lib/rasterOf.ts";

const LINES = "0.8 g 60 60 480 3 re 60 90 480 3 re 60 700 300 20 re f";
/**
 * The kinds of pages, each with its dictionary entries and the content below the mark. Each page is displayed at 600 x
 * 800 or 800 x 600 points.
 */
const PAGES: Record<string, [entries: string, content: string]> = {
  plain: ["/MediaBox [0 0 600 800]", LINES],
  landscape: ["/MediaBox [0 0 800 600]", LINES],
  "turned right": ["/MediaBox [0 0 800 600] /Rotate 90", LINES],
  "turned left": ["/MediaBox [0 0 600 800] /Rotate 270", LINES],
  cropped: ["/MediaBox [-50 -40 700 1000] /CropBox [20 60 620 860]", LINES],
  dark: ["/MediaBox [0 0 600 800]", "0.04 0.1 0.5 rg 0 0 600 800 re f"],
  "left open": ["/MediaBox [0 0 600 800]", `q 0.5 0 0 0.5 100 100 cm ${LINES} 0 0 50 50 re W n`],
};
const KINDS = Object.keys(PAGES);
const SIDE = { width: 800, height: 800 };

const VIEWERS: readonly Reader[] = [
  { name: "MuPDF", draw: (pdf) => renderPagesByMupdf(pdf, SIDE) },
  { name: "pdf.js", draw: drawByPdfjs },
  {
    name: "poppler, Splash",
    missing: missing("pdftoppm", "-v"),
    draw: drawBy(
      "pdftoppm",
      (input, folder) => ["-r", "72", "-cropbox", input, join(folder, "page")],
      (number) => `page-${number}.ppm`,
    ),
  },
  {
    name: "poppler, cairo",
    missing: missing("pdftocairo", "-v"),
    draw: drawBy(
      "pdftocairo",
      (input, folder) => ["-png", "-r", "72", "-cropbox", input, join(folder, "page")],
      (number) => `page-${number}.png`,
      rasterOf,
    ),
  },
  {
    name: "Ghostscript",
    missing: missing("gs", "--version"),
    draw: drawBy(
      "gs",
      (input, folder) => [
        ...["-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=ppmraw", "-r72", "-dUseCropBox"],
        ...["-dTextAlphaBits=4", "-dGraphicsAlphaBits=4", `-sOutputFile=${join(folder, "page-%d.ppm")}`, input],
      ],
      (number) => `page-${number}.ppm`,
    ),
  },
  { name: "Chromium", missing: chromiumPath ? undefined : NO_BROWSER, draw: drawByChromium },
];

async function marked(source: Uint8Array, mark: TextMark): Promise<Uint8Array> {
  const plan = await watermark(source, mark, { loadFont });
  return joined(plan.chunks());
}

await checkDrawings();
await checkIrregularFiles();
await checkText();

async function checkDrawings() {
  const source = pagesOfKinds();
  const names = Object.keys(TEMPLATES) as TemplateName[];
  const files = await Promise.all(names.map((template) => marked(source, { text: "CONFIDENTIAL", template })));
  const all = [source, ...files];
  const draw = async (viewer: Pick<Reader, "draw">) => {
    const drawn: Raster[][] = [];
    for (const file of all) drawn.push(await viewer.draw(file, KINDS.length));
    return drawn;
  };

  const byPdfium = await draw({ draw: (pdf) => renderPages(pdf, SIDE) });
  for (const viewer of VIEWERS) {
    if (viewer.missing) {
      console.log(`${viewer.name}: left out (${viewer.missing})\n`);
      continue;
    }
    console.log(`${viewer.name}\n${"".padEnd(12)}${KINDS.map((kind) => kind.padStart(14)).join("")}`);
    const drawn = await draw(viewer);
    for (const [row, name] of names.entries()) {
      const cells = KINDS.map((_, page) => {
        const pair = (rasters: Raster[][]) => ({ plain: rasters[0]![page]!, marked: rasters[row + 1]![page]! });
        const { shift, strength, stray } = compareMarks(pair(drawn), pair(byPdfium));
        const isSame = shift <= 2 && Math.abs(strength - 1) < 1 / 3 && stray < 0.02;
        if (!isSame) process.exitCode = 1;
        const figures = `${shift} ${strength.toFixed(2)} ${(stray * 100).toFixed(1)}`;
        return (isSame ? figures : `! ${figures}`).padStart(14);
      });
      console.log(name.padEnd(12) + cells.join(""));
    }
    console.log("");
  }
  console.log(
    "Distance in pixels between the sides of the mark, its strength, and the percentage of stray pixels. PDFium: 0 1.00 0.0\n",
  );
}

function pagesOfKinds(): Uint8Array {
  const kids = KINDS.map((_, index) => `${3 + index} 0 R`).join(" ");
  const pages = Object.values(PAGES);
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${KINDS.length} /Kids [${kids}] >>`,
    ...pages.map(
      ([entries], index) => `<< /Type /Page /Parent 2 0 R ${entries} /Contents ${3 + pages.length + index} 0 R >>`,
    ),
    ...pages.map(([, content]) => streamOf(content)),
  ]);
}

/** Lists the irregular files on which a viewer does not show the mark on all pages. */
async function checkIrregularFiles() {
  for (const viewer of VIEWERS) {
    if (viewer.missing) continue;
    const unmarked: string[] = [];
    for (const [name, pages, source] of IRREGULAR) {
      // if the viewer fails on the file, the mark counts as missing on all pages
      const shown = await marksShown(source, pages, viewer.draw).catch((): boolean[] => []);
      if (shown.length < pages || shown.includes(false)) unmarked.push(name);
    }
    const all = IRREGULAR.length;
    console.log(`${viewer.name} shows the mark on all pages of ${all - unmarked.length} of ${all} irregular files`);
    for (const name of unmarked) console.log(`  not: ${name}`);
    if (unmarked.length > 0) process.exitCode = 1;
  }
  console.log("");
}

async function checkText() {
  if (missing("pdftotext", "-v")) {
    console.log("poppler: text skipped (pdftotext is not installed)");
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "overprint-viewers-"));
  try {
    const path = join(folder, "marked.pdf");
    let found = 0;
    for (const [lang, text] of Object.entries(CONFIDENTIAL)) {
      writeFileSync(path, await marked(onePage, { text, lang, template: "header" }));
      const words = execFileSync("pdftotext", [path, "-"], { encoding: "utf8" });
      if (plainText(words) === plainText(text)) found++;
      else {
        console.log(
          `poppler extracts ${JSON.stringify(plainText(words))} instead of ${JSON.stringify(text)} (${lang})`,
        );
        process.exitCode = 1;
      }
    }
    console.log(`poppler extracts the words of ${found} of ${Object.keys(CONFIDENTIAL).length} languages.`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
