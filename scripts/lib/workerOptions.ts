import { createRequire } from "node:module";
import { join } from "node:path";
import type { V4WorkerOptions } from "miniflare";

/** `import` would have all of it parsed twice: first to find out what kind of module it is. */
const wrangler: typeof import("wrangler") = createRequire(import.meta.url)("wrangler");

/**
 * Returns what a folder's wrangler.toml says, as Miniflare takes it: all bindings but settings, since those in `.dev.vars`
 * are for `npm run dev`.
 */
export function workerOptionsIn(folder: string): Omit<V4WorkerOptions, "modules"> {
  const { workerOptions } = wrangler.unstable_getMiniflareWorkerOptions(join(folder, "wrangler.toml"));
  return { ...workerOptions, bindings: {} };
}
