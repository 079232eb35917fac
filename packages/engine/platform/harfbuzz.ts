/** HarfBuzz inside a script, for runtimes that compile WebAssembly. Every bundler can handle a script. */

/** Compiles HarfBuzz. */
export async function harfbuzzModule(): Promise<WebAssembly.Module> {
  const { wasm } = await import("#data/harfbuzz");
  return WebAssembly.compile(bytesOfBase64(wasm));
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
