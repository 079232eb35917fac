/** Tests the upload page, where a person chooses the requested file, in a real browser. */
import { describe, expect, test } from "vitest";
import { sampleContract } from "../../scripts/lib/sampleContract.ts";
import { violations } from "./axe.ts";
import { PATIENCE } from "./page.ts";
import { describePage } from "./running.ts";

interface Offered {
  upload: { url: string };
}

describePage("the upload page", (running) => {
  const open = async (fields: object) => {
    const response = await fetch(`${running.worker.url}/v1/uploads`, { method: "POST", body: JSON.stringify(fields) });
    return ((await response.json()) as Offered).upload.url;
  };
  const file = async (more = "") => ({
    name: "contract.pdf",
    mimeType: "application/pdf",
    buffer: Buffer.concat([await sampleContract(), Buffer.from(more)]),
  });

  test("the upload page sends the chosen file only after a confirmation, and sends nothing to other origins", async () => {
    const chosen = await file();
    const url = await open({ name: chosen.name, size: chosen.buffer.length });
    const page = await running.browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("request", (request) => request.url().startsWith(running.worker.url) || complaints.push(request.url()));
    await page.goto(url, { waitUntil: "networkidle" });
    expect(await page.textContent("main")).toContain("contract.pdf");

    await page.setInputFiles("#file", await file("\n"));
    await expect.poll(() => page.textContent("#status"), PATIENCE).toContain(`has ${chosen.buffer.length + 1} bytes`);
    expect(await page.isVisible("#confirm")).toBe(false);
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "PUT" && sent.push(request.url()));
    await page.setInputFiles("#file", chosen);
    expect(await page.textContent("#confirm")).toMatch(/^Upload contract\.pdf \([\d.]+ kB\)$/);
    expect(sent).toEqual([]);
    await page.click("#confirm");
    await expect.poll(() => page.textContent("#status"), PATIENCE).toContain("Upload complete");
    expect(await page.isVisible("#file")).toBe(false);
    await page.reload({ waitUntil: "networkidle" });
    expect(await page.textContent("h1")).toContain("Upload complete");
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("the upload page refuses a file of another type before it is sent", async () => {
    const page = await running.browser.newPage();
    await page.goto(await open({}), { waitUntil: "networkidle" });
    await page.setInputFiles("#file", { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") });
    await expect.poll(() => page.textContent("#status"), PATIENCE).toBe("notes.txt is not a PDF. Choose another file.");
    expect(await page.isVisible("#confirm")).toBe(false);
    await page.close();
  });

  test("the upload page reports a rejected file and then accepts another file", async () => {
    const page = await running.browser.newPage();
    await page.goto(await open({}), { waitUntil: "networkidle" });
    const picture = { name: "a.pdf", mimeType: "application/pdf", buffer: Buffer.from("GIF89a, and so on") };
    await page.setInputFiles("#file", picture);
    await page.click("#confirm");
    await expect.poll(() => page.textContent("#status"), PATIENCE).toContain("This is an image, not a PDF");
    expect(await page.getAttribute("#status", "class")).toContain("refused");
    await page.setInputFiles("#file", await file());
    await page.click("#confirm");
    await expect.poll(() => page.textContent("#status"), PATIENCE).toContain("Upload complete");
    await page.close();
  });

  describe.each(["light", "dark"] as const)("in %s mode", (colorScheme) => {
    test.each([1280, 360])("the upload page passes axe's accessibility checks, %i px wide", async (width) => {
      const page = await running.browser.newPage({ colorScheme, viewport: { width, height: 780 } });
      await page.goto(await open({ name: `${"long".repeat(40)}.pdf` }), {
        waitUntil: "networkidle",
      });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expect(await violations(page)).toEqual([]);
      await page.close();
    });
  });
});
