import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildWorker } from "../../scripts/lib/buildWorker.ts";

/** The scripts that tests start, by their `entry`. */
const ENTRIES = ["src/index.ts", "test/e2e/spoolWorker.ts"] as const;

export type Entry = (typeof ENTRIES)[number];

declare module "vitest" {
  interface ProvidedContext {
    /** For each script, the file with Miniflare's options for it, its modules among them. */
    builtWorkers: Record<Entry, string>;
  }
}

/** Vitest's global setup: builds the Workers once, as a deployment does, for all files that start them. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "overprint-built-"));
  const built = await Promise.all(
    ENTRIES.map(async (entry, at) => [entry, await buildWorker(entry, join(folder, String(at)))] as const),
  );
  provide("builtWorkers", Object.fromEntries(built) as Record<Entry, string>);
  return () => rm(folder, { recursive: true, force: true });
}
