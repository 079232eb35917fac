import { join } from "node:path";
import { inject } from "vitest";
import { type RunningWorker, startServer } from "../../scripts/lib/worker.ts";
import { builtWorker, type Entry } from "./builtWorkers.ts";

/**
 * Starts a Worker that has been built already on a free loopback port: for a fifth of the CPU that wrangler takes to build
 * and start it. `vars` override its settings; storage that is to be kept when it stops is in the folder `keptState`.
 * @throws Error if it has not started within a minute
 */
export async function startWorker(
  vars: Record<string, string> = {},
  { entry = "src/index.ts", keptState }: { entry?: Entry; keptState?: string } = {},
): Promise<RunningWorker> {
  const built = await builtWorker(inject("builtWorkers"), entry);
  const program = join(import.meta.dirname, "serveWorker.ts");
  return startServer((place) => [program, built, JSON.stringify(place), JSON.stringify(vars)], { keptState });
}
