import { readdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { V4WorkerOptions } from "miniflare";
import { settings } from "../../src/settings/schema.ts";
import { buildScript } from "./buildScript.ts";

/**
 * Builds a Worker into a folder, as a deployment does. Also writes a list of the names of the Worker's settings into
 * the folder.
 * @returns the path of a file with options for Miniflare: the modules, and the bindings of wrangler.toml without
 * settings
 */
export async function buildWorker(entry: string, into: string): Promise<string> {
  const folder = resolve(into);
  await buildScript(folder, { entry });
  // loads workerOptions.ts late, because it loads slowly
  const { workerOptionsIn } = await import("./workerOptions.ts");
  const wasm = (await readdir(folder)).filter((name) => name.endsWith(".wasm"));
  const script = entry.slice(entry.lastIndexOf("/") + 1).replace(/\.ts$/, ".js");
  const options = {
    ...workerOptionsIn("."),
    name: "overprint",
    modulesRoot: folder,
    modules: [
      { type: "ESModule", path: join(folder, script) },
      ...wasm.map((name) => ({ type: "CompiledWasm" as const, path: join(folder, name) })),
    ],
  } satisfies V4WorkerOptions;
  const file = join(folder, "options.json");
  await writeFile(file, JSON.stringify(options));
  await writeFile(join(folder, "settings.json"), JSON.stringify(Object.keys(settings.shape)));
  return file;
}
