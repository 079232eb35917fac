/**
 * The compiled WebAssembly module of PDFium, for tests in plain Node. There, vitest.config.mts replaces imports of the
 * `.wasm` file with this file. In workerd, importing the `.wasm` file returns the compiled module.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const path = createRequire(import.meta.url).resolve("@hyzyla/pdfium/pdfium.wasm");

/** The types of the Workers runtime omit `compile`, which workerd does not have. */
const { compile } = WebAssembly as unknown as { compile(bytes: Uint8Array): Promise<WebAssembly.Module> };

export default await compile(new Uint8Array(await readFile(path)));
