/** Packs the packages for npm with their changelogs and lists of packages. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Manifest, packageSbom } from "./packageSbom.ts";
import type { Lock } from "./sbom.ts";
import { sha256 } from "./sourceHash.ts";

/**
 * Builds packages for npm, and writes an archive and a list of packages for each one into `out/packages/`.
 * @param manifests paths of the manifests, relative to `root`
 * @param locks the lock file of the project, and that of `scripts/fonts`
 * @returns the SHA-256 of each written file, by its path under `out`
 */
export async function packPackages(
  root: string,
  out: string,
  manifests: readonly string[],
  [lock, fonts]: readonly [Lock, Lock],
): Promise<Map<string, string>> {
  const folders = manifests.map((path) => dirname(path));
  const build = [join(root, "scripts/buildPackages.ts"), ...folders.map((folder) => basename(folder))];
  execFileSync(process.execPath, build, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const packed = join(out, "packages");
  await mkdir(packed, { recursive: true });
  const hashes = new Map<string, string>();
  for (const folder of folders) {
    const name = basename(folder);
    const archive = await packOne(root, folder, join(out, "unpacked", name), packed);
    const manifest = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8")) as Manifest;
    const bundled = join(root, folder, "dist/LICENSES.txt");
    const licenses = existsSync(bundled) ? await readFile(bundled, "utf8") : "";
    const sbom = `${JSON.stringify(packageSbom(manifest, lock, fonts, licenses), null, 2)}\n`;
    await writeFile(join(packed, `${name}.cdx.json`), sbom);
    hashes.set(`packages/${name}.cdx.json`, sha256(sbom));
    hashes.set(`packages/${archive}`, sha256(await readFile(join(packed, archive))));
  }
  await rm(join(out, "unpacked"), { recursive: true });
  return hashes;
}

/** Packs one package with the changelog of the project, and returns the name of the archive. */
async function packOne(root: string, folder: string, copy: string, packed: string): Promise<string> {
  for (const name of ["package.json", "README.md", "dist"])
    await cp(join(root, folder, name), join(copy, name), { recursive: true });
  await cp(join(root, "CHANGELOG.md"), join(copy, "CHANGELOG.md"));
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", packed];
  const output = execFileSync("npm", args, { cwd: copy, encoding: "utf8" });
  return (JSON.parse(output) as [{ filename: string }])[0].filename;
}
