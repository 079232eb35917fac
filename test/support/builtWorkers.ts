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
    /** The folder of what this run makes once, by `madeOnce`. */
    builtWorkers: string;
  }
}

/** Vitest's global setup: makes the folder for what is made once. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "overprint-built-"));
  provide("builtWorkers", folder);
  return () => rm(folder, { recursive: true, force: true });
}

/**
 * Returns a folder of this run that `make` has filled: the first test file that asks has it made, others wait for it, in
 * whichever process they are.
 * @param builtWorkers the folder of the run
 * @throws Error if it cannot be made
 */
export async function madeOnce(
  builtWorkers: string,
  name: string,
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(builtWorkers, name);
  const [made, ready, failure] = ["made", "ready", "failure"].map((name) => join(folder, name)) as [
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
      await mkdir(made);
      await make(made);
      await writeFile(ready, "");
    } catch (error) {
      await writeFile(failure, String(error));
      throw error;
    }
  while (!existsSync(ready)) {
    if (existsSync(failure)) throw new Error(`the ${name} could not be made: ${failure} says why`);
    await sleep(50);
  }
  return made;
}

/**
 * Returns the file with Miniflare's options for a script, its modules among them. It is built as a deployment does, once in
 * a run.
 * @throws Error if it cannot be built
 */
export async function builtWorker(builtWorkers: string, entry: Entry): Promise<string> {
  const script = await madeOnce(builtWorkers, "worker", async (folder) =>
    writeAround(await buildWorker("src/index.ts", folder), folder),
  );
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
