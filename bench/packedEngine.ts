/** Prepares the package `@overprint/engine` for benchmarks, as npm would install it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const FOLDER = join(import.meta.dirname, "node_modules/@overprint/engine");

/**
 * Builds and packs the package, and unpacks the archive into `bench/node_modules`. The package finds its dependencies
 * among the packages of the project.
 */
export function unpackEngine(): void {
  execFileSync(process.execPath, [join(root, "scripts/buildPackages.ts"), "engine"], { cwd: root, stdio: "ignore" });
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", FOLDER];
  const output = execFileSync("npm", args, { cwd: join(root, "packages/engine"), encoding: "utf8" });
  const [{ filename }] = JSON.parse(output) as [{ filename: string }];
  execFileSync("tar", ["-xzf", filename, "--strip-components=1"], { cwd: FOLDER });
  rmSync(join(FOLDER, filename));
}
