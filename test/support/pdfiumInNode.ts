/**
 * PDFium's compiled WebAssembly, as an import of its `.wasm` file returns it in workerd. vitest.config.mts aliases that
 * file to this one for tests in plain Node.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const path = createRequire(import.meta.url).resolve("@hyzyla/pdfium/pdfium.wasm");

/** The types of the Workers runtime omit `compile`, because workerd lacks it. */
const { compile } = WebAssembly as unknown as { compile(bytes: Uint8Array): Promise<WebAssembly.Module> };

export default await compile(new Uint8Array(await readFile(path)));
