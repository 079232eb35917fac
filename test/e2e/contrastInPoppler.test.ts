/**
 * Tests that large marks are visible on gray pages rendered by Poppler at 150 dpi. The test is skipped if Poppler is
 * not installed.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadFont } from "../../scripts/lib/loadFont.ts";
import { type TemplateName, watermark } from "../../src/engine/index.ts";
import { everyOf } from "../support/allCases.ts";
import { joined } from "../support/bytes.ts";
import { pdfOf, streamOf } from "../support/pdf.ts";
import { missing } from "./readers.ts";

/**
 * Gray values of the tested pages. On these grays, neither the letters alone nor their edge alone has much contrast.
 */
const GRAYS = [100, 130, 135, 140, 145, 150, 160, 170, 200];
/**
 * Fraction of a page's pixels that must have a gray value for the value to count. Strokes exceed this fraction, stray
 * pixels do not.
 */
const SHARE = 0.002;

/** Renders one marked page per gray value with Poppler at 150 dpi. Returns one gray value per pixel. */
async function render(template: TemplateName): Promise<Uint8Array[]> {
  const kids = GRAYS.map((_, i) => `${2 * i + 3} 0 R`).join(" ");
  const source = pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${GRAYS.length} /Kids [${kids}] /MediaBox [0 0 600 840] >>`,
    ...GRAYS.flatMap((gray, i) => [
      `<< /Type /Page /Parent 2 0 R /Contents ${2 * i + 4} 0 R >>`,
      streamOf(`${gray / 255} g 0 0 600 840 re f`),
    ]),
  ]);
  const folder = mkdtempSync(join(tmpdir(), "overprint-contrast-"));
  try {
    const marked = await joined((await watermark(source, { text: "CONFIDENTIAL", template }, { loadFont })).chunks());
    writeFileSync(join(folder, "a.pdf"), marked);
    execFileSync("pdftoppm", ["-r", "150", "-gray", join(folder, "a.pdf"), join(folder, "page")]);
    return GRAYS.map((_, i) => {
      const file = readFileSync(join(folder, `page-${i + 1}.pgm`));
      const [head] = /^P5\s\d+\s\d+\s255\s/.exec(file.toString("latin1", 0, 40))!;
      return file.subarray(head.length);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Returns the relative luminance of a gray value, plus the 0.05 that WCAG 2.2 adds to both sides of a contrast ratio.
 */
function luminance(gray: number): number {
  const share = gray / 255;
  return 0.05 + (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
}

/** Returns the largest contrast between the page's gray and a gray value that counts (see `SHARE`). */
function contrastOn(page: number, pixels: Uint8Array): number {
  const counts = new Array<number>(256).fill(0);
  for (const value of pixels) counts[value]!++;
  const values = counts.flatMap((count, value) => (count >= SHARE * pixels.length ? [luminance(value)] : []));
  return Math.max(...values.map((value) => Math.max(value, luminance(page)) / Math.min(value, luminance(page))));
}

describe.skipIf(missing("pdftoppm", "-v"))("marks rendered by Poppler", () => {
  it.each(everyOf(["diagonal", "horizontal", "tiled", "stamp", "outline"] as const, 3))(
    "Poppler draws the template %s with a contrast of at least 1.5:1 on gray pages at 150 dpi",
    async (template) => {
      const pages = await render(template);
      const contrasts = pages.map((pixels, i) => [GRAYS[i], contrastOn(GRAYS[i]!, pixels)] as const);
      expect(contrasts.filter(([, contrast]) => contrast < 1.5)).toEqual([]);
    },
  );
});
