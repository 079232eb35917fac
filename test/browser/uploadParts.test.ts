/** Tests the upload page in a real browser with a file that it sends in parts. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callPaid, paymentFor } from "../../scripts/lib/pay.ts";
import { sampleContract } from "../../scripts/lib/sampleContract.ts";
import { UPLOADS } from "../../src/settings/limits.ts";
import { PATIENCE } from "./page.ts";
import { describePage } from "./running.ts";

const SIZE = UPLOADS.wholeBytes + 20_000_000;
const COUNT = Math.ceil(SIZE / UPLOADS.partBytes);

const LONG = { timeout: 60_000 };

describePage("the upload page, for a large file", (running) => {
  let dir: string;
  let paths: Record<"own" | "other", string>;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "overprint-"));
    paths = { own: join(dir, "contract.pdf"), other: join(dir, "other.pdf") };
    const contract = await sampleContract();
    const file = Buffer.alloc(SIZE, " ");
    file.set(contract);
    await writeFile(paths.own, file);
    await writeFile(paths.other, file.fill("%", contract.length, contract.length + 1));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test("the upload page resumes after a reload or a broken connection, and sends only the missing parts", {
    timeout: 120_000,
  }, async () => {
    const { url: origin } = running.worker;
    const headers = { "X-PAYMENT": await paymentFor(`${origin}/v1/watermark/text`) };
    const body = JSON.stringify({ name: "contract.pdf", size: SIZE });
    const answer = await fetch(`${origin}/v1/uploads`, { method: "POST", headers, body });
    const { handle, upload } = (await answer.json()) as { handle: string; upload: { url: string } };

    const page = await running.browser.newPage();
    page.on("dialog", (dialog) => dialog.accept()); // the page asks for confirmation before it is left during an upload
    const sent: string[] = [];
    page.on("request", (request) => request.method() !== "GET" && sent.push(request.url().slice(upload.url.length)));
    const status = () => page.textContent("#status");
    const choose = async (path: string) => {
      await page.setInputFiles("#file", path);
      await page.click("#confirm");
    };

    await page.goto(upload.url, { waitUntil: "networkidle" });
    await choose(paths.own);
    await page.waitForRequest(`${upload.url}/parts/2`, LONG);
    expect(await page.evaluate("document.querySelector('#progress').value")).toBeGreaterThan(0.4);

    await page.reload({ waitUntil: "networkidle" });
    await expect.poll(status, PATIENCE).toContain("Choose the same file to continue");
    sent.length = 0;
    await choose(paths.other);
    await expect.poll(status, PATIENCE).toContain("This is not the file");
    expect(sent).toEqual([]);
    await choose(paths.own);
    await page.waitForResponse(`${upload.url}/parts/2`, LONG);
    await page.context().setOffline(true);
    await page.waitForEvent("requestfailed", LONG);
    await page.context().setOffline(false);
    await expect.poll(status, LONG).toContain("Upload complete");
    const missing = Array.from({ length: COUNT - 1 }, (_, at) => `/parts/${at + 2}`);
    expect([...new Set(sent)]).toEqual([...missing, "/complete"]);
    const marked = await callPaid(`${origin}/v1/watermark/text`, { file: handle, text: "A" });
    expect(await marked.json()).toMatchObject({ output: { pages: 4 } });
    await page.close();
  });
});
