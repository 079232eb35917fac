import { readFileSync, statSync } from "node:fs";
import { misuse, reasonOf } from "./failure.ts";

const READABLE_BY_OTHERS = 0o077;

/**
 * Reads a file that contains a secret. Secrets are not arguments, because other processes can read arguments and shells
 * store them in their history.
 * @throws Failure if the file cannot be read, or if other users can read it
 */
export function readSecretFile(path: string): string {
  try {
    const found = statSync(path);
    if (process.platform !== "win32" && found.isFile() && found.mode & READABLE_BY_OTHERS)
      throw misuse(`${path} can be read by others: run \`chmod 600 ${path}\`, and treat its content as exposed`);
    return readFileSync(path, "utf8");
  } catch (error) {
    throw error instanceof Error && "code" in error && "syscall" in error
      ? misuse(`${path}: ${reasonOf(error)}`)
      : error;
  }
}
