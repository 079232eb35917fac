/** Loads HarfBuzz from its npm package. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** Reads and compiles the WebAssembly module of HarfBuzz. */
export async function harfbuzzModule(): Promise<WebAssembly.Module> {
  const path = createRequire(import.meta.url).resolve("harfbuzzjs/dist/harfbuzz.wasm");
  return WebAssembly.compile(new Uint8Array(await readFile(path)));
}
