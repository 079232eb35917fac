import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { chromiumPath, NO_BROWSER, startBrowser } from "../../scripts/lib/chromium.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

/** What tests of pages have to themselves; set when the first of them begins. */
export interface Running {
  browser: Browser;
  worker: StartedWorker;
}

/**
 * Describes what a page does, with a browser and a Worker for the tests; skipped where there is no browser. `vars` gives
 * the Worker's settings, once whatever they name has been started.
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
