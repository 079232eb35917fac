import { execFileSync } from "node:child_process";
import { copyFile, link, mkdir, readdir, readlink, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Copies the files of a checkout that git does not ignore, and returns their paths relative to `root`. */
export async function copyCheckout(root: string, copy: string): Promise<string[]> {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  const paths = listed.toString().split("\0").filter(Boolean);
  for (const path of paths) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await copyFile(join(root, path), join(copy, path));
  }
  return paths;
}

/**
 * Caches in `node_modules`. They are not linked, because programs overwrite their files in place, which would also
 * change the original files.
 */
const CACHES = [".cache", ".vite", ".vite-temp"];

/**
 * Copies a folder of packages by hard links. Symbolic links would not work, because a bundler resolves them to the
 * original paths.
 */
export async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (CACHES.includes(entry.name)) continue;
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkPackages(source, copy);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), copy);
    else await link(source, copy);
  }
}
