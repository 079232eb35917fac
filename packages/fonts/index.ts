/** `@overprint/fonts`: loads the fonts of this package in Node.js. */
import { readFile } from "node:fs/promises";

/** Reads a font by its path. Pass this function as `loadFont` to `watermark`. */
export async function loadFont(path: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(new URL(`files/${path}`, import.meta.url)));
}
