import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { V4WorkerOptions } from "miniflare";
import type { TestProject } from "vitest/node";
import { buildWorker } from "../../scripts/lib/buildWorker.ts";

/** The scripts that tests start: the Worker, and one around it. */
export type Entry = "src/index.ts" | "test/e2e/spoolWorker.js";

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
 * Returns the file with Miniflare's options for a script, its modules among them. The first test file of a run that asks
 * builds the Worker, as a deployment does; others wait for it, in whichever process they are.
 * @throws Error if it cannot be built
 */
export async function builtWorker(builtWorkers: string, entry: Entry): Promise<string> {
  const folder = join(builtWorkers, "worker");
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
      await writeAround(await buildWorker("src/index.ts", script), script);
      await writeFile(ready, "");
    } catch (error) {
      await writeFile(failure, String(error));
      throw error;
    }
  while (!existsSync(ready)) {
    if (existsSync(failure)) throw new Error(`the Worker could not be built: ${failure} says why`);
    await sleep(50);
  }
  return join(script, entry === "src/index.ts" ? "options.json" : AROUND_OPTIONS);
}

const AROUND_OPTIONS = "aroundOptions.json";

/** Writes the options for the script around the Worker beside those for the Worker: to build it, too, takes as long again. */
async function writeAround(optionsFile: string, script: string): Promise<void> {
  const options = JSON.parse(await readFile(optionsFile, "utf8")) as V4WorkerOptions & { modules: object[] };
  const contents = await readFile(join(import.meta.dirname, "../e2e/spoolWorker.js"), "utf8");
  const around = { type: "ESModule", path: join(script, "spoolWorker.js"), contents };
  await writeFile(join(script, AROUND_OPTIONS), JSON.stringify({ ...options, modules: [around, ...options.modules] }));
}
