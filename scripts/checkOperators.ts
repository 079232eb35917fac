/**
 * `npm run check:operators` marks pages whose content is well-formed except for one operator, and looks for the mark in
 * PDFium, MuPDF, pdf.js, Poppler and Ghostscript. Readers that are not installed are listed and skipped. The script
 * exits with 1 if the mark is missing on any page. With an argument, the script checks only pages whose names contain
 * the argument.
 */
import { checkContent } from "../src/engine/pdf/content/contentSyntax.ts";
import { drawByPdfjs, readersOf } from "../test/e2e/readers.ts";
import { encode } from "../test/support/bytes.ts";
import { MUPDF, PDFIUM } from "../test/support/onlookers.ts";
import { stamp } from "../test/support/stamp.ts";
import { CORNER } from "../test/support/trialMarks.ts";
import { type OperatorPage, operatorPages, pdfOfPages, SIDE } from "./lib/operatorPages.ts";
import type { Raster } from "./lib/raster.ts";

/** Number of pages per file. PDFium and MuPDF check only this many pages of a file. */
const PAGES_PER_FILE = 50;
/** Maximum number of pages that the report lists for a reader. */
const MAX_LISTED = 20;

/** A reader that returns, for each page of a file, whether the mark is visible. */
interface Checker {
  readonly name: string;
  readonly missing?: string | undefined;
  check(pdf: Uint8Array, pages: number): Promise<readonly boolean[]>;
}

const { side, left, top } = CORNER.squareOn(SIDE, SIDE);

/** Returns whether the pixel in the middle of the mark has the mark's color. */
function isMarked({ width, rgb }: Raster): boolean {
  const at = 3 * (Math.round(top + side / 2) * width + Math.round(left + side / 2));
  return rgb[at]! > 200 && rgb[at + 1]! < 100 && rgb[at + 2]! > 200;
}

const CHECKERS: readonly Checker[] = [
  ...[PDFIUM, MUPDF].map(({ name, look }) => ({ name, check: async (pdf: Uint8Array) => look(pdf, CORNER) })),
  { name: "pdf.js", check: async (pdf) => (await drawByPdfjs(pdf)).map(isMarked) },
  ...readersOf(SIDE)
    .filter(({ name }) => name === "Poppler" || name === "Ghostscript")
    .map(({ name, missing, draw }) => ({
      name,
      missing,
      check: async (pdf: Uint8Array, pages: number) =>
        draw(pdf, pages).then(
          (rasters) => rasters.map(isMarked),
          // reports no page as marked if the program fails on the file; each page is then checked in a separate file
          () => [],
        ),
    })),
];

const marked = (pages: readonly OperatorPage[]) => stamp(pdfOfPages(pages));

const word = process.argv[2] ?? "";
const pages = operatorPages().filter(({ name }) => name.includes(word));
const bare = new Map<Checker, OperatorPage[]>();
for (const checker of CHECKERS)
  if (checker.missing) console.log(`${checker.name}: left out (${checker.missing})`);
  else bare.set(checker, []);

for (let from = 0; from < pages.length; from += PAGES_PER_FILE) {
  const some = pages.slice(from, from + PAGES_PER_FILE);
  const file = await marked(some);
  for (const [checker, found] of bare) {
    const shown = await checker.check(file, some.length);
    // A missing mark can be the fault of an earlier page of the file. The script therefore checks each page without a
    // mark again, in a separate file.
    for (const [index, page] of some.entries())
      if (!shown[index] && !(await checker.check(await marked([page]), 1))[0]) found.push(page);
  }
}

const isWellFormed = ({ content }: OperatorPage) => checkContent([encode(content)]).isWellFormed;
for (const [{ name }, found] of bare) {
  console.log(`${name}: ${found.length} of ${pages.length} pages without the mark`);
  // first lists the pages whose content the engine calls well-formed
  const listed = [...found.filter(isWellFormed), ...found.filter((page) => !isWellFormed(page))].slice(0, MAX_LISTED);
  for (const page of listed) console.log(`  ${page.name}${isWellFormed(page) ? " (called well-formed)" : ""}`);
  if (found.length > 0) process.exitCode = 1;
}
