import { createRequire } from "node:module";
import { join } from "node:path";
import type { V4WorkerOptions } from "miniflare";

/** Loads wrangler with `require`, because `import` would parse the whole package twice to detect its module type. */
const wrangler: typeof import("wrangler") = createRequire(import.meta.url)("wrangler");

/**
 * Returns the contents of a folder's wrangler.toml as Miniflare's options, with all bindings and without settings.
 * Ignores `.dev.vars`, which is only for `npm run dev`.
 */
export function workerOptionsIn(folder: string): Omit<V4WorkerOptions, "modules"> {
  const { workerOptions } = wrangler.unstable_getMiniflareWorkerOptions(join(folder, "wrangler.toml"));
  return { ...workerOptions, bindings: {} };
}
