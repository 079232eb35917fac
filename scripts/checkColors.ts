/**
 * `npm run check:colors -- FOLDER` marks each PDF of a folder twice, with a transparent mark and with an opaque one,
 * and compares the colors outside the mark. All differences therefore come from transparency. The source itself is not
 * compared, because Ghostscript reads some damaged sources differently from their repaired results. Ghostscript draws
 * both results three times: in RGB, in RGB with the CMYK blending space that Acrobat uses by default, and as separations.
 * Without FOLDER, the script uses small built-in files. The script exits with 1 if a page violates one of these rules:
 *
 * - On pages that blend in RGB, no channel of a drawing in RGB may differ by more than 3 of 255.
 * - On pages without RGB colors and without a separate blending space, no separation may differ.
 * - On all pages, no spot color may differ.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError, watermark } from "../src/engine/index.ts";
import { openPdf } from "../src/engine/pdf/document/openPdf.ts";
import { colorsOfContent, ResourceColorReader, SCREEN } from "../src/engine/pdf/pages/resourceColors.ts";
import { MemorySource } from "../src/engine/pdf/source/byteSource.ts";
import { drawBy, missing } from "../test/e2e/readers.ts";
import { joined } from "../test/support/bytes.ts";
import { pdfOf, streamOf } from "../test/support/pdf.ts";
import { RED_PNG } from "../test/support/png.ts";
import type { Raster } from "./lib/raster.ts";
import { parseTiff } from "./lib/tiff.ts";

/** Maximum number of pages of a file that are compared. */
const MAX_PAGES = 3;
const RESOLUTION = 36;
/** Maximum difference of a color channel (0 to 255) between two drawings in RGB. */
const MAX_DIFFERENCE = 3;
/**
 * Maximum difference on a separation. The limit allows for letters, which Ghostscript places at whole pixels only if
 * nothing on the page is transparent. It still detects black text that is separated into four inks: such text loses 29
 * of 255 on the black plate.
 */
const MAX_PLATE_DIFFERENCE = 20;
/** Maximum share of a page's pixels that may differ. It allows for lines that are thinner than a pixel. */
const MAX_SHARE = 0.003;
/**
 * Side of the top left square that the comparison skips, as a share of the page's width. The square contains the mark and
 * its margins.
 */
const MARKED_SHARE = 0.3;
const MARK = { image: RED_PNG, position: "top-left", scale: 0.1, marginPt: 10 } as const;
const OPACITY = 0.5;
const CMYK_PROFILE = "/usr/share/color/icc/ghostscript/default_cmyk.icc";
const RGB_GROUP = "/S/Transparency/CS/DeviceRGB>>";

