/** Tests the layout of the playground at different sizes of the window in a real browser. */
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { PATIENCE, withFile } from "./page.ts";
import { describePage } from "./running.ts";

const PHONE = { width: 375, height: 740 };
const LAPTOP = { width: 1366, height: 768 };
/** Viewport of the laptop at 200 % zoom, in CSS pixels. */
const ZOOMED = { width: 683, height: 384 };

describePage("the layout of the playground", (running) => {
  let sample: Uint8Array;
  beforeAll(async () => {
    sample = await samplePdf();
  });

  const boxOf = async (page: Page, selector: string) => (await page.locator(selector).first().boundingBox())!;

  const withSample = (viewport: { width: number; height: number }, use: (page: Page) => Promise<void>) =>
    withFile(running.browser, running.worker.url, sample, use, { viewport });

  test.each([
    ["a phone", PHONE],
    ["a laptop", LAPTOP],
    ["a laptop at 200 % zoom", ZOOMED],
  ])("the mark, its warning, Undo and the purchase are visible beside the settings on %s", (_, viewport) =>
    withSample(viewport, async (page) => {
      await page.focus("#text-opacity");
      await page.fill("#text-opacity", "0");
      await page.waitForSelector("#warnings button");
      const view = await boxOf(page, "#preview");
      expect(view.height).toBeGreaterThan(100);
      for (const selector of ["#preview", "#warnings button", "#undo", "#buy", "#text-opacity"]) {
        const { y, height } = await boxOf(page, selector);
        expect(y, selector).toBeGreaterThanOrEqual(0);
        expect(y + height, selector).toBeLessThanOrEqual(viewport.height);
        if (["#undo", "#buy"].includes(selector)) expect(y).toBeGreaterThanOrEqual(view.y + view.height);
      }
    }),
  );

  test("a laptop at 200 % zoom shows the page at a readable width and scrolls a hidden mark into view", () =>
    withSample(ZOOMED, async (page) => {
      await page.focus("#text-opacity");
      expect((await boxOf(page, ".sheet")).width).toBeGreaterThan(250);
      await page.check("[name=template][value=footer]", { force: true });
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      const [view, mark] = [await boxOf(page, "#preview"), await boxOf(page, ".mark")];
      expect(mark.y).toBeGreaterThan(view.y);
      expect(mark.y + mark.height).toBeLessThan(view.y + view.height);
    }));

  test.each([
    ["a phone", PHONE],
    ["a laptop", LAPTOP],
    ["a laptop at 200 % zoom", ZOOMED],
  ])("the Tab key moves from the file to the preview, the purchase and the settings on %s", (_, viewport) =>
    withSample(viewport, async (page) => {
      const order = ["#file", "#page-number", "#preview", "#buy", "[data-settings]", "#text-text"];
      await page.focus(order[0]!);
      const found = [];
      for (let press = 0; press < 40; press++) {
        for (const selector of order)
          if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) found.push(selector);
        if (found.at(-1) === order.at(-1)) break;
        await page.keyboard.press("Tab");
      }
      expect([...new Set(found)]).toEqual(order);
      await page.evaluate("scrollTo(0, 0)");
      const [source, proof, settings] = [
        await boxOf(page, ".source"),
        await boxOf(page, ".stage"),
        await boxOf(page, ".settings"),
      ];
      expect(proof.y).toBeGreaterThanOrEqual(source.y + source.height);
      if (viewport === PHONE) expect(settings.y).toBeGreaterThanOrEqual(proof.y + proof.height);
      else expect(settings.x).toBeGreaterThanOrEqual(proof.x + proof.width);
    }),
  );

  test.each([
    ["a small phone", { width: 320, height: 568 }],
    ["a laptop at more than 200 % zoom", { width: 640, height: 400 }],
  ])("the texts of the purchase button and of the field labels do not wrap on %s", (_, viewport) =>
    withSample(viewport, async (page) => {
      expect((await boxOf(page, "#buy")).height).toBeLessThan(45);
      expect((await boxOf(page, "label[for=text-rotation]")).height).toBeLessThan(30);
      const [undo, buy, bar] = [await boxOf(page, "#undo"), await boxOf(page, "#buy"), await boxOf(page, ".bar")];
      expect(undo.x).toBeGreaterThanOrEqual(bar.x);
      expect(buy.x + buy.width).toBeLessThanOrEqual(bar.x + bar.width + 1);
    }),
  );

  test("the hint about moving the mark mentions tapping on a touch screen, and the arrow keys on other screens", async () => {
    const hint = async (options: { hasTouch?: boolean; isMobile?: boolean }) => {
      let words = "";
      const read = async (page: Page) => {
        words = await page.innerText("#moving");
      };
      await withFile(running.browser, running.worker.url, sample, read, { viewport: PHONE, ...options });
      return words;
    };
    expect(await hint({ hasTouch: true, isMobile: true })).toMatch(/^Tap the mark, then drag it\.(?!.*arrow keys)/s);
    expect(await hint({})).toMatch(/^Drag the mark to move it\..*arrow keys/s);
  });

  test("a tapped button does not stay colored on a touch screen", () =>
    withFile(
      running.browser,
      running.worker.url,
      sample,
      async (page) => {
        const color = () => page.evaluate(`getComputedStyle(document.querySelector("#share")).color`);
        const before = await color();
        await page.tap("#share");
        await expect.poll(() => page.textContent("#shared"), PATIENCE).not.toBe("");
        expect(await color()).toBe(before);
      },
      { viewport: PHONE, hasTouch: true, isMobile: true },
    ));

  test("arrow keys in the list of recent settings do not apply any settings", () =>
    withSample(LAPTOP, async (page) => {
      await page.evaluate(`navigator.clipboard.writeText = async () => undefined`);
      await page.fill("#text-text", "RECENT");
      await page.click("#share");
      await page.click("#reset");
      await page.focus("#recent summary");
      for (const key of ["ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
      expect(await page.inputValue("#text-text")).not.toBe("RECENT");
      for (const key of ["Enter", "Tab", "Enter"]) await page.keyboard.press(key);
      expect(await page.inputValue("#text-text")).toBe("RECENT");
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Recent settings");
    }));

  test("the frame of the mark contrasts with the page in dark mode with forced colors", () =>
    withFile(
      running.browser,
      running.worker.url,
      sample,
      async (page) => {
        await page.focus(".mark");
        const color = await page.evaluate(`getComputedStyle(document.querySelector(".mark")).borderTopColor`);
        expect(color).toBe("rgb(0, 117, 159)");
      },
      { forcedColors: "active", colorScheme: "dark" },
    ));
});
