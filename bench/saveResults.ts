import { mkdir, writeFile } from "node:fs/promises";
import { arch, availableParallelism, platform, totalmem } from "node:os";
import { join } from "node:path";
import type { Results } from "./results.ts";

const FOLDER = join(import.meta.dirname, "../docs/performance");

/** Saves the results of a benchmark for `npm run bench:plots`, with the date and the class of machine. */
export async function saveResults<Name extends keyof Results>(
  name: Name,
  results: Omit<Results[Name], "measured" | "machine">,
): Promise<void> {
  const machine = `${availableParallelism()} cores (${arch()}), ${Math.round(totalmem() / 2 ** 30)} GB of memory, ${platform()}, Node.js ${process.versions.node}`;
  const measured = new Date().toISOString().slice(0, 10);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, `${name}.json`), `${JSON.stringify({ measured, machine, ...results }, null, 2)}\n`);
}
