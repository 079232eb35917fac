/** Compares the bytes of the page's preview with the bytes of the service's result for the same settings. */
import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { IMAGE_SAMPLES } from "../../scripts/lib/imageSamples.ts";
import { callPaid } from "../../scripts/lib/pay.ts";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { result } from "../../src/service/request/schemas.ts";
import { withPage } from "./page.ts";
import { describePage } from "./running.ts";
import { type Fields, randomSettings } from "./settings.ts";

describePage("the preview", (running) => {
  let sample: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    sample = new Uint8Array(await samplePdf());
  });

  test.each([
    ["text", undefined],
    ["image", IMAGE_SAMPLES],
  ] as const)(
    "the preview with random %s settings has the same bytes as the service's result",
    async (operation, images) => {
      await withPage(running.browser, running.worker.url, async ({ page }) => {
        for (const [run, fields] of randomSettings(operation, 25).entries()) {
          const image = images && Object.values(images)[run % Object.keys(images).length];
          const there = await sold(operation, fields, image);
          const here = await previewed(page, operation, fields, image);
          expect(here, JSON.stringify(fields)).toBe(there);
        }
      });
    },
  );

  /** Buys a marked file and returns the digest of its bytes. */
  async function sold(operation: string, fields: Fields, image?: Uint8Array): Promise<string> {
    const form = new FormData();
    form.set("file", new File([sample], "contract.pdf"));
    if (image) form.set("image", new File([new Uint8Array(image)], "image"));
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    const response = await callPaid(`${running.worker.url}/v1/watermark/${operation}`, form);
    if (!response.ok) throw new Error(`${JSON.stringify(fields)}: ${await response.text()}`);
    const { output } = result.parse(await response.json());
    return createHash("sha256")
      .update(Buffer.from(await (await fetch(output.url)).arrayBuffer()))
      .digest("hex");
  }

  /** Marks a file in the page's web worker, as the page does. Returns the digest of the result. */
  function previewed(page: Page, operation: string, fields: Fields, image?: Uint8Array): Promise<string> {
    const given = JSON.stringify({
      operation,
      fields,
      pdf: Buffer.from(sample).toString("base64"),
      image: image && Buffer.from(image).toString("base64"),
    });
    return page.evaluate(`(async ({ operation, fields, pdf, image }) => {
      const file = (base64) => new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], "file");
      window.engine ??= new Worker("/assets/engine.worker.js", { type: "module" });
      const answered = new Promise((resolve) => engine.addEventListener("message", resolve, { once: true }));
      const limits = { maxPages: 50_000, maxPixels: 40_000_000 };
      engine.postMessage({ id: 1, operation, fields, file: file(pdf), image: image && file(image), limits });
      const { marked, refusal } = (await answered).data;
      if (refusal) return JSON.stringify(refusal);
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", marked.pdf));
      return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    })(${given})`) as Promise<string>;
  }
});
