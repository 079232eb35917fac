/** Tests in a real browser how the playground recovers from scripts that cannot be loaded. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { PATIENCE, withPage } from "./page.ts";
import { describePage } from "./running.ts";

const WORKER = "**/assets/engine.worker.js";
const NOT_LOADED = "The engine could not be loaded. Change a setting or reload the page to try again.";

/** Opens the sample while the engine cannot be loaded, then changes the text after the failure has ended. */
async function recover(page: Page): Promise<void> {
  await page.click("#sample");
  await expect.poll(() => page.textContent("#status"), PATIENCE).toBe(NOT_LOADED);
  await page.context().unroute(WORKER);
  await page.fill("#text-text", "AGAIN");
  await page.waitForSelector(".sheet canvas");
}

describePage("the playground after a network failure", (running) => {
  test("the next change starts a new engine if the engine's worker failed to start", () =>
    withPage(
      running.browser,
      running.worker.url,
      async ({ page }) => {
        await recover(page);
        await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
        expect(await page.getAttribute("#preview", "aria-busy")).toBe("false");
      },
      {},
      async (context) => {
        let requests = 0;
        await context.route(WORKER, (route) => (++requests === 2 ? route.abort() : route.continue()));
      },
    ));

  test("the preview says that the engine could not be loaded, and loads it after the next change", () =>
    withPage(
      running.browser,
      running.worker.url,
      ({ page }) => recover(page),
      {},
      (context) => context.route(WORKER, (route) => route.abort()),
    ));

  test("a purchase without a network says that nothing was charged, and succeeds at the next try", () =>
    withPage(running.browser, running.worker.url, async ({ page }) => {
      await page.click("#sample");
      await expect.poll(() => page.isEnabled("#buy-in-development"), PATIENCE).toBe(true);
      const status = () => page.textContent("#purchase-status");
      await page.context().setOffline(true);
      await page.click("#buy-in-development");
      await expect.poll(status, PATIENCE).toBe("The service cannot be reached. Nothing was charged. Try again.");
      await page.context().setOffline(false);
      await page.click("#buy-in-development");
      await page.waitForSelector(".receipt");
    }));
});
