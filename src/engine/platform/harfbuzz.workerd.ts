/** HarfBuzz as a module that the runtime has compiled at deployment: workerd compiles none later. */
import module from "harfbuzzjs/dist/harfbuzz.wasm";

/** HarfBuzz, compiled. */
export async function harfbuzzModule(): Promise<WebAssembly.Module> {
  return module;
}
