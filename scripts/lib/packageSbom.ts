/** Lists the packages that a package for npm contains and needs (CycloneDX). */
import { componentOf, documentOf, fontSources, type Lock, npmPurl } from "./sbom.ts";

/** The parts of a `package.json` that this file reads. */
export interface Manifest {
  name: string;
  version: string;
  license: string;
  dependencies?: Record<string, string>;
}

/** Packages whose files the build copies into a package for npm. */
const COPIED_INTO: Record<string, { packages: readonly string[]; hasFonts: boolean }> = {
  "@overprint/engine": { packages: ["harfbuzzjs"], hasFonts: true },
  "@overprint/fonts": { packages: [], hasFonts: true },
};

/** The beginning of each license in `LICENSES.txt` of a bundle: name, version and license of a package. */
const LICENSED = /^((?:@[\w.-]+\/)?[\w.-]+) (\d+\.\d+\.\d+\S*), /gm;

/**
 * Returns the packages that a package for npm contains, and those that npm installs with it in the versions of the lock
 * file.
 * @param licenses the text of `dist/LICENSES.txt`, which names the packages in a bundle; empty without a bundle
 * @param fonts the lock file of `scripts/fonts`
 * @throws Error if a package is not in its lock file
 */
export function packageSbom(manifest: Manifest, lock: Lock, fonts: Lock, licenses = "") {
  const { packages, hasFonts } = COPIED_INTO[manifest.name] ?? { packages: [], hasFonts: false };
  const bundled = Array.from(licenses.matchAll(LICENSED), ([, name, version]) => folderOf(name!, version!, lock));
  const own = Object.entries(manifest.dependencies ?? {}).filter(([name]) => name.startsWith("@overprint/"));
  const needed = foldersNeeded(manifest.dependencies ?? {}, "", lock);
  const folders = new Set([...packages.map((name) => `node_modules/${name}`), ...bundled, ...needed]);
  return documentOf("library", manifest, [
    ...Array.from(folders, (folder) => componentOf(folder, lock)),
    ...(hasFonts ? fontSources(fonts) : []),
    ...own.map(([name, version]) => ({
      type: "library",
      "bom-ref": `${name}@${version}`,
      name,
      version,
      purl: npmPurl(name, version),
    })),
  ]);
}

function folderOf(name: string, version: string, lock: Lock): string {
  const found = Object.entries(lock.packages).find(
    ([folder, entry]) =>
      entry.version === version && (folder === `node_modules/${name}` || folder.endsWith(`/node_modules/${name}`)),
  );
  if (!found) throw new Error(`package-lock.json does not list ${name} ${version}`);
  return found[0];
}

/** Returns the folders of dependencies and of their dependencies, as npm resolves them from the folder `from`. */
function foldersNeeded(dependencies: Record<string, string>, from: string, lock: Lock, seen = new Set<string>()) {
  for (const name of Object.keys(dependencies)) {
    if (name.startsWith("@overprint/")) continue;
    const folder = resolved(name, from, lock);
    if (seen.has(folder)) continue;
    seen.add(folder);
    foldersNeeded(lock.packages[folder]!.dependencies ?? {}, folder, lock, seen);
  }
  return seen;
}

function resolved(name: string, from: string, lock: Lock): string {
  for (let parent = from; ; parent = parent.slice(0, Math.max(0, parent.lastIndexOf("/node_modules/")))) {
    const folder = `${parent ? `${parent}/` : ""}node_modules/${name}`;
    if (lock.packages[folder]) return folder;
    if (parent === "") throw new Error(`package-lock.json does not list ${name}`);
  }
}
