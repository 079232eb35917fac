/** HarfBuzz as a module that is compiled at deployment, because workerd cannot compile WebAssembly at run time. */
import module from "#data/harfbuzz.wasm";

/** Returns HarfBuzz, which is already compiled. */
export async function harfbuzzModule(): Promise<WebAssembly.Module> {
  return module;
}
