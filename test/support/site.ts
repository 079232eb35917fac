import { execFileSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/**
 * Builds the static assets once for all test projects, as Vitest's global setup. wrangler also builds the assets before
 * it starts the Worker.
 */
export function setup(): void {
  if (process.env.SITE_BUILT_IN === root) return;
  execFileSync(process.execPath, ["scripts/buildSite.ts"], { stdio: "inherit" });
  process.env.SITE_BUILT_IN = root;
}
