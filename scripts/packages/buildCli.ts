/** Builds the package `@overprint/cli` from `cli/`. */
import { chmod, cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { packagesIn } from "../lib/licenses.ts";

/** CommonJS packages in the bundle call `require` for modules of Node.js. */
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * Bundles the program with all packages except the fonts, which are the package's only dependency.
 * @param root root folder of the repository
 * @param dist folder for the built package
 */
export async function bundleCli(root: string, dist: string): Promise<void> {
  await rm(dist, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: "packages/cli/index.ts", markThread: "cli/markThread.ts" },
    outdir: dist,
    plugins: [partsOfThePackage(root)],
    banner: { js: REQUIRE },
    bundle: true,
    splitting: true, // puts the code that pays into separate files, which are loaded only when they are needed
    minifySyntax: true,
    minifyWhitespace: true,
    format: "esm",
    platform: "node",
    target: "node22.12",
    metafile: true,
  });
  await cp(join(root, "cli/overprint.js"), join(dist, "overprint.js"));
  await chmod(join(dist, "overprint.js"), 0o755);
  await cp(join(root, "node_modules/harfbuzzjs/dist/harfbuzz.wasm"), join(dist, "harfbuzz.wasm"));
  await cp(join(root, "LICENSE"), join(dist, "LICENSE.txt"));
  await writeFile(join(dist, "LICENSES.txt"), await licensesOf(metafile, root));
}

/** Replaces the two sources that read the fonts and HarfBuzz from files of the clone. */
function partsOfThePackage(root: string): Plugin {
  return {
    name: "parts of the package",
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/fonts\.ts$/ }, ({ importer }) =>
        dirname(importer) === join(root, "cli") ? { path: "@overprint/fonts", external: true } : undefined,
      );
      onResolve({ filter: /^#platform\/harfbuzz$/ }, () => ({ path: join(root, "packages/cli/harfbuzz.ts") }));
    },
  };
}

/**
 * Returns the licenses of the packages that a bundle contains.
 * @throws Error if a package has no license
 */
async function licensesOf(metafile: Metafile, root: string): Promise<string> {
  const texts: string[] = [];
  for (const folder of new Set([...packagesIn(metafile), "node_modules/harfbuzzjs"].toSorted())) {
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8")) as Record<
      string,
      string
    >;
    if (!license) throw new Error(`${name} names no license`);
    const file = (await readdir(join(root, folder))).find((entry) => /^license/i.test(entry));
    const text = file === undefined ? "" : `\n\n${(await readFile(join(root, folder, file), "utf8")).trim()}`;
    texts.push(`${name} ${version}, ${license}${text}\n`);
  }
  return texts.join("\n\n----\n\n");
}
