/** Tests in a real browser how the fields of the playground depend on each other, and how they read numbers. */
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { chooseFile, expectChange, firstPage, PATIENCE, withPage } from "./page.ts";
import { describePage } from "./running.ts";

describePage("the fields of the playground", (running) => {
  let sample: Uint8Array;
  beforeAll(async () => {
    sample = await samplePdf();
  });

  const curl = (page: Page) => page.textContent("#snippet-curl");

  test("a chosen template looks like its picture after earlier changes of place, size and rotation, and keeps color and opacity", () =>
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
      expect(await firstPage(page)).toBe(untouched);
      expect(await curl(page)).not.toMatch(/position|offset|font_size|rotation/);
      expect(await curl(page)).toMatch(/opacity=0\.6.*color=#1d4ed8/s);
      await page.click("#undo");
      expect(await curl(page)).toMatch(/template=stamp.*position=bottom-right.*offset_x=-150/s);
    }));
});
