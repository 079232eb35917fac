/** Tests in a real browser how the fields of the playground depend on each other, and how they read numbers. */
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { pagesOf } from "../support/pdf.ts";
import { chooseFile, expectChange, firstPage, PATIENCE, withPage } from "./page.ts";
import { describePage } from "./running.ts";

describePage("the fields of the playground", (running) => {
  let sample: Uint8Array;
  beforeAll(async () => {
    sample = await samplePdf();
  });

  const curl = (page: Page) => page.textContent("#snippet-curl");

  test("choosing a template resets the mark's place, size and rotation, but not its color and opacity", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      const choose = (template: string) =>
        expectChange(page, () => page.check(`[name=template][value=${template}]`, { force: true }));
      const settled = () => expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      await page.fill("#text-color", "#1d4ed8");
      await page.fill("#text-opacity", "0.6");
      await choose("header");
      await settled();
      const untouched = await firstPage(page);
      await choose("stamp");
      await page.click("form[data-operation=text] summary");
      await page.fill("#text-offset_x", "-150");
      await page.fill("#text-offset_y", "-80");
      await page.fill("#text-font_size", "40");
      await page.fill("#text-rotation", "80");
      await page.check("form[data-operation=text] [name=position][value=bottom-right]", { force: true });
      await settled();
      await page.waitForTimeout(1000); // begins a new step of the history
      await choose("header");
      await settled();
      await expect.poll(() => firstPage(page), PATIENCE).toBe(untouched);
      expect(await curl(page)).not.toMatch(/position|offset|font_size|rotation/);
      expect(await curl(page)).toMatch(/opacity=0\.6.*color=#1d4ed8/s);
      await page.click("#undo");
      expect(await curl(page)).toMatch(/template=stamp.*position=bottom-right.*offset_x=-150/s);
    }));

  test("the number fields accept a decimal comma or point, and the arrow keys change numbers by one", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await page.click("form[data-operation=text] summary");
      await page.selectOption("#unit", "mm");
      await page.fill("#text-margin", "");
      await page.type("#text-margin", "10,5");
      expect(await curl(page)).toContain("margin=29.76");
      await page.locator("#text-margin").blur();
      expect(await page.inputValue("#text-margin")).toBe("10.5");
      expect(await curl(page)).toContain("margin=29.76");
      await page.fill("#text-margin", "25,4");
      await page.selectOption("#unit", "in");
      expect(await page.inputValue("#text-margin")).toBe("1");
      await page.fill("#text-rotation", "7,5");
      await page.keyboard.press("ArrowUp");
      expect(await page.inputValue("#text-rotation")).toBe("8.5");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      expect(await curl(page)).toContain("rotation=6.5");
    }));

  test("the playground rejects a number with a thousands separator", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await page.fill("#text-font_size", "1,000.5");
      await expect.poll(() => page.textContent("#text-font_size-problem"), PATIENCE).toContain("must be a number");
    }));

  test("the playground shows hints and limits in the unit that the visitor has chosen", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await page.click("form[data-operation=text] summary");
      expect(await page.textContent("#text-margin-hint")).toContain("in points");
      await page.selectOption("#unit", "mm");
      for (const name of ["margin", "offset_x", "offset_y"]) {
        expect(await page.textContent(`#text-${name}-hint`)).toContain("in millimeters");
        expect(await page.textContent(`#text-${name}-hint`)).not.toContain("points");
      }
      await page.fill("#text-font_size", "900");
      const problem = () => page.textContent("#text-font_size-problem");
      await expect.poll(problem, PATIENCE).toBe("must be at most 705.56 mm");
      expect(await page.textContent("#status")).toBe("Size font_size must be at most 705.56 mm.");
    }));

  test("a warning says that the mark does not fit on a page at this size, and the warning's button sets a size that fits", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, pagesOf(["/MediaBox [0 0 400 400]", "/MediaBox [0 0 800 800]"]));
      const warnings = () => page.textContent("#warnings");
      await page.fill("#text-font_size", "90");
      await expect
        .poll(warnings, PATIENCE)
        .toMatch(/A size of 90 pt does not fit on page 1\. The mark is smaller there\./);
      await page.click("#warnings button");
      await expect.poll(warnings, PATIENCE).toBe("");
      expect(Number(await page.inputValue("#text-font_size"))).toBeGreaterThan(20);
      await page.fill("#text-font_size", "1900");
      await expect.poll(warnings, PATIENCE).toMatch(/does not fit on 2 pages/);
    }));

  test("the playground's hints contain no field names of the API", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      const hints = await page.locator("form.controls :is(.hint, [id$=-hint])").allTextContents();
      expect(hints.length).toBeGreaterThan(25);
      for (const hint of hints) expect(hint).not.toMatch(/[a-z]_[a-z]|`|\/Lang|BCP/);
    }));
});
