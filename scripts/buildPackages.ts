/**
 * `npm run build:packages` builds the packages of `packages/` from the sources of this repository, each into its
 * `dist/`. In libraries, every source file becomes a script with its types and its source map, so that bundlers can
 * leave out unused parts. The package's `imports` choose the platform. The package of the command line is a bundle
 * instead. `npm run build:packages -- engine` builds only the engine.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { deflateSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { bundleCli } from "./packages/buildCli.ts";
import { moveClientTypes, writeClientScript } from "./packages/buildClient.ts";

const root = join(import.meta.dirname, "..");
const engine = join(root, "packages/engine");
const fonts = join(root, "packages/fonts");
const client = join(root, "packages/client");
const TARGET = "es2023";
/** A generated table, which is long and needs no source map. */
const FONT_TABLE = "src/engine/fonts/families.ts";

async function buildEngine(): Promise<void> {
  const dist = join(engine, "dist");
  await rm(dist, { recursive: true, force: true });
  const sources = (await namesOf("src/engine/**/*.ts")).filter((path) => !/\.d\.ts$|platform\/harfbuzz/.test(path));
  const code = sources.filter((path) => path !== FONT_TABLE);
  await transpile(code, "src/engine", join(dist, "engine"), "../../..");
  await transpile([FONT_TABLE], "src/engine", join(dist, "engine"), "../../..", false);
  await transpile(["packages/engine/index.ts", "packages/engine/checkArguments.ts"], "packages/engine", dist, "..");
  await transpile(
    await namesOf("packages/engine/platform/*.ts"),
    "packages/engine/platform",
    join(dist, "platform"),
    "../..",
  );
  await writeData(join(dist, "data"));
  await writeTypes(engine);
  await moveTypes(join(dist, "types/packages/engine/index.d.ts"), join(dist, "index.d.ts"));
  await rm(join(dist, "types"), { recursive: true });
  await copyLicenses(dist, {
    "LICENSE.txt": "LICENSE",
    "LICENSE-harfbuzz.txt": "node_modules/harfbuzzjs/LICENSE",
    "LICENSE-fonts.txt": "fonts/OFL.txt",
  });
}

async function buildFonts(): Promise<void> {
  const dist = join(fonts, "dist");
  await rm(dist, { recursive: true, force: true });
  await transpile(["packages/fonts/index.ts", "packages/fonts/url.ts"], "packages/fonts", dist, "..");
  await writeTypes(fonts);
  await cp(join(root, "fonts"), join(dist, "files"), { recursive: true });
  await copyLicenses(dist, { "LICENSE.txt": "LICENSE" });
}

async function buildClient(): Promise<void> {
  const dist = join(client, "dist");
  await rm(dist, { recursive: true, force: true });
  await writeClientScript(root, dist, TARGET);
  await writeTypes(client);
  await moveClientTypes(dist);
  await copyLicenses(dist, { "LICENSE.txt": "LICENSE" });
}

const buildCli = () => bundleCli(root, join(root, "packages/cli/dist"));

/** Copies a package's licenses. `licenses` maps the name of each file in the package to its source. */
async function copyLicenses(dist: string, licenses: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, source] of Object.entries(licenses)) await cp(join(root, source), join(dist, name));
}

async function namesOf(pattern: string): Promise<string[]> {
  const names: string[] = [];
  for await (const name of glob(pattern, { cwd: root })) names.push(name.replaceAll("\\", "/"));
  return names.toSorted();
}

/** Removes the types from sources. In their imports, replaces the names of sources by the names of scripts. */
async function transpile(
  entryPoints: string[],
  outbase: string,
  outdir: string,
  sourceRoot: string,
  sourcemap = true,
): Promise<void> {
  await build({
    absWorkingDir: root,
    ...{ entryPoints, outbase, outdir, sourceRoot },
    plugins: [namesOfScripts],
    bundle: false,
    format: "esm",
    target: TARGET,
    // keeps the packed engine under 1 MB, including source maps with the sources
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap,
  });
}

/** Changes the imports of a source: `./bytes.ts` becomes `./bytes.js`, and the engine's path becomes `./engine/`. */
const namesOfScripts: Plugin = {
  name: "names of scripts",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const data = path.includes("platform") ? "../data/" : "./data/";
      const contents = withScriptNames(text)
        .replaceAll('"../../src/engine/', '"./engine/')
        .replaceAll(/"#data\/([\w.]+)"/g, (_, name: string) => `"${data}${name.includes(".") ? name : `${name}.js`}"`);
      return { contents, loader: "ts" };
    });
  },
};

function withScriptNames(text: string): string {
  return text.replaceAll(/((?:from|import\()\s*"\.[^"]*)\.ts"/g, '$1.js"');
}

/** Writes HarfBuzz and the default fonts as scripts with deflated base64, and HarfBuzz as WebAssembly for Workers. */
async function writeData(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const harfbuzz = await readFile(join(root, "node_modules/harfbuzzjs/dist/harfbuzz.wasm"));
  await writeFile(join(folder, "harfbuzz.wasm"), harfbuzz);
  const scripts = {
    harfbuzz: ["wasm", harfbuzz],
    regular: ["font", await readFile(join(root, "fonts/noto-sans-regular.ttf"))],
    bold: ["font", await readFile(join(root, "fonts/noto-sans-bold.ttf"))],
  } as const;
  for (const [name, [constant, bytes]] of Object.entries(scripts))
    await writeFile(
      join(folder, `${name}.js`),
      `export const ${constant} = "${deflateSync(bytes, { level: 9 }).toString("base64")}";\n`,
    );
}

function writeTypes(folder: string): void {
  const tsc = join(root, "node_modules/typescript-7/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", folder], { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error(`The types of ${relative(root, folder)} could not be written.`);
}

/**
 * Moves a type declaration file and all files that it imports next to their scripts. Callers need no other
 * declarations.
 */
async function moveTypes(from: string, to: string): Promise<void> {
  if (existsSync(to)) return;
  const text = withScriptNames(await readFile(from, "utf8"));
  await mkdir(dirname(to), { recursive: true });
  await writeFile(to, text.replaceAll("../../src/engine/", "./engine/"));
  for (const [, name] of text.matchAll(/(?:from|import\()\s*"(\.[^"]*)\.js"/g))
    await moveTypes(
      join(dirname(from), `${name}.d.ts`),
      join(dirname(to), `${name!.replace("../../src/", "./")}.d.ts`),
    );
}

const asked = process.argv.slice(2);
const builds = { engine: buildEngine, fonts: buildFonts, client: buildClient, cli: buildCli };
for (const [name, buildPackage] of Object.entries(builds))
  if (asked.length === 0 || asked.includes(name)) await buildPackage();
