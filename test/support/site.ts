import { execFileSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/**
 * As Vitest's global setup, builds the static assets once for all test projects. wrangler also builds them before it
 * starts the Worker.
 */
export function setup(): void {
  if (process.env.SITE_BUILT_IN === root) return;
  execFileSync(process.execPath, ["scripts/buildSite.ts"], { stdio: "inherit" });
  process.env.SITE_BUILT_IN = root;
}
