import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "./failure.ts";

/** The package's own folder: above the sources, and above the compiled program. */
export const ROOT = rootAbove(import.meta.dirname);

function rootAbove(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : rootAbove(dirname(folder));
}

/**
 * Makes sure that the Worker can be run here.
 * @throws Failure in the packed program, and in a clone whose packages are not installed
 */
export function requireClone(): void {
  const needed = ["src/index.ts", "node_modules/wrangler/bin/wrangler.js"];
  if (needed.some((path) => !existsSync(join(ROOT, path))))
    throw new Failure("no_clone", "the Worker is not here: this takes a clone of the repository, after `npm ci`");
}
