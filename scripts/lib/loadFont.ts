import { readFile } from "node:fs/promises";
import { join } from "node:path";

const fonts = join(import.meta.dirname, "../../fonts");

/** Reads a file of `fonts/` in Node.js and returns its bytes for the engine. */
export async function loadFont(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(join(fonts, path)));
}
