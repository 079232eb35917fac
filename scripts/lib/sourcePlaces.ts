import type { SourceMap } from "node:module";
import { relative, resolve } from "node:path";

/** A position in the deployed script in a stack trace, with any address before it. */
const PLACE = /(?:file:\/\/)?[^\s()]*\bindex\.js:(\d+):(\d+)/g;

/**
 * Replaces each position in a script, such as `index.js:60:22502`, by the position in its sources. Positions that the
 * map does not contain stay.
 * @param folder where the script was built: the map's paths are relative to it
 * @param root folder that the new positions are relative to
 */
export function withSourcePlaces(text: string, map: SourceMap, folder: string, root: string): string {
  return text.replace(PLACE, (place, line: string, column: string) => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1); // both count from zero here
    if (!("originalSource" in entry) || entry.generatedLine !== Number(line) - 1) return place;
    const path = relative(root, resolve(folder, entry.originalSource));
    return `${path}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}
