/** Data that the build writes into `dist/data/`, deflated and as base64. */
declare module "#data/harfbuzz" {
  export const wasm: string;
}
declare module "#data/regular" {
  export const font: string;
}
declare module "#data/bold" {
  export const font: string;
}
declare module "#data/harfbuzz.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
