/** A WebAssembly module, which is compiled when the Worker is deployed. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
