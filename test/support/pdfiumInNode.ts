/**
 * PDFium's compiled WebAssembly for tests in plain Node. In workerd, an import of the `.wasm` file returns this module.
 * vitest.config.mts replaces the `.wasm` file with this file.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const path = createRequire(import.meta.url).resolve("@hyzyla/pdfium/pdfium.wasm");

/** The types of the Workers runtime omit `compile`, because workerd lacks it. */
const { compile } = WebAssembly as unknown as { compile(bytes: Uint8Array): Promise<WebAssembly.Module> };

export default await compile(new Uint8Array(await readFile(path)));
