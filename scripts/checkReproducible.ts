/**
 * Builds what a deployment uploads twice, in two folders with other paths and times and under another clock, language and
 * home, and fails unless all of it is the same to the byte.
 */
import { execFileSync } from "node:child_process";
import { copyFile, link, mkdir, mkdtemp, readdir, readlink, rm, symlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildDeployment } from "./lib/buildDeployment.ts";

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

/** Builds a copy of the checkout, all of whose files have this time (Unix seconds). */
async function build(place: string, seconds: number, env: Record<string, string>): Promise<Map<string, string>> {
  const copy = join(folder, place);
  const tracked = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const path of tracked.toString().split("\0").filter(Boolean)) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await copyFile(join(root, path), join(copy, path));
    await utimes(join(copy, path), seconds, seconds);
  }
  await linkFolder(join(root, "node_modules"), join(copy, "node_modules"));
  return buildDeployment(copy, join(copy, "out"), { ...process.env, ...env });
}

/** Makes a folder with the same files, as hard links: of symbolic links a bundler finds out. */
async function linkFolder(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(source, copy);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), copy);
    else await link(source, copy);
  }
}
