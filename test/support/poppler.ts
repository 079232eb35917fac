/** The renderer Poppler, which checks whether a mark is visible. The tests use it only if `pdftoppm` is installed. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missing, parsePpm } from "../e2e/readers.ts";
import type { Onlooker } from "./onlookers.ts";
import type { TrialMark } from "./trialMarks.ts";

const POPPLER: Onlooker = {
  name: "Poppler",
  look(pdf, mark) {
    const folder = mkdtempSync(join(tmpdir(), "overprint-poppler-"));
    try {
      writeFileSync(join(folder, "input.pdf"), pdf);
      try {
        execFileSync("pdftoppm", ["-r", "72", join(folder, "input.pdf"), join(folder, "page")], { stdio: "ignore" });
      } catch {} // if the program fails at one page, it has still written the other pages' pictures
      const pages = readdirSync(folder).filter((name) => name.endsWith(".ppm"));
      return pages.sort().map((name) => isMarked(readFileSync(join(folder, name)), mark));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** A list with Poppler, or an empty list if it is not installed. */
export const INSTALLED_POPPLER: readonly Onlooker[] = missing("pdftoppm", "-v") ? [] : [POPPLER];

/** Returns whether any pixel in a mark's square is tinted magenta. */
function isMarked(file: Buffer, mark: TrialMark): boolean {
  const { width, height, rgb } = parsePpm(file);
  const { side, left, top } = mark.squareOn(width, height);
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, top + side); y++)
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, left + side); x++) {
      const at = 3 * (y * width + x);
      if (rgb[at]! - rgb[at + 1]! > 12 && rgb[at + 2]! - rgb[at + 1]! > 12) return true;
    }
  return false;
}
