/**
 * `npm run check:packages` packs the packages, installs them into empty folders, and uses them as their users would:
 * with Node.js 20, 22 and 24, Deno and Bun, with TypeScript, with bundles of esbuild and Vite in Chromium, and in a
 * Worker. It also buys with the client. The results must equal those of the sources. publint and are-the-types-wrong must
 * find no fault. The script prints a line for each part, and exits with 1 if a part fails. A part whose runtime is
 * missing is skipped, with the reason. With arguments, the script runs only the parts whose names contain one of the
 * arguments.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, relative } from "node:path";
import { build } from "esbuild";
import { watermark } from "../../src/engine/index.ts";
import { chromiumPath, NO_BROWSER, startBrowser } from "../lib/chromium.ts";
import { loadFont } from "../lib/loadFont.ts";
import { postToWorker } from "../lib/postToWorker.ts";
import { checkClient } from "./client.mjs";
import { checkCli, checkSizes } from "./installed.mjs";
import { runProgram } from "./runProgram.mjs";

const here = import.meta.dirname;
const root = join(here, "../..");
const bin = (/** @type {string} */ path) => join(here, "node_modules", path);
const CONTRACT = join(root, "examples/contract.pdf");
const OPTIONS = { date: new Date("2026-01-01"), filename: "contract.pdf" };
/** Maximum size of the packed engine without its fonts, in bytes. */
const MAX_PACKED = 1_000_000;

const asked = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "overprint-packages-"));
let hasFailed = false;
/** Names of the skipped parts. @type {string[]} */
const skipped = [];
/** The reason to skip a part. */
class Skipped extends Error {}
try {
  await main();
} finally {
  await rm(folder, { recursive: true, force: true });
}
if (skipped.length > 0) console.log(`Not checked: ${skipped.join(", ")}`);
if (hasFailed) process.exitCode = 1;

async function main() {
  await runProgram(process.execPath, [join(root, "scripts/buildPackages.ts")], root);
  const [engine, fonts, client, cli] = await Promise.all(["engine", "fonts", "client", "cli"].map(pack));
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await runProgram("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", engine, fonts, client], folder);
  for (const name of ["program.mjs", "worker.mjs", "page.mjs"]) await copyFile(join(here, name), join(folder, name));
  await copyFile(join(here, "sample.ts.txt"), join(folder, "sample.ts")); // the sample's imports resolve only in this folder
  const [latin, arabic] = await expected();

  await part("size without fonts", () => checkSize());
  for (const [name, tarballs] of Object.entries({ engine: [engine], fonts: [fonts], cli: [cli, fonts] }))
    await part(`sizes of ${name}`, () => checkSizes(name, tarballs, join(folder, `alone-${name}`)));
  await part("publint", async () => {
    for (const name of ["engine", "fonts", "client", "cli"])
      await runProgram(process.execPath, [bin("publint/src/cli.js"), "--strict", join(root, "packages", name)], root);
  });
  await part("are-the-types-wrong", async () => {
    for (const tarball of [engine, fonts, client])
      await runProgram(
        process.execPath,
        [bin("@arethetypeswrong/cli/dist/index.js"), tarball, "--profile", "esm-only"],
        root,
      );
  });
  const runtimes = {
    "Node.js 20": [bin("node20/bin/node")],
    "Node.js 22": [bin("node22/bin/node")],
    "Node.js 24": [bin("node24/bin/node")],
    Deno: [bin("@deno/linux-x64-glibc/deno"), "run", "--allow-all"],
    Bun: [bin("@oven/bun-linux-x64/bin/bun"), "run"],
  };
  const inRuntime = (/** @type {string[]} */ [program, ...flags], /** @type {string[]} */ args) => {
    if (!existsSync(program))
      throw new Skipped(`npm has not installed ${relative(here, program)} on ${process.platform}-${process.arch}`);
    return runProgram(program, [...flags, ...args], folder);
  };
  for (const [name, command] of Object.entries(runtimes))
    await part(name, async () => {
      equal(await inRuntime(command, ["program.mjs", CONTRACT]), `${latin}\n${arabic}\n`);
    });
  for (const node of ["node22", "node24"])
    await part(`command line, ${node}, offline`, () => checkCli(join(folder, "alone-cli"), bin(`${node}/bin/node`)));
  await part("require of an ES module", async () => {
    const code = 'console.log(typeof require("@overprint/engine").watermark)';
    equal(await runProgram(bin("node22/bin/node"), ["--input-type=commonjs", "-e", code], folder), "function\n");
  });
  for (const resolution of ["bundler", "nodenext"])
    await part(`TypeScript, ${resolution}`, async () => {
      const module = resolution === "bundler" ? "esnext" : "nodenext";
      const flags = ["--strict", "--noEmit", "--target", "es2023", "--lib", "esnext,dom"];
      const args = [...flags, "--module", module, "--moduleResolution", resolution, "sample.ts"];
      await runProgram(process.execPath, [bin("typescript/bin/tsc"), ...args], folder);
    });
  await part("esbuild in a browser", async () => {
    const site = join(folder, "esbuild");
    await build({
      ...{ absWorkingDir: folder, entryPoints: ["page.mjs"], outdir: site, bundle: true, splitting: true },
      ...{ format: "esm", platform: "browser", target: "es2023", logLevel: "error" },
    });
    await writeFile(join(site, "index.html"), '<!doctype html><script type="module" src="/page.js"></script>');
    equal(await titleOf(site), latin);
  });
  await part("Vite in a browser", async () => {
    const app = join(folder, "vite");
    await mkdir(app);
    await writeFile(join(app, "index.html"), '<!doctype html><script type="module" src="/page.mjs"></script>');
    await copyFile(join(folder, "page.mjs"), join(app, "page.mjs"));
    await runProgram(process.execPath, [bin("vite/bin/vite.js"), "build", "--target", "es2022"], app);
    equal(await titleOf(join(app, "dist")), latin);
  });
  await part("a Worker", async () => equal(await inWorker("worker.mjs"), latin));
  await checkClient(folder, { part, runtimes, inRuntime, titleOf, inWorker });
}

