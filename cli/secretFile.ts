import { readFileSync, statSync } from "node:fs";
import { misuse, reasonOf } from "./failure.ts";

const READABLE_BY_OTHERS = 0o077;

/**
 * Reads a file with a secret in it: arguments are seen by every process, and kept in the shell's history.
 * @throws Failure if it cannot be read, or others can read it
 */
export function readSecretFile(path: string): string {
  try {
    const found = statSync(path);
    if (process.platform !== "win32" && found.isFile() && found.mode & READABLE_BY_OTHERS)
      throw misuse(`${path} can be read by others: \`chmod 600 ${path}\`, and think of what is in it as known`);
    return readFileSync(path, "utf8");
  } catch (error) {
    throw error instanceof Error && "code" in error && "syscall" in error
      ? misuse(`${path}: ${reasonOf(error)}`)
      : error;
  }
}
