import { execFileSync } from "node:child_process";

/** All projects of a run are set up in one process. */
const run = globalThis as { isSiteBuilt?: boolean };

/** Vitest's global setup: builds the static assets, as wrangler does before it starts the Worker; once for all projects. */
export function setup(): void {
  if (run.isSiteBuilt) return;
  execFileSync(process.execPath, ["scripts/buildSite.ts"], { stdio: "inherit" });
  run.isSiteBuilt = true;
}
