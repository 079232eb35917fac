import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";

/** Maximum wait for an expected change of the page. */
export const PATIENCE = { timeout: 15_000 };

/** A page under test, with records of its behavior. */
export interface OpenPage {
  page: Page;
  /** Violations of the Content-Security-Policy, errors, and requests that failed or went to other origins. */
  complaints: string[];
  /** Requested paths, in order. */
  requested: string[];
}

/** Opens the home page in a new profile and passes it to `use`. `prepare` may change the profile first. */
export async function withPage(
  browser: Browser,
  url: string,
  use: (open: OpenPage) => Promise<void>,
  options: BrowserContextOptions = {},
  prepare: (context: BrowserContext) => Promise<unknown> = async () => undefined,
): Promise<void> {
  // prevents smooth scrolling, because Playwright's clicks do not wait until scrolling ends
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  try {
    await prepare(context);
    const complaints: string[] = [];
    const requested: string[] = [];
    context.on("console", (message) => {
      // every purchase begins with a 402, which Chromium logs
      if (message.text().endsWith("402 (Payment Required)")) return;
      if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
    });
    context.on("weberror", (error) => complaints.push(`error: ${error.error().message}`));
    context.on("request", (request) => {
      if (!request.url().startsWith(`${url}/`)) complaints.push(`request: ${request.url()}`);
      requested.push(new URL(request.url()).pathname);
    });
    context.on("requestfailed", (request) =>
      complaints.push(`failed: ${request.url()} ${request.failure()?.errorText ?? ""}`),
    );
    const page = await context.newPage();
    await page.goto(`${url}/`, { waitUntil: "networkidle" });
    await use({ page, complaints, requested });
  } finally {
    await context.close();
  }
}

/** Chooses a PDF on the page, and waits until its first page is shown instead of the sample. */
export async function chooseFile(page: Page, pdf: Uint8Array, name = "contract.pdf"): Promise<void> {
  await page.setInputFiles("#file", { name, mimeType: "application/pdf", buffer: Buffer.from(pdf) });
  const shown = async () => (await page.textContent("#status"))?.startsWith(`${name}: `);
  await expect.poll(shown, PATIENCE).toBe(true);
  await page.waitForSelector(".sheet canvas");
}

/** Returns the pixels of the first page in the preview as a data URI. */
export function firstPage(page: Page): Promise<string> {
  return page.evaluate(`document.querySelector(".sheet canvas").toDataURL()`) as Promise<string>;
}

/** Performs an action, and waits until the first page in the preview changes. */
export async function expectChange(page: Page, act: () => Promise<unknown>): Promise<void> {
  const before = await firstPage(page);
  await act();
  await expect.poll(() => firstPage(page), PATIENCE).not.toBe(before);
}
