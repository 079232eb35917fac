/** PDFium's WebAssembly, compiled: what importing a `.wasm` file gives in workerd. Tests in plain Node are aliased to this. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const path = createRequire(import.meta.url).resolve("@hyzyla/pdfium/pdfium.wasm");

/** The types of the Workers runtime leave `compile` out, which only exists outside of it. */
const { compile } = WebAssembly as unknown as { compile(bytes: Uint8Array): Promise<WebAssembly.Module> };

export default await compile(new Uint8Array(await readFile(path)));
