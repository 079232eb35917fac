import { execFileSync } from "node:child_process";

/** Vitest's global setup: builds the static assets, as wrangler does before it starts the Worker. */
export function setup(): void {
  execFileSync(process.execPath, ["scripts/buildSite.ts"], { stdio: "inherit" });
}
