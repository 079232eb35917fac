/**
 * Provides HarfBuzz as a module that is compiled at deployment, because workerd cannot compile WebAssembly at run time.
 */
import module from "harfbuzzjs/dist/harfbuzz.wasm";

/** Returns the WebAssembly module of HarfBuzz, which is already compiled. */
export async function harfbuzzModule(): Promise<WebAssembly.Module> {
  return module;
}
