/** HarfBuzz as a file beside the bundle. */
import { readFile } from "node:fs/promises";

/** Reads and compiles the WebAssembly module of HarfBuzz. */
export async function harfbuzzModule(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(new Uint8Array(await readFile(new URL("harfbuzz.wasm", import.meta.url))));
}