/** Process inks. A page can use them without declaring them as spot colors. */
const PROCESS_INKS = new Set(["Cyan", "Magenta", "Yellow", "Black"]);
const page = (content: string, resources = "", ...objects: string[]) =>
  pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << ${resources} >> >>`,
    streamOf(content),
    ...objects,
  ]);
const SQUARE = "100 20 150 150 re f";
const BUILT_IN: Record<string, Uint8Array> = {
  RGB: page(`1 0 0 rg ${SQUARE}`),
  gray: page(`0 g ${SQUARE}`),
  CMYK: page(`0 1 0 0 k ${SQUARE}`),
  "RGB and black ink": page(`1 0 0 rg ${SQUARE} 0 0 0 1 k 10 20 50 50 re f`),
  "a spot color": page(
    `/Cs cs 1 sc ${SQUARE}`,
    "/ColorSpace << /Cs [/Separation /Gold /DeviceRGB 5 0 R] >>",
    "<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [1 1 1] /C1 [1 0.8 0] >>",
  ),
};

const OPTIONS = ["-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", `-r${RESOLUTION}`, `-dLastPage=${MAX_PAGES}`];

/** Draws the first pages of a file with Ghostscript. */
const draw = (...options: string[]) =>
  drawBy(
    "gs",
    (input, folder) => [...OPTIONS, "-sDEVICE=ppmraw", ...options, `-sOutputFile=${join(folder, "%d.ppm")}`, input],
    (number) => `${number}.ppm`,
  );
const drawPlain = draw();
const drawAsAcrobat = draw(`-sBlendColorProfile=${CMYK_PROFILE}`, `--permit-file-read=${CMYK_PROFILE}`);

/** Returns the separations of each page by the names of the inks. */
function separate(pdf: Uint8Array): Map<string, Raster>[] {
  const folder = mkdtempSync(join(tmpdir(), "overprint-colors-"));
  try {
    const input = join(folder, "input.pdf");
    writeFileSync(input, pdf);
    execFileSync(
      "gs",
      [
        ...OPTIONS,
        "-sDEVICE=tiffsep",
        "-sCompression=none",
        `-r${8 * RESOLUTION}`,
        "-dDownScaleFactor=8",
        `-sOutputFile=${join(folder, "%d.tif")}`,
        input,
      ],
      {
        stdio: "ignore",
      },
    );
    const pages: Map<string, Raster>[] = [];
    for (const name of readdirSync(folder)) {
      const [, number, ink] = /^(\d+)\((.+)\)\.tif$/.exec(name) ?? [];
      if (!number || !ink) continue;
      const inks = pages[Number(number) - 1] ?? new Map<string, Raster>();
      pages[Number(number) - 1] = inks;
      inks.set(ink, parseTiff(readFileSync(join(folder, name))));
    }
    return pages;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Returns the share of pixels outside the mark whose color differs by more than `most` in a channel. With transparency,
 * Ghostscript moves the edges of shapes by a fraction of a pixel. Each channel is therefore compared with all values
 * around the pixel.
 */
function differenceOf(a: Raster, b: Raster, most: number): number {
  const { width, height } = a;
  if (width !== b.width || height !== b.height) return 1;
  const channels = a.rgb.length / (width * height);
  const side = Math.ceil(width * MARKED_SHARE);
  let differing = 0;
  for (let y = 1; y < height - 1; y++)
    for (let x = y < side ? side : 1; x < width - 1; x++) {
      const at = channels * (y * width + x);
      const isFar = (channel: number) => {
        const around = [-1, 0, 1].flatMap((dy) =>
          [-1, 0, 1].map((dx) => b.rgb[at + channel + channels * (dy * width + dx)]!),
        );
        const value = a.rgb[at + channel]!;
        return value < Math.min(...around) - most || value > Math.max(...around) + most;
      };
      if (Array.from({ length: channels }, (_, channel) => channel).some(isFar)) differing++;
    }
  return differing / (width * height);
}

/** Returns whether each of the first pages blends in RGB. */
async function blendsInRgb(pdf: Uint8Array): Promise<boolean[]> {
  const { pages } = await openPdf(new MemorySource(pdf), {});
  return pages.slice(0, MAX_PAGES).map(({ rewrite }) => Buffer.from(rewrite.text).includes(RGB_GROUP));
}

/**
 * Returns whether each of the first pages has RGB colors or a separate blending space. The colors of such a page are
 * separated differently if they are blended.
 */
async function havingRgb(pdf: Uint8Array): Promise<boolean[]> {
  const { pages, objects } = await openPdf(new MemorySource(pdf), {});
  const reader = new ResourceColorReader(objects);
  const colors = pages.slice(0, MAX_PAGES).map(({ content, group, ownResources }) =>
    objects.run(() => {
      const { drawn, named } = reader.of(ownResources);
      // A page's own blending space takes effect only once something on the page is transparent, such as the mark.
      const isGiven = group === "retained" || group?.hasColorSpace;
      return isGiven ? SCREEN : drawn | named | colorsOfContent(content.colors ?? 0);
    }),
  );
  return (await Promise.all(colors)).map((bits) => (bits & SCREEN) > 0);
}

/** Compares a file with a transparent mark and with an opaque one. Returns the differences. */
async function compare(source: Uint8Array, marked: Uint8Array, opaque: Uint8Array): Promise<string[]> {
  const isRgb = await blendsInRgb(marked);
  const hasRgb = await havingRgb(source);
  const differences: string[] = [];
  const report = (page: number, what: string, share: number) => {
    counts[isRgb[page] ? "RGB" : "other"]++;
    if (share > MAX_SHARE) differences.push(`page ${page + 1}: ${what}, ${(100 * share).toFixed(2)} % of the pixels`);
  };
  if (isRgb.includes(true)) {
    const before = await drawPlain(opaque, isRgb.length);
    for (const [what, drawn] of [
      ["on the screen", drawPlain],
      ["in Acrobat's space", drawAsAcrobat],
    ] as const) {
      const after = await drawn(marked, isRgb.length);
      for (const [page, is] of isRgb.entries())
        if (is) report(page, what, differenceOf(before[page]!, after[page]!, MAX_DIFFERENCE));
    }
  }
  const [before, after] = [separate(opaque), separate(marked)];
  for (const [page, has] of hasRgb.entries())
    for (const [ink, plate] of before[page] ?? [])
      if (!has || !PROCESS_INKS.has(ink)) {
        const other = after[page]?.get(ink);
        report(page, `the plate ${ink}`, other ? differenceOf(plate, other, MAX_PLATE_DIFFERENCE) : 1);
      }
  return differences;
}

const counts = { RGB: 0, other: 0 };
const program = missing("gs", "--version");
if (program) {
  console.log(`Ghostscript is not installed (${program}): nothing was checked.`);
  process.exitCode = 1;
} else {
  const [folder] = process.argv.slice(2);
  const files: [string, Uint8Array][] = folder
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".pdf"))
        .map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))])
    : Object.entries(BUILT_IN);
  const total = { compared: 0, rejected: 0, unreadable: 0 };
  for (const [name, source] of files) {
    try {
      const markedAt = async (opacity: number) => joined((await watermark(source, { ...MARK, opacity })).chunks());
      const differences = await compare(source, await markedAt(OPACITY), await markedAt(1)).catch((error) => {
        if (!("status" in error || "code" in error)) throw error;
        total.unreadable++; // Ghostscript cannot read the file, or does not draw all of its pages
        return [];
      });
      total.compared++;
      for (const difference of differences) console.log(`${name}: ${difference}`);
      if (differences.length > 0) process.exitCode = 1;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      total.rejected++;
    }
  }
  console.log(
    `${total.compared} files compared, ${total.unreadable} of them unreadable to Ghostscript, ${total.rejected} rejected. ` +
      `Comparisons: ${counts.RGB} of pages that blend in RGB, ${counts.other} of others.`,
  );
}
