import { join } from "node:path";
import type { V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";

/**
 * Returns what a folder's wrangler.toml says, as Miniflare takes it: all bindings but settings, since those in `.dev.vars`
 * are for `npm run dev`.
 */
export function workerOptionsIn(folder: string): Omit<V4WorkerOptions, "modules"> {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(folder, "wrangler.toml"));
  return { ...workerOptions, bindings: {} };
}
