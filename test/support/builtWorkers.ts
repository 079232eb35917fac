import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestProject } from "vitest/node";
import { buildWorker } from "../../scripts/lib/buildWorker.ts";

/** The scripts that tests start. */
export type Entry = "src/index.ts" | "test/e2e/spoolWorker.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of this run's `builtWorker`. */
    builtWorkers: string;
  }
}

/** Vitest's global setup: makes the folder for Workers that are built. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "overprint-built-"));
  provide("builtWorkers", folder);
  return () => rm(folder, { recursive: true, force: true });
}

/**
 * Returns the file with Miniflare's options for a Worker, its modules among them. The first test file of a run that asks
 * builds it, as a deployment does; others wait for it, in whichever process they are.
 * @throws Error if it cannot be built
 */
export async function builtWorker(builtWorkers: string, entry: Entry): Promise<string> {
  const folder = join(builtWorkers, entry.replaceAll("/", "-"));
  const [script, ready, failure] = ["script", "ready", "failure"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (isFirst)
    try {
      await buildWorker(entry, script);
      await writeFile(ready, "");
    } catch (error) {
      await writeFile(failure, String(error));
      throw error;
    }
  while (!existsSync(ready)) {
    if (existsSync(failure)) throw new Error(`${entry} could not be built: ${failure} says why`);
    await sleep(50);
  }
  return join(script, "options.json");
}
