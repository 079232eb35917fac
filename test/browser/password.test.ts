/** Tests in a real browser that the playground neither shows, stores nor shares the password of a PDF. */
import { join } from "node:path";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { CLIENTS } from "../../src/site/snippets.ts";
import { encryptedPage, VECTORS } from "../engine/pdf/security/encryptedFile.ts";
import { chooseFile, PATIENCE, withPage } from "./page.ts";
import { describePage } from "./running.ts";

const LOCKED = VECTORS.find(({ user, dict }) => user !== "" && dict.p === -4)!;

describePage("the password of a PDF in the playground", (running) => {
  let sample: Uint8Array;
  beforeAll(async () => {
    sample = await samplePdf();
  });

  /** Chooses an encrypted file and waits until the playground asks for its password. */
  async function chooseLocked(page: Page): Promise<void> {
    const buffer = Buffer.from(encryptedPage(LOCKED));
    await page.setInputFiles("#file", { name: "locked.pdf", mimeType: "application/pdf", buffer });
    await page.waitForSelector("#unlock-password");
  }

  async function unlock(page: Page, password: string): Promise<void> {
    await page.fill("#unlock-password", password);
    await page.keyboard.press("Enter");
  }

  test("the snippets, the copied link and the browser's storage never contain the password, even after a purchase", () =>
    withPage(
      running.browser,
      running.worker.url,
      async ({ page, complaints }) => {
        await chooseLocked(page);
        await unlock(page, LOCKED.user);
        await page.waitForSelector(".sheet canvas");
        for (const { id } of CLIENTS) {
          await page.check(`[name=client][value=${id}]`, { force: true });
          await page.click(`[data-copies=snippet-${id}]`);
          const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
          expect(copied, id).toContain("YOUR_PDF_PASSWORD");
          expect(copied, id).not.toContain(LOCKED.user);
        }
        await page.click("#share");
        expect(await page.evaluate("navigator.clipboard.readText()")).not.toContain("password");
        await page.click("#buy-in-development");
        await page.waitForSelector(".receipt");
        expect(await page.innerText(".receipt")).not.toContain("password");
        const stored = (await page.evaluate("JSON.stringify([localStorage, sessionStorage])")) as string;
        expect(stored).not.toContain(LOCKED.user);
        expect(stored).not.toContain("password");
        expect(complaints).toEqual([]);
      },
      { permissions: ["clipboard-read", "clipboard-write"] },
    ));

  test("the order digest that the browser stores does not depend on the password", async () => {
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, "../../web/buying/order.ts")],
      ...{ bundle: true, write: false, format: "iife", globalName: "orders", target: "es2023" },
    });
    await withPage(running.browser, running.worker.url, async ({ page }) => {
      const [locked, open, other] = (await page.evaluate(`(() => {
        ${outputFiles[0]!.text}
        const order = (fields) => orders.orderOf({ operation: "text", path: "/", file: new File(["%PDF"], "a.pdf"), fields });
        return Promise.all([{ password: "secret" }, {}, { text: "A" }].map((fields) => order(fields).digest()));
      })()`)) as string[];
      expect(locked).toBe(open);
      expect(other).not.toBe(open);
    });
  });

  test("each password of a PDF has its own purchase, and its receipt remains when another password is used", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      const links = () =>
        page.evaluate("[...document.querySelectorAll('[data-part=link]')].map(({ value }) => value)") as Promise<
          string[]
        >;
      const open = async (password: string) => {
        await page.reload({ waitUntil: "networkidle" });
        await page.evaluate("sessionStorage.clear()");
        await chooseLocked(page);
        await unlock(page, password);
        await expect.poll(() => page.isEnabled("#buy-in-development"), PATIENCE).toBe(true);
      };
      const press = async () => {
        await page.click("#buy-in-development");
        await page.waitForSelector("#purchase:not(.busy)");
      };
      await open(LOCKED.owner);
      await press();
      const [first] = await links();

      await open(LOCKED.user);
      await press();
      expect(await page.textContent("#purchase-status")).toMatch(/used another password\. Nothing was charged now\./);
      expect(await page.textContent("#buy")).toBe("Get the PDF");
      expect(await links()).toEqual([first]);
      await press();
      const [second, ...earlier] = await links();
      expect(earlier).toEqual([first]);
      expect(second).not.toBe(first);

      await open(LOCKED.owner);
      await press();
      await expect.poll(() => page.textContent("#buy"), PATIENCE).toBe("Get it again");
      await press();
      expect((await links()).toSorted()).toEqual([first, second].toSorted());
      for (const link of await links()) expect((await fetch(link)).status).toBe(200);
    }));

  test("the playground forgets the password when the visitor chooses another file", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseLocked(page);
      await unlock(page, LOCKED.user);
      await page.waitForSelector(".sheet canvas");
      await chooseFile(page, sample);
      expect(await page.inputValue("#text-password")).toBe("");
      expect(await page.inputValue("#image-password")).toBe("");
      expect(await page.textContent("#snippet-curl")).not.toContain("password");
      await chooseLocked(page);
      expect(await page.inputValue("#unlock-password")).toBe("");
    }));

  test("a reset of the settings keeps the password, and the page stays visible", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseLocked(page);
      await unlock(page, LOCKED.user);
      await page.waitForSelector(".sheet canvas");
      await page.fill("#text-text", "CHANGED");
      await page.click("#reset");
      await expect.poll(() => page.inputValue("#text-text"), PATIENCE).toBe("CONFIDENTIAL");
      await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
      expect(await page.textContent("#status")).toBe("locked.pdf: 1 page");
      expect(await page.inputValue("#text-password")).toBe(LOCKED.user);
    }));

  test("a wrong password is an error of the password field, which keeps the focus and accepts another try", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await chooseLocked(page);
      const field = page.locator("#unlock-password");
      expect(await field.getAttribute("aria-invalid")).toBe(null);
      expect((await field.boundingBox())!.height).toBeGreaterThanOrEqual(40);
      await unlock(page, "not this one");
      const problem = page.locator("#unlock-problem");
      await expect
        .poll(() => problem.textContent(), PATIENCE)
        .toBe("This password does not open the PDF. Try another one.");
      expect(await problem.getAttribute("role")).toBe("alert");
      expect(await page.textContent("#status")).toBe("locked.pdf needs its password.");
      expect(await field.getAttribute("aria-describedby")).toBe("unlock-problem");
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      expect(await page.evaluate("document.activeElement.id")).toBe("unlock-password");
      await unlock(page, LOCKED.user);
      await page.waitForSelector(".sheet canvas");
      expect(await page.evaluate("document.activeElement.id")).toBe("preview");
    }));
});
