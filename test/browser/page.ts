import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";

/** Maximum time to wait for an expected change of the page. */
export const PATIENCE = { timeout: 15_000 };

/** A page under test, with records of its behavior. */
export interface OpenPage {
  page: Page;
  /** Violations of the Content-Security-Policy, errors, failed requests, and requests to other origins. */
  complaints: string[];
  /** Paths that the page has requested, in order. */
  requested: string[];
}

/**
 * Opens the home page in a new browser profile and passes the page to `use`. `prepare` can change the profile first.
 */
export async function withPage(
  browser: Browser,
  url: string,
  use: (open: OpenPage) => Promise<void>,
  options: BrowserContextOptions = {},
  prepare: (context: BrowserContext) => Promise<unknown> = async () => undefined,
): Promise<void> {
  // Turns smooth scrolling off, because Playwright's clicks do not wait until scrolling ends.
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  try {
    await prepare(context);
    const complaints: string[] = [];
    const requested: string[] = [];
    context.on("console", (message) => {
      // Chromium logs a 402 as an error, but every purchase begins with a 402.
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

/** Chooses a PDF on the page, and waits until its first page is shown in place of the sample. */
export async function chooseFile(page: Page, pdf: Uint8Array, name = "contract.pdf"): Promise<void> {
  await page.setInputFiles("#file", { name, mimeType: "application/pdf", buffer: Buffer.from(pdf) });
  const shown = async () => (await page.textContent("#status"))?.startsWith(`${name}: `);
  await expect.poll(shown, PATIENCE).toBe(true);
  await page.waitForSelector(".sheet canvas");
}

/** Opens the page at `url` in a new context, chooses a PDF, and passes the page to `use`. */
export function withFile(
  browser: Browser,
  url: string,
  pdf: Uint8Array,
  use: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const opened = async ({ page }: { page: Page }) => {
    await chooseFile(page, pdf);
    await use(page);
  };
  return withPage(browser, url, opened, options);
}

/** Returns the first page of the preview as a data URI with its pixels. */
export function firstPage(page: Page): Promise<string> {
  return page.evaluate(`document.querySelector(".sheet canvas").toDataURL()`) as Promise<string>;
}

/** Performs an action, and waits until the preview's first page looks different. */
export async function expectChange(page: Page, act: () => Promise<unknown>): Promise<void> {
  const before = await firstPage(page);
  await act();
  await expect.poll(() => firstPage(page), PATIENCE).not.toBe(before);
}
