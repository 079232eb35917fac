/**
 * Compiles the program `overprint` into `dist/cli/` for the npm package, because Node.js does not run TypeScript from
 * `node_modules`. `npm pack` runs this script.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const outdir = join(root, "dist/cli");

await rm(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ["cli/main.ts"],
  bundle: true,
  splitting: true, // puts the code that pays into a separate file, which is loaded only when it is needed
  format: "esm",
  platform: "node",
  target: "node22.12",
  packages: "external",
  outdir,
});
