/**
 * Loads HarfBuzz from a separate file beside the script. The bundler copies the file, and the import yields the URL of
 * the copy.
 */
import url from "harfbuzzjs/dist/harfbuzz.wasm";

/** Fetches and compiles the WebAssembly module of HarfBuzz. */
export async function harfbuzzModule(): Promise<WebAssembly.Module> {
  const response = await fetch(url as unknown as string);
  return WebAssembly.compile(await response.arrayBuffer());
}
