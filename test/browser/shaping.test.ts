/**
 * Compares the engine's line layout with Chromium's layout in the same fonts, including marks, joins and ligatures.
 * Each sample must have the same width in both layouts. The words for "confidential" must also look the same.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, NO_BROWSER, startBrowser } from "../../scripts/lib/chromium.ts";
import { loadFont } from "../../scripts/lib/loadFont.ts";
import { type Raster, renderPages } from "../../scripts/lib/raster.ts";
import { rasterOf } from "../../scripts/lib/rasterOf.ts";
import { TEXT_SAMPLES } from "../../scripts/lib/textSamples.ts";
import { isRightToLeft } from "../../src/engine/fonts/bidi.ts";
import { typesetterFor } from "../../src/engine/fonts/layout.ts";
import { watermark } from "../../src/engine/index.ts";
import { joined } from "../support/bytes.ts";
import { CONFIDENTIAL } from "../support/confidential.ts";
import { pagesOf } from "../support/pdf.ts";

/**
 * All samples except "Emoji" and "Box drawing". The engine draws their characters separately, but Chromium joins a
 * box-drawing character with the space beside it.
 */
const { Emoji: _, "Box drawing": __, ...lines } = TEXT_SAMPLES;
const samples: [name: string, text: string, lang?: string][] = [
  ...Object.entries(lines).map(([name, text]): [string, string] => [name, text]),
  ["Urdu in Nastaliq", TEXT_SAMPLES.Urdu!, "ur"],
  ["Japanese, ideographs", "社外秘", "ja"],
  ["Chinese of Taiwan", "機密、文件。", "zh-TW"],
  ["Serbian", "бгдпт поверљиво", "sr"],
];

/** `SHEET` is the size in pixels of each word's picture. `EM` is the font size in pixels. */
const SHEET = { width: 1200, height: 220 };
const EM = 100;

describe.skipIf(!chromiumPath)(chromiumPath ? "a line" : `a line (skipped: ${NO_BROWSER})`, () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await startBrowser();
    page = await browser.newPage({ viewport: SHEET });
  });
  afterAll(() => browser?.close());

  test.each(samples)("the engine lays out a line with the same width as Chromium: %s: %s", async (_, text, lang) => {
    const { line, width } = await setByChromium(page, text, lang);
    expect(line.width / width).toBeCloseTo(1, 1.7);
  });

  test.each(Object.entries(CONFIDENTIAL))(
    'the engine draws the word for "confidential" as Chromium does: %s: %s',
    async (lang, text) => {
      await setByChromium(page, text, lang);
      const theirs = inkOf(await rasterOf(await page.screenshot()));
      const ours = inkOf(await drawn(text, lang));
      for (const side of ["width", "height"] as const) expect(Math.abs(ours[side] - theirs[side])).toBeLessThan(3);
      expect(strayShare(ours, theirs)).toBeLessThan(0.005);
      expect(strayShare(theirs, ours)).toBeLessThan(0.005);
    },
  );
});

/**
 * Lays out a line as the only content of the page. Returns the engine's layout of the line, and Chromium's width in em.
 */
async function setByChromium(page: Page, text: string, lang?: string) {
  const rightToLeft = isRightToLeft(text);
  const line = (await typesetterFor(text, "regular", loadFont, { text: lang })).layOut(text, rightToLeft);
  const paths = new Set(line.clusters.map(({ face }) => face.file.path));
  const fonts = await Promise.all(
    Array.from(paths, async (path) => ({
      name: path.replaceAll(/\W/g, "_"),
      source: `url(data:font/ttf;base64,${Buffer.from(await loadFont(path)).toString("base64")})`,
    })),
  );
  const width = (await page.evaluate(`${SET}(${JSON.stringify({ text, lang, rightToLeft, fonts })})`)) as number;
  return { line, width: width / EM };
}

/** Lays out a line on the page. Returns its width in pixels. */
const SET = `(async ({ text, lang = "", rightToLeft, fonts }) => {
  for (const { name, source } of fonts) document.fonts.add(await new FontFace(name, source).load());
  const span = document.createElement("span");
  const family = fonts.map(({ name }) => name).join();
  span.style.cssText = \`font: ${EM}px/2 \${family}; white-space: pre; position: absolute; text-rendering: geometricPrecision\`;
  span.dir = rightToLeft ? "rtl" : "ltr";
  span.lang = lang;
  span.textContent = text;
  document.body.replaceChildren(span);
  return span.getBoundingClientRect().width;
})`;

/** Draws a word as a black mark on a white page of the size `SHEET`, and renders the page with PDFium. */
async function drawn(text: string, lang: string): Promise<Raster> {
  const page = pagesOf([`/MediaBox [0 0 ${SHEET.width} ${SHEET.height}] /Contents []`]);
  const look = { template: "header", position: "center", fontSizePt: EM, color: "#000000", opacity: 1 } as const;
  const plan = await watermark(page, { text, lang, ...look }, { loadFont });
  return (await renderPages(await joined(plan.chunks()), SHEET))[0]!;
}

/** The dark pixels of a picture, with positions relative to the bounding box of these pixels. */
interface Ink {
  readonly width: number;
  readonly height: number;
  has(x: number, y: number): boolean;
}

function inkOf({ width, height, rgb }: Raster): Ink {
  const isDark = (x: number, y: number) =>
    x >= 0 && x < width && y >= 0 && y < height && rgb[3 * (y * width + x)]! < 128;
  const columns = Array.from({ length: width }, (_, x) => x);
  const rows = Array.from({ length: height }, (_, y) => y);
  const dark = {
    columns: columns.filter((x) => rows.some((y) => isDark(x, y))),
    rows: rows.filter((y) => columns.some((x) => isDark(x, y))),
  };
  const [left, top] = [dark.columns[0]!, dark.rows[0]!];
  return {
    width: dark.columns.at(-1)! + 1 - left,
    height: dark.rows.at(-1)! + 1 - top,
    has: (x, y) => isDark(left + x, top + y),
  };
}

/**
 * Returns the share of the first shape's dark pixels without a dark neighbor in the second shape. The centers of both
 * shapes are aligned.
 */
function strayShare(ink: Ink, other: Ink): number {
  const [dx, dy] = [Math.round((other.width - ink.width) / 2), Math.round((other.height - ink.height) / 2)];
  let [pixels, stray] = [0, 0];
  for (let y = 0; y < ink.height; y++)
    for (let x = 0; x < ink.width; x++) {
      if (!ink.has(x, y)) continue;
      pixels++;
      const near = [-1, 0, 1].some((up) => [-1, 0, 1].some((across) => other.has(x + dx + across, y + dy + up)));
      if (!near) stray++;
    }
  return stray / pixels;
}
