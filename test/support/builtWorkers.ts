import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { V4WorkerOptions } from "miniflare";
import type { TestProject } from "vitest/node";
import { WRANGLER } from "../../scripts/lib/worker.ts";

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
  const [options, failure] = [join(folder, "options.json"), join(folder, "failure")];
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (isFirst)
    await build(entry, folder, options).catch(async (error: unknown) => {
      await writeFile(failure, String(error));
      throw error;
    });
  while (!existsSync(options)) {
    if (existsSync(failure)) throw new Error(`${entry} could not be built: ${failure} says why`);
    await sleep(50);
  }
  return options;
}

async function build(entry: Entry, folder: string, file: string): Promise<void> {
  const out = join(folder, "script");
  await promisify(execFile)(process.execPath, [WRANGLER, "deploy", entry, "--dry-run", "--outdir", out, "--metafile"]);
  const { unstable_getMiniflareWorkerOptions } = await import("wrangler");
  const { workerOptions } = unstable_getMiniflareWorkerOptions("wrangler.toml");
  const wasm = (await readdir(out)).filter((name) => name.endsWith(".wasm"));
  const script = entry.slice(entry.lastIndexOf("/") + 1).replace(/\.ts$/, ".js");
  const options = {
    ...workerOptions,
    name: "overprint",
    modulesRoot: out,
    modules: [
      { type: "ESModule", path: join(out, script) },
      ...wasm.map((name) => ({ type: "CompiledWasm" as const, path: join(out, name) })),
    ],
  } satisfies V4WorkerOptions;
  await writeFile(`${file}.partial`, JSON.stringify(options));
  await rename(`${file}.partial`, file); // whoever waits finds it whole
}
