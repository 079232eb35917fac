/** Tests in a real browser how the playground accepts, lists, names and retains files. */
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { RED_PNG } from "../support/png.ts";
import { violations } from "./axe.ts";
import { chooseFile, PATIENCE, withPage } from "./page.ts";
import { describePage } from "./running.ts";

describePage("the files of the playground", (running) => {
  let sample: Uint8Array;
  beforeAll(async () => {
    sample = await samplePdf();
  });

  const pdf = (name: string) => ({ name, mimeType: "application/pdf", buffer: Buffer.from(sample) });
  const expectStatus = (page: Page, words: RegExp) =>
    expect.poll(() => page.textContent("#status"), PATIENCE).toMatch(words);

  test("the playground announces the list of several chosen PDFs, and keeps the list when the visitor shows another of them", () =>
    withPage(running.browser, running.worker.url, async ({ page, complaints }) => {
      await page.setInputFiles("#file", ["one.pdf", "two.pdf", "three.pdf"].map(pdf));
      await expectStatus(page, /^one\.pdf: 4 pages/);
      const list = page.locator("#others");
      const shown = () => list.locator("[aria-pressed=true]").allTextContents();
      expect(await list.getAttribute("aria-live")).toBe("polite");
      expect(await list.locator("li button").allTextContents()).toEqual(["one.pdf", "two.pdf", "three.pdf"]);
      expect(await shown()).toEqual(["one.pdf"]);
      await list.getByText("three.pdf").click();
      await expectStatus(page, /^three\.pdf: 4 pages/);
      expect(await shown()).toEqual(["three.pdf"]);
      expect(await page.evaluate("document.activeElement.textContent")).toBe("three.pdf");
      expect(await violations(page)).toEqual([]);
      await list.getByText("one.pdf").click();
      await expectStatus(page, /^one\.pdf: 4 pages/);
      await chooseFile(page, sample, "alone.pdf");
      expect(await list.isHidden()).toBe(true);
      expect(complaints).toEqual([]);
    }));

  test("the call, the receipt and the download use the name of the source, unless the visitor enters another name", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      const curl = () => page.textContent("#snippet-curl");
      await chooseFile(page, sample, "Report 2026/Q3.PDF");
      await page.click("form[data-operation=text] summary");
      const name = await page.getAttribute("#text-filename", "placeholder");
      expect(name).toMatch(/Q3-watermarked\.pdf$/);
      expect(await curl()).toContain(`filename=${name}`);
      await expect.poll(() => page.isEnabled("#buy-in-development"), PATIENCE).toBe(true);
      await page.click("#buy-in-development");
      await page.waitForSelector(".receipt");
      expect(await page.textContent(".receipt h3")).toBe(`${name} is ready`);
      const [download] = await Promise.all([page.waitForEvent("download"), page.click("[data-part=download]")]);
      expect(download.suggestedFilename()).toBe(name);
      await page.fill("#text-filename", "final.pdf");
      expect(await curl()).toContain("filename=final.pdf");
    }));

  test("the file and the image survive a reload of the tab until the visitor resets the playground", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample, "mine.pdf");
      await page.check("[name=operation][value=image]", { force: true });
      await page.setInputFiles("#image-image", {
        name: "red.png",
        mimeType: "image/png",
        buffer: Buffer.from(RED_PNG),
      });
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      await page.reload();
      await expectStatus(page, /^mine\.pdf: 4 pages/);
      expect(await page.textContent("#snippet-curl")).toContain("image=@red.png");
      await page.click("#reset");
      await page.check("[name=operation][value=text]", { force: true });
      await expectStatus(page, /^mine\.pdf: 4 pages/);
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.locator("#preview").scrollIntoViewIfNeeded();
      await expectStatus(other, /^sample\.pdf: 4 pages/);
      await page.reload();
      await page.locator("#preview").scrollIntoViewIfNeeded();
      await expectStatus(page, /^sample\.pdf: 4 pages/);
    }));

  test("the browser asks for confirmation before a reload if the chosen file is too large to be retained", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      const asked: string[] = [];
      page.on("dialog", async (dialog) => {
        asked.push(dialog.type());
        await dialog.accept();
      });
      await chooseFile(page, sample, "small.pdf");
      await page.reload();
      expect(asked).toEqual([]);
      await page.evaluate(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([new Uint8Array(51e6)], "large.pdf", { type: "application/pdf" }));
        document.getElementById("preview").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true }));
      })()`);
      await expectStatus(page, /Choose another file|PDF/);
      await page.click("#status"); // browsers ask only if the visitor has interacted with the page
      await page.reload();
      expect(asked).toEqual(["beforeunload"]);
    }));
});
