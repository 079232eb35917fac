import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The root folder of the repository or of the package. */
export const ROOT = rootAbove(import.meta.dirname);

function rootAbove(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : rootAbove(dirname(folder));
}
