/**
 * Builds `fonts/`, which the Worker serves as assets, and `src/engine/fonts/families.ts`, which lists the characters
 * that each font covers. Run `npm run build:fonts -- FOLDER` after changing a font. FOLDER contains the new files from
 * Debian. All files are built and checked before any file is replaced.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildFonts } from "./fonts/build.ts";
import { FAMILIES } from "./fonts/families.ts";
import { openSources } from "./fonts/sources.ts";

const root = join(import.meta.dirname, "..");
const fonts = join(root, "fonts");
const index = join(root, "src/engine/fonts/families.ts");

try {
  const built = buildFonts(FAMILIES, openSources(FAMILIES, process.argv.slice(2)));
  const [next, previous] = [`${fonts}.next`, `${fonts}.previous`];
  for (const aside of [next, previous]) rmSync(aside, { recursive: true, force: true });
  for (const [path, content] of built.files) {
    mkdirSync(dirname(join(next, path)), { recursive: true });
    writeFileSync(join(next, path), content);
  }
  writeFileSync(`${index}.next`, built.index);

  renameSync(fonts, previous);
  renameSync(next, fonts);
  renameSync(`${index}.next`, index);
  rmSync(previous, { recursive: true });
  console.log(`fonts/: ${built.files.size} files`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
