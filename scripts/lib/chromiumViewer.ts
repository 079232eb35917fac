import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBrowser } from "./chromium.ts";
import type { Raster } from "./raster.ts";
import { rasterOf } from "./rasterOf.ts";

const WINDOW_WIDTH = 900;
/** Maximum height in pixels of a page and its margins in the viewer. */
const STEP = 830;
/** Minimum blue value of a page's pixels. The gray between pages is darker. */
const LEAST_BLUE = 50;
/**
 * Interval between two screenshots. The viewer has no event for finished pages. The script therefore waits until
 * several screenshots in a row are equal.
 */
const POLL_MS = 500;
const POLLS = 60;
const STILL_POLLS = 4;

/**
 * Draws a PDF with Chromium's own viewer, at one pixel per point. Pages may be up to 800 points wide and high. The
 * middle of each page must have more blue than the viewer's background.
 * @throws Error if the pages are not drawn within half a minute
 */
export async function drawByChromium(pdf: Uint8Array, pages: number): Promise<Raster[]> {
  const folder = mkdtempSync(join(tmpdir(), "overprint-chromium-"));
  const browser = await startBrowser();
  try {
    const path = join(folder, "input.pdf");
    writeFileSync(path, pdf);
    const page = await browser.newPage({ viewport: { width: WINDOW_WIDTH, height: pages * STEP } });
    await page.goto(`file://${path}#toolbar=0&navpanes=0&zoom=75`); // 75 % of 96 dots per inch is one pixel per point
    let last: Buffer | undefined;
    let still = 0;
    for (let poll = 0; poll < POLLS; poll++) {
      await page.waitForTimeout(POLL_MS);
      const picture = await page.screenshot();
      still = last?.equals(picture) ? still + 1 : 0;
      const found = still < STILL_POLLS ? [] : pagesIn(await rasterOf(picture));
      if (found.length === pages) return found;
      last = picture;
    }
    throw new Error("Chromium has not drawn the pages");
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

/** Returns the pages as separate images. The viewer stacks them in the middle of the picture. */
function pagesIn({ width, height, rgb }: Raster): Raster[] {
  const middle = width / 2;
  const isPage = (x: number, y: number) => x < width && y < height && rgb[3 * (y * width + x) + 2]! > LEAST_BLUE;
  const pages: Raster[] = [];
  for (let top = 0; top < height; top++) {
    if (!isPage(middle, top)) continue;
    let [bottom, left, right] = [top, middle, middle];
    while (isPage(middle, bottom)) bottom++;
    while (isPage(left - 1, top)) left--;
    while (isPage(right, top)) right++;
    const rows = Array.from({ length: bottom - top }, (_, y) => {
      const start = 3 * ((top + y) * width + left);
      return rgb.subarray(start, start + 3 * (right - left));
    });
    pages.push({ width: right - left, height: bottom - top, rgb: Buffer.concat(rows) });
    top = bottom;
  }
  return pages;
}
