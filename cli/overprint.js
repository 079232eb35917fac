#!/usr/bin/env node
/**
 * Starts the program: in a clone, whose sources are TypeScript, with a Node.js that can run that, which scripts/run.mjs finds;
 * packed, where they are compiled, with any recent one. Plain JavaScript, for old ones to read.
 */
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const file = realpathSync(fileURLToPath(import.meta.url));
const root = join(dirname(file), "..");
const sources = join(root, "cli/main.ts");
const isClone = existsSync(sources);
/** The Node.js that runs the compiled program. */
const NEEDED = [22, 12];

const [major, minor] = process.versions.node.split(".").map(Number);
const isRecent = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);

if (isClone ? process.features.typescript : isRecent) {
  module.enableCompileCache?.(); // starts in half the time
  const { run } = await import(pathToFileURL(isClone ? sources : join(root, "dist/cli/main.js")).href);
  await run(process.argv.slice(2));
} else if (isClone) {
  const child = spawn(process.execPath, [join(root, "scripts/run.mjs"), file, ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  // a terminal sends these to both; the child ends by them when it has tidied up
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
} else {
  console.error(
    `overprint: needs Node.js ${NEEDED.join(".")} or newer, and this is ${process.versions.node}: install it.`,
  );
  process.exitCode = 1;
}
