/**
 * `npm run check:cases` runs all cases of the slow test matrices. `npm test` runs only a sample of these cases. With
 * arguments, the script runs only test files whose paths contain one of the arguments.
 */
import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { startVitest } from "vitest/node";

const root = join(import.meta.dirname, "..");
const words = process.argv.slice(2);
const files: string[] = [];
for await (const path of glob("test/**/*.test.ts", { cwd: root })) {
  const isChosen = words.length === 0 || words.some((word) => path.includes(word));
  if (isChosen && /allCases\.ts"|\bsample\(/.test(readFileSync(join(root, path), "utf8"))) files.push(path);
}
process.env.ALL_CASES = "true";
await startVitest("test", files, { root, project: ["unit", "e2e", "simulation"], run: true });
