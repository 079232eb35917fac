/**
 * The compiled WebAssembly module of PDFium, for tests in plain Node. There, vitest.config.mts replaces imports of the
 * `.wasm` file by this file. In workerd, an import of the `.wasm` file already returns the compiled module.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const path = createRequire(import.meta.url).resolve("@hyzyla/pdfium/pdfium.wasm");

/** The types of the Workers runtime omit `compile`, because workerd does not have it. */
const { compile } = WebAssembly as unknown as { compile(bytes: Uint8Array): Promise<WebAssembly.Module> };

export default await compile(new Uint8Array(await readFile(path)));
