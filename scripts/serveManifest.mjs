/**
 * Writes `package.json` and `package-lock.json` with only the packages that serve the Worker, in the versions of this
 * project's lock file: `node scripts/serveManifest.mjs FOLDER`. The Dockerfile installs from these files with `npm ci`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Packages that `scripts/serve.ts` imports, directly or through other files. */
const SERVING = ["leven", "miniflare"];

const [folder = "."] = process.argv.slice(2);
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const { dependencies, devDependencies } = lock.packages[""];
const versions = { ...devDependencies, ...dependencies };
const manifest = { type: "module", dependencies: Object.fromEntries(SERVING.map((name) => [name, versions[name]])) };
// npm prunes the packages that nothing in the manifest needs
const packages = { ...lock.packages, "": { dependencies: manifest.dependencies } };
writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...lock, packages }));
