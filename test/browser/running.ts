import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { chromiumPath, NO_BROWSER, startBrowser } from "../../scripts/lib/chromium.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

/** Browser and Worker of a test suite. Both are set before the first test. */
export interface Running {
  browser: Browser;
  worker: StartedWorker;
}

/**
 * Defines a suite of tests for a page, with a browser and a Worker. Skips the suite if no browser is installed. `vars`
 * starts additional servers and returns the Worker's settings.
 */
export function describePage(
  what: string,
  tests: (running: Running) => void,
  vars: () => Promise<Record<string, string>> = async () => ({}),
): void {
  describe.skipIf(!chromiumPath)(chromiumPath ? what : `${what} (skipped: ${NO_BROWSER})`, () => {
    const running = {} as Running;
    beforeAll(async () => {
      const start = async () => {
        running.worker = await startWorker(await vars());
      };
      const open = async () => {
        running.browser = await startBrowser();
      };
      await Promise.all([start(), open()]);
    });
    afterAll(async () => {
      await running.browser?.close();
      await running.worker?.stop();
    });
    tests(running);
  });
}