/** Runs a part, and prints its outcome. @param {string} name @param {() => Promise<unknown>} act */
async function part(name, act) {
  if (asked.length > 0 && !asked.some((word) => name.includes(word))) return;
  try {
    const note = await act();
    console.log(`✓ ${name}${typeof note === "string" ? `: ${note}` : ""}`);
  } catch (error) {
    if (error instanceof Skipped) {
      skipped.push(name);
      return console.log(`- ${name}: skipped, because ${error.message}`);
    }
    hasFailed = true;
    console.log(`✗ ${name}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Packs a package, and returns the path of the archive. @param {string} name */
async function pack(name) {
  const output = await runProgram(
    "npm",
    ["pack", "--json", "--pack-destination", folder],
    join(root, "packages", name),
  );
  return join(folder, JSON.parse(output)[0].filename);
}

/** Returns the SHA-256 of the results that the sources produce. */
async function expected() {
  const pdf = new Uint8Array(await readFile(CONTRACT));
  return Promise.all(
    ["DRAFT {page} of {pages}", "سري"].map(async (text) => {
      const hash = createHash("sha256");
      for await (const chunk of (await watermark(pdf, { text }, { ...OPTIONS, loadFont })).chunks()) hash.update(chunk);
      return hash.digest("hex");
    }),
  );
}

/** Checks the size of the packed engine without its fonts. */
async function checkSize() {
  const copy = join(folder, "without-fonts");
  await cp(join(root, "packages/engine"), copy, { recursive: true });
  for (const name of ["data/regular.js", "data/bold.js", "LICENSE-fonts.txt"]) await rm(join(copy, "dist", name));
  const output = await runProgram("npm", ["pack", "--json", "--pack-destination", copy], copy);
  const { size } = JSON.parse(output)[0];
  if (size > MAX_PACKED) throw new Error(`${size} bytes without fonts, maximum ${MAX_PACKED}`);
  return `${Math.round(size / 1000)} KB packed`;
}

/** Serves a folder, opens it in Chromium, and returns the title that the page sets. @param {string} site */
async function titleOf(site) {
  if (!chromiumPath) throw new Error(NO_BROWSER);
  await copyFile(CONTRACT, join(site, "contract.pdf"));
  const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript" };
  const server = createServer(async (request, response) => {
    const path = join(site, request.url === "/" ? "index.html" : (request.url ?? ""));
    const body = await readFile(path).catch(() => undefined);
    const type = types[/** @type {keyof typeof types} */ (extname(path))] ?? "application/octet-stream";
    response.writeHead(body ? 200 : 404, { "Content-Type": type }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.waitForFunction("document.title.length === 64", undefined, { timeout: 30_000 });
    return await page.evaluate("document.title");
  } finally {
    await browser.close();
    server.close();
  }
}

/** Runs a script as a Worker, and returns its answer to the sample. @param {string} script */
async function inWorker(script) {
  const config = join(folder, "wrangler.toml");
  await writeFile(
    config,
    `name = "caller"\nmain = "${script}"\ncompatibility_date = "2026-10-01"\ncompatibility_flags = ["nodejs_compat"]\n`,
  );
  return Buffer.from(await postToWorker(config, new Uint8Array(await readFile(CONTRACT)))).toString();
}

/** @param {string} actual @param {string | undefined} wanted */
function equal(actual, wanted) {
  if (actual !== wanted) throw new Error(`got ${actual.slice(0, 300)} instead of ${wanted}`);
}
