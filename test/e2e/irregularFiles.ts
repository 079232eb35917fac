/** Irregular files for all readers to draw, and a function that checks whether a reader shows the mark. */
import type { Raster } from "../../scripts/lib/raster.ts";
import { file, stamp } from "../engine/pdf/fixture.ts";
import {
  IRREGULAR_FILES,
  IRREGULAR_TREES,
  MALFORMED_CONTENTS,
  SCANNED_TREES,
  withContent,
  withTree,
} from "../engine/pdf/irregularFiles.ts";

/** Irregular files. Each row has the name, the number of pages and the file. */
export const IRREGULAR: readonly [string, number, Uint8Array][] = [
  ...IRREGULAR_FILES,
  ...IRREGULAR_TREES.map(([name, pages, bodies]): [string, number, Uint8Array] => [name, pages, withTree(bodies)]),
  ...MALFORMED_CONTENTS.map(([name, content]): [string, number, Uint8Array] => [name, 1, file(withContent(content))]),
  ...SCANNED_TREES.map(([name, source, widths]): [string, number, Uint8Array] => [name, widths.length, source]),
];

/** Returns whether the mark is visible in the lower right quarter of the page. */
export function isMarked({ width, height, rgb }: Raster): boolean {
  for (let y = height >> 1; y < height; y++)
    for (let x = width >> 1; x < width; x++) {
      const at = 3 * (y * width + x);
      if (rgb[at]! > 250 && rgb[at + 1]! < 5 && rgb[at + 2]! > 250) return true;
    }
  return false;
}

/** Marks a file. Returns, for each page, whether `draw` shows the mark. */
export async function marksShown(
  source: Uint8Array,
  pages: number,
  draw: (pdf: Uint8Array, pages: number) => Promise<Raster[]>,
): Promise<boolean[]> {
  return (await draw(await stamp(source), pages)).map(isMarked);
}
