/** Compares the preview, rendered by the browser, with the bought file, rendered by MuPDF. */
import { createCanvas } from "@napi-rs/canvas";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type Raster, renderPagesByMupdf } from "../../scripts/lib/raster.ts";
import { rasterOf } from "../../scripts/lib/rasterOf.ts";
import { pdfOf, streamOf } from "../support/pdf.ts";
import { chooseFile, firstPage, PATIENCE, withPage } from "./page.ts";
import { describePage } from "./running.ts";
import { type Fields, randomSettings } from "./settings.ts";

/** Number of random settings to test per operation. The environment variable `PIXEL_SETTINGS` overrides the default. */
const SETTINGS = Number(process.env.PIXEL_SETTINGS ?? 6);
/** Tolerated difference per color channel, out of 255. Renderers smooth edges differently. */
const TOLERANCE = 64;

const WIDTH = 300;
const SMALL_PAGE = pdfOf([
  "<< /Type /Catalog /Pages 2 0 R >>",
  "<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
  streamOf("0.9 g 20 20 260 60 re f 0 0.4 0.8 rg 20 300 100 80 re f"),
  `<< /Type /Page /Parent 2 0 R /Contents 3 0 R /MediaBox [0 0 ${WIDTH} 400] >>`,
]);

describePage("the preview", (running) => {
  test.each(["text", "image"] as const)(
    "the preview with random %s settings looks like the bought file",
    (operation) =>
      withPage(
        running.browser,
        running.worker.url,
        async ({ page, complaints }) => {
          await chooseFile(page, SMALL_PAGE);
          await page.check(`[name=operation][value=${operation}]`, { force: true });
          const images = logos();
          for (const [run, fields] of randomSettings(operation, SETTINGS).entries()) {
            const seen = await preview(page, operation, fields, images[run % images.length]!);
            const [got] = await renderPagesByMupdf(await buy(page), seen);
            expect(differing(seen, got!), JSON.stringify(fields)).toBeLessThan(0.01);
          }
          expect(complaints).toEqual([]);
        },
        { viewport: { width: 1000, height: 1200 } }, // so large that few pixels are on smoothed edges
      ),
    10_000 + SETTINGS * 10_000,
  );
});

/**
 * Returns a PNG with transparency and a JPEG. Both are asymmetric, so that a wrong rotation is visible, and too large
 * for single pixels to matter.
 */
function logos(): Buffer[] {
  const canvas = createCanvas(600, 450);
  const context = canvas.getContext("2d");
  const draw = () => {
    context.fillStyle = "#000000";
    context.fillRect(40, 40, 90, 300);
    context.fillStyle = "#e0007a";
    context.fillRect(40, 340, 400, 70);
  };
  draw();
  const png = canvas.toBuffer("image/png");
  context.fillStyle = "#ffe08a";
  context.fillRect(0, 0, 600, 450);
  draw();
  return [png, canvas.toBuffer("image/jpeg")];
}

/** Sets the playground's controls and returns the updated preview. */
async function preview(page: Page, operation: string, fields: Fields, image: Buffer): Promise<Raster> {
  await page.evaluate(`(() => {
    document.querySelector(".sheet canvas").dataset.old = "";
    const form = document.querySelector("form[data-operation=${operation}]");
    form.reset();
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      if (form.elements[name]) form.elements[name].value = value;
    }
    form.dispatchEvent(new Event("input"));
  })()`);
  if (operation === "image")
    await page.setInputFiles("#image-image", { name: "image", mimeType: "image/png", buffer: image });
  const fresh = "#preview[aria-busy=false]:not(.outdated) .sheet canvas:not([data-old])";
  await page.waitForSelector(fresh);
  return rasterOf(await firstPage(page));
}

/** Buys the file in the preview with the development key, and returns the bytes of the result. */
async function buy(page: Page): Promise<Uint8Array> {
  const receipts = await page.locator(".receipt").count();
  await page.click("#buy-in-development");
  await expect.poll(() => page.locator(".receipt").count(), PATIENCE).toBe(receipts + 1);
  const response = await fetch(await page.locator("[data-part=link]").first().inputValue());
  return new Uint8Array(await response.arrayBuffer());
}

/** Returns the share of pixels that differ by more than the tolerance. */
function differing(one: Raster, other: Raster): number {
  const sides = ["width", "height"] as const;
  // Renderers may round a fractional page size differently.
  for (const side of sides) expect(Math.abs(one[side] - other[side])).toBeLessThanOrEqual(1);
  const [width, height] = sides.map((side) => Math.min(one[side], other[side])) as [number, number];
  let count = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [a, b] = [3 * (y * one.width + x), 3 * (y * other.width + x)];
      if ([0, 1, 2].some((channel) => Math.abs(one.rgb[a + channel]! - other.rgb[b + channel]!) > TOLERANCE)) count++;
    }
  return count / (width * height);
}
