/** Tests in a real browser which order the checkout of the playground describes and remembers. */
import { beforeAll, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { chooseFile, PATIENCE, withPage } from "./page.ts";
import { describePage } from "./running.ts";

describePage("the order in the playground", (running) => {
  let sample: Uint8Array;
  beforeAll(async () => {
    sample = await samplePdf();
  });

  test("the recent settings contain the settings that were bought, not later changes", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await page.fill("#text-text", "BOUGHT");
      await expect.poll(() => page.isEnabled("#buy-in-development"), PATIENCE).toBe(true);
      const { promise: sent, resolve: send } = Promise.withResolvers<void>();
      const { promise: changed, resolve: change } = Promise.withResolvers<void>();
      await page.route("**/v1/watermark/text", async (route) => {
        send();
        await changed;
        await route.continue();
      });
      await page.click("#buy-in-development");
      expect(await page.textContent("#purchase-status")).toBe("Preparing the purchase …");
      await sent;
      await page.fill("#text-text", "CHANGED");
      change();
      await page.waitForSelector(".receipt");
      expect(await page.locator("#recent button").allTextContents()).toEqual(["“BOUGHT”"]);
    }));

  test("the checkout says nothing about a purchase while the chosen file cannot be bought", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await expect.poll(() => page.isEnabled("#buy-in-development"), PATIENCE).toBe(true);
      await page.click("#buy-in-development");
      await page.waitForSelector(".receipt");
      await page.fill("#text-text", "OTHER");
      await expect.poll(() => page.textContent("#purchase-status"), PATIENCE).toMatch(/not bought yet/);
      await page.setInputFiles("#file", { name: "no.pdf", mimeType: "application/pdf", buffer: Buffer.from("no") });
      await expect.poll(() => page.textContent("#preview .empty"), PATIENCE).toContain("no.pdf cannot be marked");
      await expect.poll(() => page.textContent("#purchase-status"), PATIENCE).toBe("");
    }));

  test("the preview shows no pages of an earlier PDF while the image is missing", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await page.check("input[name=operation][value=image]", { force: true });
      await page.waitForSelector("#preview.outdated .sheet");
      const buffer = Buffer.from(sample);
      await page.setInputFiles("#file", { name: "other.pdf", mimeType: "application/pdf", buffer });
      await expect.poll(() => page.locator(".sheet").count(), PATIENCE).toBe(0);
      expect(await page.innerText("#preview .empty")).toContain("Choose an image to put on the pages.");
    }));
});
