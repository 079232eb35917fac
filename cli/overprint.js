#!/usr/bin/env node
/**
 * Starts the program with a suitable version of Node.js. In a clone, where the sources are TypeScript, scripts/run.mjs
 * finds or installs this version. The package @overprint/cli contains a copy of this file beside the compiled program,
 * which runs on any recent version. This file is plain JavaScript, so that old versions can read it.
 */
import { existsSync, realpathSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const own = realpathSync(fileURLToPath(import.meta.url));
const sources = join(dirname(own), "main.ts");
const isClone = existsSync(sources);
const isInstalled = existsSync(join(dirname(own), "../node_modules/.package-lock.json"));
const [major, minor] = process.versions.node.split(".").map(Number);

if (isClone && !(isInstalled && process.features.typescript)) {
  const runner = join(dirname(own), "../scripts/run.mjs");
  process.argv.splice(1, 1, runner, own);
  await import(pathToFileURL(runner).href);
} else if (!isClone && (major < 22 || (major === 22 && minor < 12))) {
  console.error(`overprint: Node.js ${process.versions.node} is too old. Install Node.js 22.12 or newer.`);
  process.exitCode = 1;
} else {
  module.enableCompileCache?.(); // the compile cache halves the startup time
  const entry = isClone ? sources : join(dirname(own), "main.js");
  const { main } = await import(pathToFileURL(entry).href);
  await main();
}
