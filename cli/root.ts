import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "./failure.ts";

/** The package's own folder: above the sources, and above the compiled program. */
export const ROOT = rootAbove(import.meta.dirname);

function rootAbove(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : rootAbove(dirname(folder));
}

/** The program of wrangler, in a clone. */
export const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

/**
 * Makes sure that the Worker can be run here.
 * @throws Failure in the packed program, and in a clone whose packages are not installed
 */
export function requireClone(): void {
  if (![join(ROOT, "src/index.ts"), WRANGLER].every((path) => existsSync(path)))
    throw new Failure("no_clone", "the Worker is not here: this takes a clone of the repository, after `npm ci`");
}
