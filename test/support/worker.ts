import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { startMiniflare } from "../../scripts/lib/serveWorker.ts";
import type { RunningWorker } from "../../scripts/lib/worker.ts";
import { builtWorker, type Entry } from "./builtWorkers.ts";
import { storageFolder } from "./storageFolder.ts";

/** A Worker that runs on this machine with its own storage. */
export type StartedWorker = Pick<RunningWorker, "url" | "stop">;

/**
 * Starts a built Worker on a free loopback port. Miniflare runs in the test process and is loaded once for all test
 * files, because loading it takes longer than starting a Worker. `vars` overrides settings of the Worker. `keptState`
 * is a storage folder that the Worker leaves in place when it stops.
 */
export async function startWorker(
  vars: Record<string, string> = {},
  { entry = "src/index.ts", keptState }: { entry?: Entry; keptState?: string } = {},
): Promise<StartedWorker> {
  const built = await builtWorker(inject("builtWorkers"), entry);
  const state = keptState ?? (await mkdtemp(join(storageFolder(), "overprint-")));
  const miniflare = await startMiniflare(built, state, vars, {
    host: "127.0.0.1",
    unsafeTriggerHandlers: true, // lets tests trigger the scheduled sweep, as wrangler does
    handleStructuredLogs() {}, // hides the line that the Worker logs for each request
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
