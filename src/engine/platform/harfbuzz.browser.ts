/** HarfBuzz as a separate file beside the script. The bundler copies the file, and the import yields its URL. */
import url from "harfbuzzjs/dist/harfbuzz.wasm";

/** Fetches and compiles HarfBuzz. */
export async function harfbuzzModule(): Promise<WebAssembly.Module> {
  const response = await fetch(url as unknown as string);
  return WebAssembly.compile(await response.arrayBuffer());
}
