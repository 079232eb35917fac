/** Tests the tools of the playground in a real browser, such as dragging the mark, presets, history, units and zoom. */
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { EXAMPLE_TEXT } from "../../src/site/controls.tsx";
import { PRESETS } from "../../src/site/presets.ts";
import { pagesOf } from "../support/pdf.ts";
import { violations } from "./axe.ts";
import { chooseFile, expectChange, PATIENCE, withFile, withPage } from "./page.ts";
import { describePage } from "./running.ts";

describePage("the tools of the playground", (running) => {
  let sample: Uint8Array;
  beforeAll(async () => {
    sample = await samplePdf();
  });

  const curl = (page: Page) => page.textContent("#snippet-curl");

  /** Drags an element by a distance in CSS pixels. */
  async function drag(page: Page, selector: string, x: number, y: number): Promise<void> {
    await page.locator(selector).first().scrollIntoViewIfNeeded();
    const { left, top } = (await page.evaluate(
      `(({ left, top, width, height }) => ({ left: left + width / 2, top: top + height / 2 }))(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
    )) as { left: number; top: number };
    await page.mouse.move(left, top);
    await page.mouse.down();
    await page.mouse.move(left + x / 2, top + y / 2);
    await page.mouse.move(left + x, top + y);
    await page.mouse.up();
  }

  test("the playground opens with a marked sample, which the visitor's file replaces", () =>
    withPage(running.browser, running.worker.url, async ({ page, complaints }) => {
      await page.locator("#preview").scrollIntoViewIfNeeded();
      await expect.poll(() => page.textContent("#status"), PATIENCE).toMatch(/^sample\.pdf: 4 pages/);
      await chooseFile(page, pagesOf(["/MediaBox [0 0 300 300]"]), "mine.pdf");
      expect(await page.locator(".sheet").count()).toBe(1);
      expect(complaints).toEqual([]);
    }));

  test("dragging the mark to a corner updates the fields and the displayed call", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, pagesOf(["/MediaBox [0 0 400 400]"]));
      await page.check("[name=template][value=stamp]", { force: true });
      await page.fill("#text-rotation", "0");
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      const sheet = (await page.locator(".sheet").boundingBox())!;
      const mark = (await page.locator(".mark").boundingBox())!;
      const margin = (24 / 400) * sheet.width;
      // The frame exceeds the mark by 5.5 pixels on each side.
      const left = sheet.x + margin - 5.5 - mark.x;
      const down = sheet.y + sheet.height - margin + 5.5 - (mark.y + mark.height);
      await expectChange(page, () => drag(page, ".mark", left + 3, down - 4));
      expect(await page.isChecked("[name=position][value=bottom-left]")).toBe(true);
      expect(await curl(page)).toContain("position=bottom-left");
      expect(await curl(page)).not.toContain("offset");
      await expectChange(page, () => drag(page, ".mark", 40, -30));
      expect(await curl(page)).toMatch(/offset_x=\d/);
      expect(Number(/offset_x=([\d.]+)/.exec((await curl(page))!)![1])).toBeCloseTo((40 / sheet.width) * 400, 0);
    }));

  test("a visitor turns and scales the mark by dragging its handles", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, pagesOf(["/MediaBox [0 0 400 400]"]));
      await page.check("[name=template][value=horizontal]", { force: true });
      await page.fill("#text-text", "TURN");
      await page.fill("#text-font_size", "40");
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      await page.focus(".mark");
      const { width } = (await page.locator(".mark").boundingBox())!;
      await expectChange(page, () => drag(page, ".handle.turn", -width / 2 - 14, -width / 2 - 14));
      expect(await page.inputValue("#text-rotation")).toBe("90");
      const size = Number(await page.inputValue("#text-font_size"));
      await expectChange(page, () => drag(page, ".handle.scale", -20, -40));
      expect(Number(await page.inputValue("#text-font_size"))).toBeGreaterThan(size + 5);
    }));

  test("a visitor moves, scales and turns the mark with the keyboard", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await page.focus(".mark");
      await expectChange(page, async () => {
        for (const key of ["ArrowRight", "ArrowRight", "Shift+ArrowUp"]) await page.keyboard.press(key);
      });
      expect(await curl(page)).toMatch(/offset_x=2 .*\n.*offset_y=10/);
      await expectChange(page, () => page.keyboard.press("-"));
      expect(await page.inputValue("#text-font_size")).not.toBe("");
      await expectChange(page, () => page.keyboard.press("r"));
      expect(await page.inputValue("#text-rotation")).not.toBe("");
      expect(await violations(page)).toEqual([]);
    }));

  test('each preset fills in its settings, and typing replaces the "…" in the text of a preset', () =>
    withPage(running.browser, running.worker.url, async ({ page, complaints }) => {
      await chooseFile(page, sample);
      for (const { label, operation, fields } of PRESETS) {
        await page.click(`.presets >> text="${label}"`);
        if (operation === "image") await expect.poll(() => curl(page), PATIENCE).toContain("logo.png");
        const code = await curl(page);
        for (const [name, value] of Object.entries(fields)) expect(code, label).toContain(`${name}=${value}`);
        await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      }
      await page.click('.presets >> text="Copy for …"');
      await page.keyboard.type("Zoë");
      expect(await curl(page)).toContain("text=Copy for Zoë");
      expect(complaints).toEqual([]);
    }));

  test("the playground can undo and redo changes, and remembers the settings until they are reset", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      const isStamp = () => page.isChecked("[name=template][value=stamp]");
      await page.check("[name=template][value=stamp]", { force: true });
      await page.fill("#text-opacity", "0.6");
      expect(await page.isEnabled("#undo")).toBe(true);
      await page.click("#undo");
      expect(await isStamp()).toBe(false);
      expect(await page.inputValue("#text-opacity")).toBe("0.3");
      await page.click("#redo");
      expect([await isStamp(), await page.inputValue("#text-opacity")]).toEqual([true, "0.6"]);
      await page.goto("about:blank");
      await page.goto(running.worker.url, { waitUntil: "networkidle" });
      expect([await isStamp(), await page.inputValue("#text-opacity")]).toEqual([true, "0.6"]);
      await page.click("#reset");
      await page.goto("about:blank");
      await page.goto(running.worker.url, { waitUntil: "networkidle" });
      expect(await isStamp()).toBe(false);
      expect(await page.inputValue("#text-text")).toBe(EXAMPLE_TEXT);
    }));

  test("the playground accepts lengths in millimeters and inches, and converts them to points in the displayed call", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await page.click("form[data-operation=text] summary");
      await page.selectOption("#unit", "mm");
      expect(await page.inputValue("#text-margin")).toBe("8.47");
      expect(await curl(page)).not.toContain("margin");
      await page.fill("#text-margin", "25.4");
      expect(await curl(page)).toContain("margin=72");
      await page.selectOption("#unit", "in");
      expect(await page.inputValue("#text-margin")).toBe("1");
      await page.click("#reset");
      expect(await page.inputValue("#text-margin")).toBe("0.3333");
      expect(await curl(page)).not.toContain("margin");
    }));

  test("a click on a swatch sets the color, and a slider shows a percentage", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await page.click("form[data-operation=text] [title=Red]");
      expect(await curl(page)).toContain("color=#b91c1c");
      expect(await page.inputValue("[data-picks=text-color]")).toBe("#b91c1c");
      await page.fill("#text-opacity", "0.55");
      expect(await page.textContent("output[for=text-opacity]")).toBe("55 %");
    }));

  test("the playground jumps to any of 500 pages, shows the page number while scrolling, and zooms", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, pagesOf(Array.from({ length: 500 }, () => "/MediaBox [0 0 595 842]")));
      expect(await page.textContent("#page-count")).toBe("500");
      await page.fill("#page-number", "321");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".sheet:nth-child(321) canvas");
      await page.evaluate(`document.activeElement.blur(); document.getElementById("preview").scrollTop = 0`);
      await expect.poll(() => page.inputValue("#page-number"), PATIENCE).toBe("1");
      const width = async () => (await page.locator(".sheet").first().boundingBox())!.width;
      const before = await width();
      await page.click("#zoom-in");
      expect(await page.textContent("#zoom")).toBe("150 %");
      expect((await width()) / before).toBeGreaterThan(1.3);
      await page.click("#zoom-out");
      expect(await width()).toBeCloseTo(before, 0);
    }));

  test("a warning says that the mark is not visible, and the warning's button corrects the settings", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await page.fill("#text-opacity", "0");
      await expect.poll(() => page.textContent("#warnings"), PATIENCE).toContain("cannot be seen");
      await page.click("#warnings button");
      await expect.poll(() => page.textContent("#warnings"), PATIENCE).toBe("");
      expect(await page.inputValue("#text-opacity")).toBe("0.3");
      await page.click("form[data-operation=text] summary");
      await page.fill("#text-offset_x", "3000");
      await expect.poll(() => page.textContent("#warnings"), PATIENCE).toContain("off the page");
      await page.click("#warnings button");
      await expect.poll(() => page.textContent("#warnings"), PATIENCE).toBe("");
    }));

  test("a warning says that the edge of the page cuts off a moved mark, and the warning's button moves the mark back", () =>
    withFile(running.browser, running.worker.url, sample, async (page) => {
      await page.click("form[data-operation=text] summary");
      await page.fill("#text-offset_x", "100");
      await expect.poll(() => page.textContent("#warnings"), PATIENCE).toMatch(/cuts off the mark on 4 pages/);
      await page.click("#warnings button");
      await expect.poll(() => page.textContent("#warnings"), PATIENCE).toBe("");
      expect(await page.inputValue("#text-offset_x")).toBe("0");
      await page.check("[name=template][value=tiled]", { force: true });
      await page.fill("#text-offset_x", "250");
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      expect(await page.textContent("#warnings")).toBe("");
    }));

  test("the page keeps its size while the visitor drags the mark over the page's edge, and a warning appears after the drag", () =>
    withFile(running.browser, running.worker.url, sample, async (page) => {
      await page.locator(".mark").first().scrollIntoViewIfNeeded();
      const boxOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
      const [sheet, mark] = [await boxOf(".sheet"), await boxOf(".mark")];
      await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
      await page.mouse.down();
      await page.mouse.move(mark.x + mark.width / 2 + 90, mark.y + mark.height / 2);
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(false);
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      expect(await page.textContent("#warnings")).toBe("");
      expect(await boxOf(".sheet")).toEqual(sheet);
      await page.mouse.up();
      await expect.poll(() => page.textContent("#warnings"), PATIENCE).toContain("cuts off the mark");
    }));

  test('the button "Page number" inserts {page} at the cursor of the text, and typing continues after the placeholder', () =>
    withFile(running.browser, running.worker.url, sample, async (page) => {
      await page.fill("#text-text", "Page  of 4");
      await page.evaluate(`document.getElementById("text-text").setSelectionRange(5, 5)`);
      await page.click('.inserts >> text="Page number"');
      expect(await page.inputValue("#text-text")).toBe("Page {page} of 4");
      await page.keyboard.type("!");
      expect(await curl(page)).toContain("text=Page {page}! of 4");
    }));

  test("a warning asks for the missing image, and offers a sample image", () =>
    withFile(running.browser, running.worker.url, sample, async (page) => {
      await page.check("[name=operation][value=image]", { force: true });
      await expect.poll(() => page.textContent("#warnings"), PATIENCE).toContain("Choose an image");
      expect(await page.isEnabled("#buy")).toBe(false);
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.click(`#warnings button:text-is("Choose an image")`),
      ]);
      expect(await chooser.element().getAttribute("name")).toBe("image");
      await page.click("#warnings >> text=Try the sample logo");
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      expect(await page.textContent("#warnings")).toBe("");
      expect(await page.textContent("#snippet-curl")).toContain("image=@logo.png");
    }));

  test("the playground reports a lost connection, and marks the file once the connection is back", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await page.context().setOffline(true);
      await page.setInputFiles("#file", { name: "mine.pdf", mimeType: "application/pdf", buffer: Buffer.from(sample) });
      await expect.poll(() => page.textContent("#status"), PATIENCE).toContain("You are offline");
      expect(await page.isEnabled("#buy")).toBe(false);
      await page.context().setOffline(false);
      await expect.poll(() => page.textContent("#status"), PATIENCE).toMatch(/^mine\.pdf: 4 pages/);
    }));

  test("a receipt shows the bought page, and the bought settings appear among the recent settings", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await page.check("[name=template][value=header]", { force: true });
      await expect.poll(() => page.isEnabled("#buy-in-development"), PATIENCE).toBe(true);
      await page.click("#buy-in-development");
      await page.waitForSelector(".receipt");
      expect(await page.getAttribute(".receipt img", "src")).toMatch(/^data:image\/webp;base64,.{200}/);
      await page.click("#reset");
      await page.click("#recent summary");
      await page.click("#recent button");
      expect(await page.isChecked("[name=template][value=header]")).toBe(true);
    }));
});
