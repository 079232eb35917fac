import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { startMiniflare } from "../../scripts/lib/serveWorker.ts";
import type { RunningWorker } from "../../scripts/lib/worker.ts";
import { builtWorker, type Entry } from "./builtWorkers.ts";
import { storageFolder } from "./storageFolder.ts";

/** The Worker, running locally with its own storage. */
export type StartedWorker = Pick<RunningWorker, "url" | "stop">;

/**
 * Starts a Worker that has been built already on a free loopback port. Miniflare is in the process of the test, which loads
 * it once for all files: that takes longer than to start a Worker. `vars` override its settings; storage that is to be kept
 * when it stops is in the folder `keptState`.
 */
export async function startWorker(
  vars: Record<string, string> = {},
  { entry = "src/index.ts", keptState }: { entry?: Entry; keptState?: string } = {},
): Promise<StartedWorker> {
  const built = await builtWorker(inject("builtWorkers"), entry);
  const state = keptState ?? (await mkdtemp(join(storageFolder(), "overprint-")));
  const miniflare = await startMiniflare(built, state, vars, {
    host: "127.0.0.1",
    unsafeTriggerHandlers: true, // the sweep, as wrangler lets one call it
    handleStructuredLogs() {}, // a line for each request
  });
  const { origin } = await miniflare.ready;
  return {
    url: origin,
    async stop() {
      await miniflare.dispose();
      if (keptState === undefined) await rm(state, { recursive: true, force: true });
    },
  };
}
