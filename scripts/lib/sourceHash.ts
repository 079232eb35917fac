import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** Sources of the deployed script and its assets. `wrangler.toml` is excluded, because each operator edits it. */
export const SOURCES = [
  "examples/contract.pdf",
  "fonts",
  "package-lock.json",
  "package.json",
  "scripts/buildSite.ts",
  "src",
  "tsconfig.json",
  "web",
];

/**
 * Returns one hash of all files of {@link SOURCES}, except files whose names begin with a dot. It is the SHA-256, in
 * hexadecimal, of the output of `sha256sum` for these files. The files are sorted by the bytes of their paths.
 */
export async function sourceHash(root: string): Promise<string> {
  const paths = (await Promise.all(SOURCES.map((name) => filesOf(root, name)))).flat();
  const lines = paths.sort(byBytes).map(async (path) => `${sha256(await readFile(join(root, path)))}  ${path}\n`);
  return sha256((await Promise.all(lines)).join(""));
}

/** Returns the SHA-256, in hexadecimal, of bytes or of a text in UTF-8. */
export function sha256(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function filesOf(root: string, name: string): Promise<string[]> {
  if (/\.\w+$/.test(name)) return [name];
  const entries = await readdir(join(root, name), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
