import type { SourceMap } from "node:module";
import { relative, resolve } from "node:path";

/** Matches a position in the deployed script, such as `index.js:60:22502`, with any path or address before it. */
const PLACE = /(?:file:\/\/)?[^\s()]*\bindex\.js:(\d+):(\d+)/g;

/**
 * Replaces each position in the deployed script, such as `index.js:60:22502`, by the position in its sources. Positions
 * that the map does not contain are left unchanged.
 * @param folder folder where the script was built, to which the map's paths are relative
 * @param root folder to which the new paths are relative
 */
export function withSourcePlaces(text: string, map: SourceMap, folder: string, root: string): string {
  return text.replace(PLACE, (place, line: string, column: string) => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1); // lines and columns of the map begin at zero
    if (!("originalSource" in entry) || entry.generatedLine !== Number(line) - 1) return place;
    const path = relative(root, resolve(folder, entry.originalSource));
    return `${path}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}
