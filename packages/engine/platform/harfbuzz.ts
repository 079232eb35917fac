/** HarfBuzz inside a script, for runtimes that compile WebAssembly. Every bundler can handle a script. */
import { inflated } from "./inflated.ts";

/** Compiles HarfBuzz. */
export async function harfbuzzModule(): Promise<WebAssembly.Module> {
  const { wasm } = await import("#data/harfbuzz");
  return WebAssembly.compile(await inflated(wasm));
}
