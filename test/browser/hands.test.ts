/** Tests that a visitor can drag, turn and scale marks of any size by hand in a real browser. */
import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { MAGENTA } from "../support/stamp.ts";
import { PATIENCE, withFile } from "./page.ts";
import { describePage } from "./running.ts";

const SIZES = { phone: { width: 375, height: 740 }, laptop: { width: 1366, height: 768 } };

interface Point {
  x: number;
  y: number;
}

describePage("the mark under the visitor's hands", (running) => {
  let sample: Uint8Array;
  beforeAll(async () => {
    sample = await samplePdf();
  });

  const curl = async (page: Page) => (await page.textContent("#snippet-curl"))!;
  const isShown = (page: Page) => expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);

  const withSample = (options: BrowserContextOptions, use: (page: Page) => Promise<void>) =>
    withFile(running.browser, running.worker.url, sample, use, options);

  async function centerOf(page: Page, selector: string): Promise<Point> {
    const { x, y, width, height } = (await page.locator(selector).first().boundingBox())!;
    return { x: x + width / 2, y: y + height / 2 };
  }

  /** Drags from a point by a distance in CSS pixels. */
  async function drag(page: Page, from: Point, by: Point): Promise<void> {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + by.x / 2, from.y + by.y / 2);
    await page.mouse.move(from.x + by.x, from.y + by.y);
    await page.mouse.up();
    await isShown(page);
  }

  /** The steps that set a small mark, by the name of the mark. */
  const SMALL: Record<string, (page: Page) => Promise<unknown>> = {
    footer: (page) => page.click('.presets >> text="Page 1 of 9"'),
    header: async (page) => {
      await page.check("[name=template][value=header]", { force: true });
      await page.fill("#text-text", "A");
    },
    logo: async (page) => {
      await page.check("[name=operation][value=image]", { force: true });
      await page.setInputFiles("#image-image", {
        ...{ name: "logo.png", mimeType: "image/png", buffer: Buffer.from(MAGENTA) },
      });
      await page.fill("#image-scale", "0.01");
    },
  };
  const cases = Object.keys(SMALL).flatMap((mark) => Object.keys(SIZES).map((size) => [mark, size] as const));

  test.each(cases)(
    "a visitor can move a small %s on a %s by its middle or an end, and its handles stay within reach",
    (mark, size) =>
      withSample({ viewport: SIZES[size as keyof typeof SIZES] }, async (page) => {
        await SMALL[mark]!(page);
        await isShown(page);
        await page.locator("#preview").scrollIntoViewIfNeeded();
        await page.focus(".mark");
        const scale = () => page.inputValue(mark === "logo" ? "#image-scale" : "#text-font_size");
        const before = await scale();
        const shares = [0.5, 0.1, 0.9];
        for (const share of shares) {
          const { x, y, width, height } = (await page.locator(".mark").first().boundingBox())!;
          await drag(page, { x: x + share * width, y: y + height / 2 }, { x: 12, y: mark === "header" ? 14 : -14 });
          const after = (await page.locator(".mark").first().boundingBox())!;
          expect(Math.abs(after.x - x)).toBeGreaterThan(3);
          expect(await scale()).toBe(before);
          expect(await curl(page)).not.toContain("rotation");
        }
        for (const kind of ["turn", "scale"]) {
          const { x, y } = await centerOf(page, `.handle.${kind}`);
          expect(await page.evaluate(`document.elementFromPoint(${x}, ${y}).className`)).toBe(`handle ${kind}`);
        }
      }),
  );

  test.each(["footer", "logo"])(
    "dragging a handle of a %s to the end of the screen does not exceed the limits of the fields",
    (mark) =>
      withSample({}, async (page) => {
        await SMALL[mark]!(page);
        await isShown(page);
        await page.focus(".mark");
        const handle = await centerOf(page, ".handle.scale");
        await drag(page, handle, { x: 300 - handle.x, y: 5 - handle.y });
        const field = page.locator(mark === "logo" ? "#image-scale" : "#text-font_size");
        expect(Number(await field.inputValue())).toBeLessThanOrEqual(mark === "logo" ? 1 : 2000);
        expect(await page.getAttribute("#status", "class")).not.toBe("refused");
      }),
  );

  test("a key press stops at the limits of size and offset, but turns the mark past 180 degrees", () =>
    withSample({}, async (page) => {
      await page.fill("#text-font_size", "1990");
      await page.fill("#text-rotation", "178");
      await page.click("form[data-operation=text] summary");
      await page.fill("#text-offset_x", "9995");
      await isShown(page);
      await page.focus(".mark");
      for (const key of ["Shift+ArrowRight", "r", "+"]) await page.keyboard.press(key);
      expect(await page.inputValue("#text-offset_x")).toBe("10000");
      expect(await page.inputValue("#text-rotation")).toBe("-177");
      expect(Number(await page.inputValue("#text-font_size"))).toBeLessThanOrEqual(2000);
    }));
});
