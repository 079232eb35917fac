/**
 * Fails if two files of src/ export the same name, because each name must have only one meaning. Variants of a file for
 * different platforms (`zlib.ts`, `zlib.browser.ts`) count as one file.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const EXPORT = /^export (?:abstract |async |declare )*(?:class|const|function\*?|interface|let|type) (\w+)/gm;

const owners = new Map<string, Set<string>>();
for (const path of globSync("src/**/*.{ts,tsx}", { cwd: root })) {
  const twin = path.replace(/\.(browser|node|workerd)\.ts$/, ".ts");
  for (const [, name = ""] of readFileSync(join(root, path), "utf8").matchAll(EXPORT))
    owners.set(name, (owners.get(name) ?? new Set()).add(twin));
}
const shared = [...owners].filter(([, files]) => files.size > 1);
for (const [name, files] of shared) console.error(`${name} is exported by ${[...files].toSorted().join(" and ")}`);
if (shared.length > 0) process.exitCode = 1;
else console.log(`${owners.size} exported names, each of one file`);
