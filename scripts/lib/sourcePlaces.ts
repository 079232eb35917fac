import type { SourceMap } from "node:module";
import { relative, resolve } from "node:path";

/** A place in the deployed script, as a stack has it, with whatever address stands before it. */
const PLACE = /(?:file:\/\/)?[^\s()]*\bindex\.js:(\d+):(\d+)/g;

/**
 * Replaces each place in a script, such as `index.js:60:22502`, by that in the sources it was built from. What the map
 * does not know stays.
 * @param folder where the script was built: its map names sources from there
 * @param root what the places are told from
 */
export function withSourcePlaces(text: string, map: SourceMap, folder: string, root: string): string {
  return text.replace(PLACE, (place, line: string, column: string) => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1); // both count from zero here
    if (!("originalSource" in entry) || entry.generatedLine !== Number(line) - 1) return place;
    const path = relative(root, resolve(folder, entry.originalSource));
    return `${path}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}
