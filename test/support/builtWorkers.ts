import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { V4WorkerOptions } from "miniflare";
import type { TestProject } from "vitest/node";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { WRANGLER } from "../../scripts/lib/worker.ts";

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
    ENTRIES.map(async (entry, at) => [entry, await build(entry, join(folder, String(at)))] as const),
  );
  provide("builtWorkers", Object.fromEntries(built) as Record<Entry, string>);
  return () => rm(folder, { recursive: true, force: true });
}

async function build(entry: Entry, folder: string): Promise<string> {
  await promisify(execFile)(process.execPath, [WRANGLER, "deploy", entry, "--dry-run", "--outdir", folder]);
  const { workerOptions } = unstable_getMiniflareWorkerOptions("wrangler.toml");
  const wasm = (await readdir(folder)).filter((name) => name.endsWith(".wasm"));
  const script = entry.slice(entry.lastIndexOf("/") + 1).replace(/\.ts$/, ".js");
  const options = {
    ...workerOptions,
    name: "overprint",
    modulesRoot: folder,
    modules: [
      { type: "ESModule", path: join(folder, script) },
      ...wasm.map((name) => ({ type: "CompiledWasm" as const, path: join(folder, name) })),
    ],
  } satisfies V4WorkerOptions;
  const file = join(folder, "options.json");
  await writeFile(file, JSON.stringify(options));
  return file;
}
