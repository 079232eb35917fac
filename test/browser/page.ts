import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";

/** How long to wait for what the page is about to show. */
export const PATIENCE = { timeout: 15_000 };

/** A page under test, and what it did that it should not. */
export interface OpenPage {
  page: Page;
  /** Reports of the Content-Security-Policy, errors, and requests that left the origin or failed. */
  complaints: string[];
  /** The paths that were asked for, in order. */
  requested: string[];
}

/** Opens the page at `/` in a profile of its own, which `prepare` may have first, and lets `use` have it. */
export async function withPage(
  browser: Browser,
  url: string,
  use: (open: OpenPage) => Promise<void>,
  options: BrowserContextOptions = {},
  prepare: (context: BrowserContext) => Promise<unknown> = async () => undefined,
): Promise<void> {
  // without smooth scrolling, which a click does not wait for
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  try {
    await prepare(context);
    const complaints: string[] = [];
    const requested: string[] = [];
    context.on("console", (message) => {
      // Chromium reports each 402, which is how a purchase begins
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

/** Gives the page a PDF, and waits until its first page is shown. */
export async function chooseFile(page: Page, pdf: Uint8Array, name = "contract.pdf"): Promise<void> {
  await page.setInputFiles("#file", { name, mimeType: "application/pdf", buffer: Buffer.from(pdf) });
  await page.waitForSelector(".sheet canvas");
}

/** The pixels of the first page as it is shown now, as a data URI. */
export function firstPage(page: Page): Promise<string> {
  return page.evaluate(`document.querySelector(".sheet canvas").toDataURL()`) as Promise<string>;
}

/** Does something, and waits until the first page looks otherwise than before. */
export async function expectChange(page: Page, act: () => Promise<unknown>): Promise<void> {
  const before = await firstPage(page);
  await act();
  await expect.poll(() => firstPage(page), PATIENCE).not.toBe(before);
}
