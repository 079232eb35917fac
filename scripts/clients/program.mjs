import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Returns the path of a client's program. @param {string} name */
export function programPath(name) {
  return join(import.meta.dirname, "node_modules/.bin", name);
}

/** Time that a program may take, in milliseconds. */
const TIMEOUT_MS = 120_000;

/**
 * Runs a client's program with Node.js, and returns its output.
 * @param {Record<string, string>} env added to the environment
 * @param {string} name
 * @param {string[]} words
 */
export async function runIn(env, name, words) {
  const options = { env: { ...process.env, ...env, NO_COLOR: "1" }, timeout: TIMEOUT_MS, maxBuffer: 1e7 };
  return (await run(process.execPath, [programPath(name), ...words], options)).stdout;
}
