/** Tests in a real browser how the playground buys several PDFs with the same settings. */
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { violations } from "./axe.ts";
import { PATIENCE, withPage } from "./page.ts";
import { describePage } from "./running.ts";

describePage("a series of purchases", (running) => {
  let sample: Uint8Array;
  beforeAll(async () => {
    sample = await samplePdf();
  });

  /** Chooses PDFs of different content. Files whose names begin with `broken` are malformed. */
  async function choose(page: Page, ...names: string[]): Promise<void> {
    const files = names.map((name, at) => ({
      name,
      mimeType: "application/pdf",
      buffer: name.startsWith("broken") ? Buffer.from("no") : Buffer.from([...sample, ...Array(at).fill(10)]),
    }));
    await page.setInputFiles("#file", files);
    await expect.poll(() => page.isEnabled("#series [data-payer=key]"), PATIENCE).toBe(true);
    await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
  }
  const items = (page: Page) =>
    page
      .locator("#others li")
      .allInnerTexts()
      .then((texts) => texts.map((text) => text.trim()));
  const status = (page: Page) => page.textContent("#series-status");

  test("a visitor buys several PDFs with one click, except those that cannot be marked", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await choose(page, "one.pdf", "broken.pdf", "two.pdf");
      expect(await page.textContent("#series [data-payer=wallet]")).toBe("Get all 3 PDFs for 0.15 USDC");
      expect(await violations(page)).toEqual([]);
      await page.evaluate(`
        window.offers = new Set();
        new MutationObserver(() => offers.add(document.querySelector("#series [data-payer=wallet]").textContent))
          .observe(document.getElementById("series"), { subtree: true, childList: true, characterData: true });
      `);
      await page.click("#series [data-payer=key]");
      await expect.poll(() => status(page), { timeout: 60_000 }).toBe("2 PDFs are bought. Not bought: broken.pdf.");
      expect(await page.locator(".receipt h3").allInnerTexts()).toEqual([
        "two-watermarked.pdf is ready",
        "one-watermarked.pdf is ready",
      ]);
      await expect
        .poll(() => items(page), PATIENCE)
        .toEqual(["one.pdf bought", "broken.pdf not marked", "two.pdf bought"]);
      expect(await page.isVisible("#series")).toBe(false);
      expect(await page.evaluate("[...offers]")).not.toContainEqual(expect.stringMatching(/ [01] PDFs/));
      const pictures = page.locator(".receipt [data-part=picture]");
      expect(await pictures.count()).toBe(2);
      await page.fill("#text-text", "OTHER");
      await expect.poll(() => items(page), PATIENCE).toEqual(["one.pdf", "broken.pdf not marked", "two.pdf"]);
      expect(await status(page)).toBe("");
      await page.click("#undo");
      await expect.poll(() => items(page), PATIENCE).toContain("two.pdf bought");
    }));

  test("the offer for several PDFs omits those that cannot be marked", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await choose(page, "one.pdf", "broken.pdf", "two.pdf");
      await page.click("#others button >> text=broken.pdf");
      const offer = () => page.textContent("#series [data-payer=wallet]");
      await expect.poll(offer, PATIENCE).toBe("Get 2 PDFs for 0.10 USDC");
      await page.click("#series [data-payer=key]");
      await expect.poll(() => status(page), { timeout: 60_000 }).toBe("2 PDFs are bought. Not bought: broken.pdf.");
    }));

  test("a purchase of several PDFs stops at the first failure, and charges nothing for the remaining PDFs", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      let paid = 0;
      await page.route("**/v1/watermark/text", (route) => {
        if (!("payment-signature" in route.request().headers())) return route.continue();
        paid++;
        return route.fulfill({ status: 400, contentType: "application/problem+json", body: `{"detail":"Refused."}` });
      });
      await choose(page, "one.pdf", "two.pdf");
      await page.click("#series [data-payer=key]");
      await expect.poll(() => status(page), PATIENCE).toBe("0 PDFs are bought. Not bought: one.pdf, two.pdf.");
      expect(paid).toBe(1);
      expect(await page.locator(".receipt").count()).toBe(0);
    }));

  test("a purchase of several PDFs stops when the visitor chooses other files", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await choose(page, "one.pdf", "two.pdf", "three.pdf");
      await page.click("#series [data-payer=key]");
      const other = { name: "other.pdf", mimeType: "application/pdf", buffer: Buffer.from(sample) };
      await page.setInputFiles("#file", other);
      await page.waitForSelector("#purchase:not(.busy)");
      await expect.poll(() => page.textContent("#status"), PATIENCE).toMatch(/^other\.pdf: 4 pages/);
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      expect(await page.locator(".receipt").count()).toBeLessThan(2);
      expect(await page.isVisible("#others")).toBe(false);
    }));

  test("a purchase of several PDFs stops if the visitor changes the settings during the purchase", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await choose(page, "one.pdf", "two.pdf");
      await page.click("#series [data-payer=key]");
      await page.fill("#text-text", "CHANGED");
      await expect.poll(() => status(page), { timeout: 60_000 }).toMatch(/^The settings have changed/);
      await expect.poll(() => items(page), PATIENCE).toEqual(["one.pdf", "two.pdf"]);
      expect(await page.textContent("#snippet-curl")).toContain("text=CHANGED");
    }));
});
