/**
 * Builds a deployment twice, in folders with different paths, from files with different modification times. The second
 * build also uses a different time zone, locale and home folder. The script fails unless both builds are
 * byte-identical.
 */
import { mkdir, mkdtemp, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { buildDeployment } from "./lib/buildDeployment.ts";
import { copyCheckout, linkPackages } from "./lib/copyCheckout.ts";

const root = join(import.meta.dirname, "..");

await mkdir(join(root, "out"), { recursive: true });
const folder = await mkdtemp(join(root, "out/reproducible-"));
try {
  const one = await build("one", 1_700_000_000, {});
  const other = await build("at/some other/place", 1_000_000_000, { TZ: "Pacific/Chatham", LC_ALL: "C", HOME: folder });
  const differing = [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path));
  for (const path of differing) console.error(`differs: ${path}`);
  console.log(`${one.size} files, ${differing.length} of which differ between two builds`);
  if (differing.length > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Builds a copy of the checkout, after setting the modification time of all copied files (Unix seconds). */
async function build(place: string, seconds: number, env: Record<string, string>): Promise<Map<string, string>> {
  const copy = join(folder, place);
  for (const path of await copyCheckout(root, copy)) await utimes(join(copy, path), seconds, seconds);
  await linkPackages(join(root, "node_modules"), join(copy, "node_modules"));
  return buildDeployment(copy, join(copy, "out"), { ...process.env, ...env });
}
