/** Tests the playground with the keyboard and a screen reader in a real browser. */
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { pagesOf } from "../support/pdf.ts";
import { chooseFile, expectChange, PATIENCE, withPage } from "./page.ts";
import { describePage } from "./running.ts";

describePage("the playground with the keyboard", (running) => {
  let sample: Uint8Array;
  beforeAll(async () => {
    sample = await samplePdf();
  });

  const isShown = (page: Page) => expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
  const focused = (page: Page) =>
    page.evaluate(`(document.activeElement.id || document.activeElement.className)`) as Promise<string>;

  /** Presses a key on the focused element several times, 20 ms apart. */
  const pressQuickly = (page: Page, key: string, times: number) =>
    page.evaluate(`(async () => {
      for (let i = 0; i < ${times}; i++) {
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "${key}", bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })()`);
  /** Waits until the chosen file has been announced. */
  const fileAnnounced = (page: Page) =>
    expect.poll(() => page.textContent("#playground > .unseen"), PATIENCE).toContain("contract.pdf");

  /** Records all texts that live regions announce. */
  async function recordAnnouncements(page: Page): Promise<() => Promise<string[]>> {
    await page.evaluate(`(() => {
      window.announced = [];
      const record = () => {
        for (const region of document.querySelectorAll("[role=status], [role=alert], [aria-live]")) {
          const words = region.textContent;
          if (words && region.dataset.last !== words) window.announced.push(words);
          region.dataset.last = words;
        }
      };
      record();
      window.announced.length = 0;
      new MutationObserver(record).observe(document.body, { subtree: true, childList: true, characterData: true });
    })()`);
    return () => page.evaluate("window.announced") as Promise<string[]>;
  }

  test("each of ten quick key presses turns or scales the mark, and the result is announced once", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await page.check("[name=template][value=horizontal]", { force: true });
      await page.fill("#text-font_size", "20");
      await isShown(page);
      await fileAnnounced(page);
      await page.focus(".mark");
      const announced = await recordAnnouncements(page);
      await pressQuickly(page, "r", 10);
      expect(await page.inputValue("#text-rotation")).toBe("50");
      await expect.poll(announced, PATIENCE).toEqual(["Rotation 50 degrees."]);
      await pressQuickly(page, "+", 10);
      const size = Number(await page.inputValue("#text-font_size"));
      expect(size / 20).toBeGreaterThan(1.05 ** 10);
      await expect.poll(announced, PATIENCE).toEqual(["Rotation 50 degrees.", `Size ${size} points.`]);
      await pressQuickly(page, "ArrowLeft", 3);
      await expect.poll(announced, PATIENCE).toContain("Position center, 3 points left.");
      expect(await announced()).toHaveLength(3);
    }));

  test("the Tab key focuses the mark of the visible page, and the mark keeps the focus while pages are redrawn", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, pagesOf(Array.from({ length: 20 }, () => "/MediaBox [0 0 595 842]")));
      await page.fill("#page-number", "7");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".sheet:nth-child(7) .mark");
      await page.focus("#preview");
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.ariaLabel")).toMatch(/^Mark on page 7\./);
      await page.evaluate(`document.getElementById("preview").scrollTop = 0`);
      await page.waitForSelector(".sheet:first-child canvas");
      await expectChange(page, () => page.keyboard.press("Shift+ArrowUp"));
      expect(await page.evaluate("document.activeElement.ariaLabel")).toMatch(/^Mark on page 7\./);
      expect(await page.textContent("#snippet-curl")).toContain("offset_y=10");
    }));

  test("the Undo button keeps the focus after the last step, and a warning button that disappears passes it to the preview", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await page.fill("#text-opacity", "0");
      await page.waitForSelector("#warnings button");
      await page.focus("#undo");
      await page.keyboard.press("Enter");
      expect(await page.inputValue("#text-opacity")).toBe("0.3");
      expect(await page.isEnabled("#undo")).toBe(false);
      expect(await focused(page)).toBe("undo");
      await page.keyboard.press("Enter");
      expect(await page.inputValue("#text-opacity")).toBe("0.3");
      await page.fill("#text-opacity", "0");
      await page.waitForSelector("#warnings button");
      await page.focus("#warnings button");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.textContent("#warnings"), PATIENCE).toBe("");
      expect(await focused(page)).toBe("preview");
    }));

  test("an error is announced once after the visitor pauses typing, and so is its correction", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await isShown(page);
      await fileAnnounced(page);
      const announced = await recordAnnouncements(page);
      await page.locator("#text-text").pressSequentially(" FOR ZOË");
      await isShown(page);
      await page.locator("#text-color").pressSequentially("#cc0");
      await expect.poll(announced, PATIENCE).toHaveLength(1);
      expect((await announced())[0]).toContain("#rrggbb");
      await page.locator("#text-color").pressSequentially("068");
      await expect.poll(announced, PATIENCE).toHaveLength(2);
      expect((await announced())[1]).toBe("contract.pdf: 4 pages");
    }));

  test("each control has one accessible name, and screen readers read the sliders as percentages", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      const tree = await page.locator("form[data-operation=text]").ariaSnapshot();
      expect(tree).toContain('slider "Opacity"');
      expect(tree).not.toMatch(/Opacity opacity|Layer layer|Text text/);
      expect(await page.getAttribute("#text-opacity", "aria-valuetext")).toBe("30 %");
      await page.fill("#text-opacity", "0.55");
      expect(await page.getAttribute("#text-opacity", "aria-valuetext")).toBe("55 %");
    }));
});
