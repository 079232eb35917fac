/** Tests in a real browser how the playground applies the settings of a shared link. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { PATIENCE, withPage } from "./page.ts";
import { describePage } from "./running.ts";

describePage("a link with settings", (running) => {
  const open = async (page: Page, fields: object) => {
    await page.goto("about:blank");
    const settings = encodeURIComponent(JSON.stringify({ operation: "text", fields }));
    await page.goto(`${running.worker.url}/#settings=${settings}`, { waitUntil: "networkidle" });
    await page.waitForSelector(".sheet canvas");
  };

  test("the playground ignores unknown choices in a link and keeps its defaults", () =>
    withPage(running.browser, running.worker.url, async ({ page, complaints }) => {
      const checked = () => page.locator("form[data-operation=text] [type=radio]:checked").count();
      const choices = await checked();
      await open(page, { position: "zzz", template: "zzz", font: "zzz" });
      expect(await checked()).toBe(choices);
      const selected = () => page.evaluate("[...document.querySelectorAll('select')].map((one) => one.selectedIndex)");
      expect(await selected()).not.toContain(-1);
      await page.waitForSelector(".mark");
      await page.focus(".mark");
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => page.textContent("#snippet-curl"), PATIENCE).toContain("offset_x");
      expect(complaints).toEqual([]);
    }));

  test("changes after opening a link survive a reload, and the linked settings can be undone", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await open(page, { text: "LINKED" });
      expect(new URL(page.url()).hash).toBe("");
      await page.reload({ waitUntil: "networkidle" });
      expect(await page.inputValue("#text-text")).toBe("LINKED");
      await page.fill("#text-text", "CHANGED");
      await page.reload({ waitUntil: "networkidle" });
      expect(await page.inputValue("#text-text")).toBe("CHANGED");
      await open(page, { text: "LINKED" });
      await page.click("#undo");
      expect(await page.inputValue("#text-text")).toBe("CHANGED");
    }));
});
