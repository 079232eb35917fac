import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "./failure.ts";

/** The root folder of the package, for the sources and for the compiled program. */
export const ROOT = rootAbove(import.meta.dirname);

function rootAbove(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : rootAbove(dirname(folder));
}

/** Path of wrangler in a clone. */
export const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

/**
 * Checks that the Worker can run here.
 * @throws Failure in the packed program, and in a clone without installed packages
 */
export function requireClone(): void {
  if (![join(ROOT, "src/index.ts"), WRANGLER].every((path) => existsSync(path)))
    throw new Failure(
      "no_clone",
      "the Worker is not part of this installation: use a clone of the repository, after `npm ci`",
    );
}
