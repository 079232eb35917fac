/**
 * Compiles the program `overprint` into `dist/cli/`, for the packed package: Node.js runs no TypeScript that is installed.
 * `npm pack` does it by itself.
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
  splitting: true, // what pays is loaded when somebody pays
  format: "esm",
  platform: "node",
  target: "node22.12",
  packages: "external",
  outdir,
});
