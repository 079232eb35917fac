/** Tests the home page in a real browser: its content, its requests and its accessibility. */

import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { callPaid } from "../../scripts/lib/pay.ts";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { TEMPLATES } from "../../src/engine/index.ts";
import { LABELS, LENGTHS } from "../../src/site/fieldWords.ts";
import { encryptedPage, VECTORS } from "../engine/pdf/security/encryptedFile.ts";
import { pagesOf } from "../support/pdf.ts";
import { RED_PNG } from "../support/png.ts";
import { MAGENTA } from "../support/stamp.ts";
import { violations } from "./axe.ts";
import { chooseFile, expectChange, firstPage, PATIENCE, withPage } from "./page.ts";
import { describePage } from "./running.ts";

const PHONE = { viewport: { width: 360, height: 780 } };

describePage("the page at /", (running) => {
  let sample: Uint8Array;
  beforeAll(async () => {
    sample = await samplePdf();
  });

  test("the playground marks a chosen file without uploading it, and draws only the pages in view", () =>
    withPage(running.browser, running.worker.url, async ({ page, complaints, requested }) => {
      const uploads: string[] = [];
      page.on("request", (request) => {
        if (request.method() !== "GET") uploads.push(request.url());
      });
      await chooseFile(page, sample);
      expect(await page.textContent("#status")).toMatch(/^contract\.pdf: 4 pages$/);
      expect(await page.locator(".sheet").count()).toBe(4);
      expect(await page.locator(".sheet canvas").count()).toBeLessThan(4);
      await page.locator(".sheet").last().scrollIntoViewIfNeeded();
      await page.waitForSelector(".sheet:last-child canvas");
      await expect.poll(() => page.locator(".sheet:first-child canvas").count(), PATIENCE).toBe(0);
      expect(uploads).toEqual([]);
      expect(complaints).toEqual([]);
      expect(requested).toContain("/fonts/noto-sans-bold.ttf");
    }));

  test("the playground accepts the sample and a dropped file", () =>
    withPage(running.browser, running.worker.url, async ({ page, complaints }) => {
      await page.click("#sample");
      await page.waitForSelector(".sheet canvas");
      expect(await page.textContent("#status")).toMatch(/^sample\.pdf: 4 pages/);
      const transfer = await page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        const bytes = Uint8Array.from(atob("${Buffer.from(sample).toString("base64")}"), (c) => c.charCodeAt(0));
        transfer.items.add(new File([bytes], "dropped.pdf", { type: "application/pdf" }));
        return transfer;
      })()`);
      await page.dispatchEvent("#preview", "drop", { dataTransfer: transfer });
      await expectStatus(page, /^dropped\.pdf: 4 pages/);
      expect(complaints).toEqual([]);
    }));

  test("the playground uses a dropped PDF and image, lists further PDFs to choose from, and names files that it cannot use", () =>
    withPage(running.browser, running.worker.url, async ({ page, complaints }) => {
      const drop = async (...files: [name: string, type: string, bytes: Uint8Array][]) => {
        const transfer = await page.evaluateHandle(`(() => {
          const transfer = new DataTransfer();
          for (const [name, type, data] of ${JSON.stringify(files.map(([name, type, bytes]) => [name, type, Buffer.from(bytes).toString("base64")]))})
            transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name, { type }));
          return transfer;
        })()`);
        await page.dispatchEvent("#preview", "drop", { dataTransfer: transfer });
      };
      await drop(["first.pdf", "application/pdf", sample], ["second.pdf", "application/pdf", sample]);
      await expectStatus(page, /^first\.pdf: 4 pages/);
      await page.click("#others >> text=second.pdf");
      await expectStatus(page, /^second\.pdf: 4 pages/);
      await drop(["third.pdf", "application/pdf", sample], ["notes.txt", "text/plain", RED_PNG]);
      await expectStatus(page, /^third\.pdf: 4 pages/);
      expect(await page.textContent("#file-problem")).toMatch(/^Not used: notes\.txt\./);
      await drop(["second.pdf", "application/pdf", sample]);
      await expectStatus(page, /^second\.pdf: 4 pages/);
      expect(await page.textContent("#file-problem")).toBe("");
      await drop(["logo.png", "image/png", RED_PNG]);
      await expect.poll(() => page.textContent("#snippet-curl"), PATIENCE).toContain("logo.png");
      await expectStatus(page, /^second\.pdf: 4 pages$/);
      expect(await page.isChecked("input[name=operation][value=image]")).toBe(true);
      expect(await page.textContent("#snippet-curl")).toContain("logo.png");
      await drop(["words.docx", "application/msword", RED_PNG]);
      expect(await page.textContent("#file-problem")).toMatch(/^Not used: words\.docx\./);
      await page.waitForSelector(".sheet canvas");
      await expectStatus(page, /^second\.pdf: 4 pages$/);
      expect(complaints).toEqual([]);
    }));

  test("the playground says that a requested sample could not be loaded, and loads it at the next try", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      const problem = () => page.textContent("#file-problem");
      await chooseFile(page, sample);
      await page.route("**/assets/sample.pdf", (route) => route.abort());
      await page.click("#sample");
      await expect.poll(problem, PATIENCE).toBe("The sample could not be loaded. Try again.");
      await expectStatus(page, /^contract\.pdf: 4 pages$/);
      await page.unroute("**/assets/sample.pdf");
      await page.click("#sample");
      await expectStatus(page, /^sample\.pdf: 4 pages$/);
      expect(await problem()).toBe("");
    }));

  test("the playground copies a link with its settings but without the password, and applies or resets linked settings", () =>
    withPage(running.browser, running.worker.url, async ({ page, complaints }) => {
      await page.evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`);
      await page.check("[name=template][value=stamp]", { force: true });
      await page.fill("#text-text", "Für Zoë & Co. #1");
      await page.fill("#text-opacity", "0.8");
      await page.click("form[data-operation=text] summary");
      await page.fill("#text-password", "secret");
      await page.click("#share");
      await expect.poll(() => page.textContent("#shared"), PATIENCE).toContain("copied");
      const link = (await page.evaluate("window.copied")) as string;
      expect(link).not.toContain("secret");
      // Leaving the page earlier would abort requests, which withPage would report as failed.
      await page.waitForSelector(".sheet canvas");
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      await page.goto("about:blank");
      await page.goto(link, { waitUntil: "networkidle" });
      await page.waitForSelector(".sheet canvas");
      const shown = async () => [
        await page.inputValue("#text-text"),
        await page.isChecked("[name=template][value=stamp]"),
        await page.inputValue("#text-opacity"),
      ];
      expect(await shown()).toEqual(["Für Zoë & Co. #1", true, "0.8"]);
      expect(await page.textContent("#snippet-curl")).toContain("template=stamp");
      await page.click("#reset");
      expect(await shown()).toEqual(["CONFIDENTIAL", false, "0.3"]);
      expect(new URL(page.url()).hash).toBe("");
      await page.goto(`${running.worker.url}/#settings=%7B`);
      expect(complaints).toEqual([]);
    }));

  test("the playground shows no page and disables the purchase after rejecting a file", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      await page.setInputFiles("#file", { name: "no.pdf", mimeType: "application/pdf", buffer: Buffer.from("no") });
      await expectStatus(page, /Choose another file/);
      expect(await page.innerText("#preview .empty")).toMatch(/^no\.pdf cannot be marked\s+The file is not a PDF/);
      expect(await page.locator(".sheet").count()).toBe(0);
      expect(await page.isEnabled("#buy")).toBe(false);
      await chooseFile(page, sample);
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
    }));

  test("the playground disables the purchase until the preview shows the latest change", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      const isEnabled = await page.evaluate(`(() => {
        const field = document.getElementById("text-text");
        field.value = "CHANGED";
        field.dispatchEvent(new Event("input", { bubbles: true }));
        return !document.getElementById("buy").disabled;
      })()`);
      expect(isEnabled).toBe(false);
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
    }));

  test("the playground updates the preview and all snippets when a control changes", () =>
    withPage(running.browser, running.worker.url, async ({ page, complaints }) => {
      await chooseFile(page, sample);
      const curl = () => page.textContent("#snippet-curl");

      for (const name of Object.keys(TEMPLATES).filter((template) => template !== "diagonal"))
        await expectChange(page, () => page.check(`form[data-operation=text] [value=${name}]`, { force: true }));
      await expectChange(page, () =>
        page.check("form[data-operation=text] [name=position][value=bottom]", { force: true }),
      );
      const changes: [string, string, string][] = [
        ["text-text", "ENTWURF {page}", "text=ENTWURF {page}"],
        ["text-opacity", "0.9", "opacity=0.9"],
        ["text-rotation", "45", "rotation=45"],
        ["text-color", "#cc0068", "'color=#cc0068'"],
        ["text-font_size", "30", "font_size=30"],
        ["text-margin", "60", "margin=60"],
      ];
      await page.click("form[data-operation=text] summary");
      for (const [id, value, said] of changes) {
        await expectChange(page, () => page.fill(`#${id}`, value));
        expect(await curl()).toContain(said);
      }
      await page.fill("#text-filename", "signed.pdf");
      expect(await curl()).toContain("filename=signed.pdf");

      await page.check("[name=operation][value=image]", { force: true });
      await expectChange(page, () =>
        page.setInputFiles("#image-image", { name: "logo.png", mimeType: "image/png", buffer: Buffer.from(MAGENTA) }),
      );
      await expectChange(page, () => page.fill("#image-scale", "0.2"));
      await expectChange(page, () => page.check("form[data-operation=image] [value=top-left]", { force: true }));
      for (const client of ["curl", "typescript", "python", "mcp"]) {
        const code = await page.textContent(`#snippet-${client}`);
        for (const part of ["logo.png", "0.2", "top-left"]) expect(code).toContain(part);
      }
      expect(complaints).toEqual([]);
    }));

  test("the playground shows an error beside the affected field and keeps the last preview visible", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseFile(page, sample);
      const before = await firstPage(page);
      await page.fill("#text-color", "red");
      await page.waitForSelector("#text-color-problem:not(:empty)");
      expect(await page.textContent("#text-color-problem")).toBe("must be #rrggbb, such as #cc0000");
      expect(await page.getAttribute("#text-color", "aria-invalid")).toBe("true");
      expect(await firstPage(page)).toBe(before);

      await page.fill("#text-color", "");
      await page.waitForSelector("#text-color-problem:empty", { state: "attached" });
      await page.fill("#text-text", "\u{10FFFD}");
      await expectStatus(page, /font/);
      await page.setInputFiles("#file", { name: "no.pdf", mimeType: "application/pdf", buffer: Buffer.from("no") });
      await page.fill("#text-text", "DRAFT");
      await expectStatus(page, /PDF/);
    }));

  test("the playground reports errors with the API's messages, but with its own labels and units", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      const png = Buffer.from(RED_PNG);
      const files: [name: string, content: Buffer, words: RegExp][] = [
        ["empty.pdf", Buffer.from(""), /empty/],
        ["image.pdf", png, /image/],
        ["page.pdf", Buffer.from("<!doctype html><p>Log in"), /web page/],
        ["words.pdf", Buffer.from("words"), /Choose another file/],
        ["broken.pdf", Buffer.from("%PDF-1.7 1 0 obj<</Type/Catalog>>endobj"), /pages/],
      ];
      for (const [name, buffer, words] of files) {
        await page.setInputFiles("#file", { name, mimeType: "application/pdf", buffer });
        await expectStatus(page, words);
        const { detail } = await refusal(new File([buffer], name), { text: "A" });
        const shown = detail.replaceAll("`", "").replace("Check that you sent the right file", "Choose another file");
        expect(await page.textContent("#status")).toBe(shown);
      }
      await chooseFile(page, sample);
      await page.click("form[data-operation=text] summary");
      const fields = { text: " ", color: "red", rotation: "999", font_size: "0", margin: "-1", filename: "a/b" };
      for (const [name, value] of Object.entries(fields)) await page.fill(`#text-${name}`, value);
      const { errors } = await refusal(new File([new Uint8Array(sample)], "sample.pdf"), fields);
      expect(errors?.map(({ path }) => path).toSorted()).toEqual(Object.keys(fields).toSorted());
      const shown = errors!.map(({ path, message }) => ({
        path,
        message: message + (LENGTHS.includes(path) ? " pt" : ""),
      }));
      for (const { path, message } of shown)
        await expect.poll(() => page.textContent(`#text-${path}-problem`), PATIENCE).toBe(message);
      const named = shown.map(({ path, message }) => `${LABELS[path]} ${path} ${message}`);
      expect(await page.textContent("#status")).toBe(`${named.join("; ")}.`);
    }));

  async function refusal(file: File, fields: Record<string, string>): Promise<Refusal> {
    const form = new FormData();
    form.set("file", file);
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return (await callPaid(`${running.worker.url}/v1/watermark/text`, form)).json() as Promise<Refusal>;
  }

  test("the playground accepts a file after showing the sample, and keeps file and settings when the visitor returns", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      const contract = join(import.meta.dirname, "../../examples/contract.pdf");
      await page.setInputFiles("#file", contract);
      await expectStatus(page, /^contract\.pdf/);
      await page.click("#sample");
      await expectStatus(page, /^sample\.pdf/);
      await page.setInputFiles("#file", contract);
      await expectStatus(page, /^contract\.pdf/);

      await page.fill("#text-text", "RESTORED");
      await page.fill("#text-opacity", "0.8");
      await page.fill("#text-color", "#cc0068");
      await page.goto(`${running.worker.url}/docs`);
      await page.goBack({ waitUntil: "networkidle" });
      await expectStatus(page, /^contract\.pdf: 4 pages/);
      expect(await page.inputValue("[data-picks=text-color]")).toBe("#cc0068");
      expect(await page.textContent("output[for=text-opacity]")).toBe("80 %");
      expect(await page.textContent("#snippet-curl")).toContain("text=RESTORED");
    }));

  test("the playground fits a page into the window, but shows a very long page at a readable size", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      const heights = async (selector: string) =>
        (await page.locator(selector).first().boundingBox())! as { width: number; height: number };
      await chooseFile(page, sample);
      expect((await heights(".sheet")).height).toBeLessThan((await heights("#preview")).height);
      await chooseFile(page, pagesOf(["/MediaBox [0 0 100 5000]"]), "long.pdf");
      await expectStatus(page, /^long/);
      await expect.poll(async () => (await heights(".sheet")).width, PATIENCE).toBeGreaterThan(300);
    }));

  test.each([
    ["a laptop", 1366, 768],
    ["a low window on a laptop", 1366, 620],
    ["a phone", 375, 740],
  ])("the playground shows the complete first page on %s", (_, width, height) =>
    withPage(
      running.browser,
      running.worker.url,
      async ({ page }) => {
        await chooseFile(page, sample);
        await page.locator("#preview").scrollIntoViewIfNeeded();
        const boxOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
        const [view, sheet] = [await boxOf("#preview"), await boxOf(".sheet")];
        expect(sheet.y).toBeGreaterThan(view.y);
        expect(sheet.y + sheet.height).toBeLessThan(view.y + view.height);
      },
      { viewport: { width, height } },
    ),
  );

  test("the playground asks for the password of an encrypted file, and opens the file with it", () =>
    withPage(running.browser, running.worker.url, async ({ page, complaints }) => {
      const locked = VECTORS.find(({ user, dict }) => user !== "" && dict.p === -4)!;
      await page.setInputFiles("#file", {
        name: "locked.pdf",
        mimeType: "application/pdf",
        buffer: Buffer.from(encryptedPage(locked)),
      });
      await expectStatus(page, /password/);
      // The password field is visible and marked as invalid.
      expect(await page.getAttribute("#text-password", "aria-invalid")).toBe("true");
      await page.fill("#unlock-password", locked.user);
      await page.click("#unlock button");
      await page.waitForSelector(".sheet canvas");
      expect(await page.inputValue("#text-password")).toBe(locked.user);
      expect(complaints).toEqual([]);
    }));

  test.each(["light", "dark"] as const)("the home page passes axe's accessibility checks in %s mode", (colorScheme) =>
    withPage(
      running.browser,
      running.worker.url,
      async ({ page }) => {
        expect(await violations(page)).toEqual([]);
        await page.click("form[data-operation=text] summary");
        await chooseFile(page, sample);
        expect(await violations(page)).toEqual([]);
        await page.check("[name=operation][value=image]", { force: true });
        await page.check("[name=client][value=mcp]", { force: true });
        expect(await violations(page)).toEqual([]);
      },
      { colorScheme },
    ),
  );

  test("in forced-colors mode, the home page shows which options are selected", () =>
    withPage(
      running.browser,
      running.worker.url,
      async ({ page }) => {
        const groups = ["operation", "client", "template", "position"];
        const color = (selector: string) =>
          page.evaluate(`getComputedStyle(document.querySelector('${selector} ~ span')).backgroundColor`);
        for (const name of groups) {
          const input = `[data-operation=text] [name=${name}]`;
          const scope = ["operation", "client"].includes(name) ? `[name=${name}]` : input;
          expect(await color(`${scope}:checked`), name).not.toBe(await color(`${scope}:not(:checked)`));
        }
      },
      { forcedColors: "active" },
    ));

  test("the home page does not scroll sideways on a phone, before and after choosing a file", () =>
    withPage(
      running.browser,
      running.worker.url,
      async ({ page }) => {
        const overflow = () => page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect(await overflow()).toBe(0);
        await chooseFile(page, sample, `${"a long name ".repeat(20)}.pdf`);
        expect(await overflow()).toBe(0);
      },
      PHONE,
    ));

  test("the home page shows its summary, price, templates, fields and snippets without JavaScript", () =>
    withPage(
      running.browser,
      running.worker.url,
      async ({ page, complaints }) => {
        const text = await page.innerText("body");
        for (const part of [
          "on every page of a PDF",
          "0.05 USDC per call",
          "The preview needs JavaScript.",
          "opacity",
          "diagonal",
        ])
          expect(text).toContain(part);
        expect(await page.isVisible("#snippet-curl")).toBe(true);
        await page.check("[name=client][value=python]", { force: true });
        expect(await page.isVisible("#snippet-python")).toBe(true);
        expect(await page.isVisible("#preview")).toBe(false);
        expect(complaints).toEqual([]);
      },
      { javaScriptEnabled: false },
    ));

  test("the playground is usable with the keyboard alone", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      const focusOn = async (selector: string) => {
        for (let press = 0; press < 60; press++) {
          if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
          await page.keyboard.press("Tab");
        }
        throw new Error(`the keyboard does not reach ${selector}`);
      };
      await focusOn("#sample");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".sheet canvas");
      await focusOn("[name=template]");
      await expectChange(page, () => page.keyboard.press("ArrowRight"));
      await focusOn("#text-opacity");
      await expectChange(page, () => page.keyboard.press("End"));
      await focusOn("[name=client]");
      await page.keyboard.press("ArrowRight");
      expect(await page.isVisible("#snippet-typescript")).toBe(true);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.textContent("[data-client=typescript] .copy"), PATIENCE).toBe("Copied");
    }));

  test("the home page loads less than 150 KB gzipped, without the engine, fonts and pdf.js, until a file is chosen", () =>
    withPage(running.browser, running.worker.url, async ({ page, requested }) => {
      // Makes the browser load the pictures that load lazily.
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      await page.waitForLoadState("networkidle");
      const before = [...new Set(requested)];
      const bodies = await Promise.all(
        before.map(async (path) => new Uint8Array(await (await fetch(running.worker.url + path, HTML)).arrayBuffer())),
      );
      const total = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
      expect(total).toBeLessThan(150_000);
      expect(before.filter((path) => /engine|pdf|\/fonts\/|wasm|preview/.test(path))).toEqual([]);
    }));
});

interface Refusal {
  detail: string;
  errors?: { path: string; message: string }[];
}

function expectStatus(page: Page, words: RegExp): Promise<void> {
  return expect.poll(() => page.textContent("#status"), PATIENCE).toMatch(words);
}

const HTML = { headers: { Accept: "text/html" } };
