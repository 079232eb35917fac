/**
 * Marks a PDF with the engine alone, without a service or a payment:
 *
 *   npm run build:packages -- engine
 *   node examples/engine.mjs contract.pdf marked.pdf DRAFT
 *
 * The package `@overprint/engine` is not published yet, so the program imports what the first command builds.
 */
import { readFile, writeFile } from "node:fs/promises";
import { watermark } from "../packages/engine/dist/index.js";

const [source = "examples/contract.pdf", output = "marked.pdf", text = "DRAFT"] = process.argv.slice(2);
const marked = await watermark(await readFile(source), { text });
await writeFile(output, marked.stream());
console.log(`${output}: ${marked.pages} pages marked`);
