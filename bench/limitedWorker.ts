import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildWorker } from "../scripts/lib/buildWorker.ts";
import { watchHeap } from "../scripts/lib/heap.ts";
import { type RunningWorker, startServer } from "../scripts/lib/worker.ts";

/** Memory limit of an isolate at the edge in MB, for objects and buffers together. */
export const MEMORY_MB = 128;

/** The Worker as it is deployed, in one workerd whose heap has the limit of the edge. */
export interface LimitedWorker extends RunningWorker {
  /** Returns the peak of the isolate's objects and array buffers since the previous call, in MB. */
  heapPeakMb(): number;
  /** Returns the isolate's live memory in MB: objects and array buffers after a garbage collection. */
  aliveMb(): Promise<number>;
}

/**
 * Builds the Worker and starts it as `npm run serve` does, without wrangler's proxy. Callers can send a header to
 * appear as remote callers: see `abuseWorker.ts`.
 * @param vars the Worker's settings
 */
export async function startLimitedWorker(vars: Record<string, string>): Promise<LimitedWorker> {
  process.env.MINIFLARE_WORKERD_V8_FLAGS = `--max-heap-size=${MEMORY_MB} --expose-gc`;
  const folder = await mkdtemp(join(tmpdir(), "overprint-limited-"));
  const options = await buildWorker("bench/abuseWorker.ts", folder);
  const program = join(import.meta.dirname, "serveWorker.ts");
  const worker = await startServer((place) => [program, options, JSON.stringify(place), JSON.stringify(vars)]);
  const heap = await watchHeap(worker.inspectorPort);
  return {
    ...worker,
    heapPeakMb: heap.peakMb,
    async aliveMb() {
      for (let times = 0; times < 3; times++) {
        // V8 releases buffers with a delay, so several collections are needed
        await fetch(worker.url, { headers: { "X-Empty": "1", "X-Collect": "1" } });
        await sleep(100);
      }
      heap.peakMb();
      await sleep(100);
      return heap.peakMb();
    },
    async stop() {
      heap.stop();
      await worker.stop();
      await rm(folder, { recursive: true });
    },
  };
}
