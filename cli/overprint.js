#!/usr/bin/env node
/**
 * Starts the program with a Node.js that can run it: in a clone, whose sources are TypeScript, the one that the lock file
 * brings; packed, where they are compiled, any recent one. Plain JavaScript, for old ones to read.
 */
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = dirname(realpathSync(fileURLToPath(import.meta.url)));
const sources = join(folder, "main.ts");
const isClone = existsSync(sources);
/** The Node.js that runs the program as it is here. */
const NEEDED = isClone ? [24, 0] : [22, 12];

const [major, minor] = process.versions.node.split(".").map(Number);
const ofLock = join(folder, "../node_modules/node/bin", process.platform === "win32" ? "node.exe" : "node");

if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) {
  module.enableCompileCache?.(); // starts in half the time
  const main = isClone ? sources : join(folder, "../dist/cli/main.js");
  const { run } = await import(pathToFileURL(main).href);
  await run(process.argv.slice(2));
} else if (isClone && existsSync(ofLock)) {
  runWith(ofLock);
} else {
  const remedy = isClone ? "run `npm ci`, then `npm rebuild node`, which bring one, or install it" : "install it";
  console.error(
    `overprint: needs Node.js ${NEEDED.join(".")} or newer, and this is ${process.versions.node}: ${remedy}.`,
  );
  process.exitCode = 1;
}

/** Runs the program with another Node.js, as if it were this process. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  // a terminal sends these to both; the child ends by them when it has tidied up
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`overprint: ${node} does not start: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}
