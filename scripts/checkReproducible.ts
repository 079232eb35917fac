/**
 * Builds a deployment twice, in folders with different paths and times, and with a different clock, language and home
 * folder. Fails unless both builds are byte-identical.
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

/** Builds a copy of the checkout after setting the time of all its files (Unix seconds). */
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

/** Copies a folder by hard links. A bundler would resolve symbolic links to the original paths. */
async function linkFolder(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(source, copy);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), copy);
    else await link(source, copy);
  }
}
