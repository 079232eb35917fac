import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { V4WorkerOptions } from "miniflare";
import type { TestProject } from "vitest/node";
import { buildWorker } from "../../scripts/lib/buildWorker.ts";

/** Worker scripts that tests start: the Worker itself, and a wrapper script that adds routes to the Worker. */
export type Entry = "src/index.ts" | "test/e2e/spoolWorker.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the folder in which `madeOnce` stores files that are built once per run. */
    builtWorkers: string;
  }
}

/**
 * Creates the folder for files that are built once per test run, as Vitest's global setup. Returns a function that
 * deletes the folder.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "overprint-built-"));
  provide("builtWorkers", folder);
  return () => rm(folder, { recursive: true, force: true });
}

/**
 * Returns the path of a folder that `make` fills once per test run. The first test file that requests the folder calls
 * `make`. Other test files wait until the folder is filled, even in other processes.
 * @param builtWorkers parent folder of all such folders
 * @throws Error if `make` fails
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
    if (existsSync(failure)) throw new Error(`${name} could not be built: see ${failure}`);
    await sleep(50);
  }
  return made;
}

/**
 * Builds a Worker script once per test run, with the build of a deployment. Returns the path of a file with Miniflare's
 * options for the script, including its modules.
 * @throws Error if the build fails
 */
export async function builtWorker(builtWorkers: string, entry: Entry): Promise<string> {
  const script = await madeOnce(builtWorkers, "worker", async (folder) =>
    writeAround(await buildWorker("src/index.ts", folder), folder),
  );
  return join(script, entry === "src/index.ts" ? "options.json" : AROUND_OPTIONS);
}

const AROUND_OPTIONS = "aroundOptions.json";

/**
 * Writes the Miniflare options of the wrapper script beside those of the Worker. The wrapper reuses the Worker's build
 * to save the time of a second build.
 */
async function writeAround(optionsFile: string, script: string): Promise<void> {
  const options = JSON.parse(await readFile(optionsFile, "utf8")) as V4WorkerOptions & { modules: object[] };
  const contents = await readFile(join(import.meta.dirname, "../e2e/spoolWorker.js"), "utf8");
  const around = { type: "ESModule", path: join(script, "spoolWorker.js"), contents };
  await writeFile(join(script, AROUND_OPTIONS), JSON.stringify({ ...options, modules: [around, ...options.modules] }));
}
