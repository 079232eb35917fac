/** HarfBuzz as a file beside the script: the bundler copies it there and gives its address. */
import url from "harfbuzzjs/dist/harfbuzz.wasm";

/** HarfBuzz, fetched and compiled. */
export async function harfbuzzModule(): Promise<WebAssembly.Module> {
  const response = await fetch(url as unknown as string);
  return WebAssembly.compile(await response.arrayBuffer());
}
