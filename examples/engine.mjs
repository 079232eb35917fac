/** Marks a PDF with the engine alone, without a service or a payment: `node examples/engine.ts contract.pdf marked.pdf DRAFT` */
import { readFile, writeFile } from "node:fs/promises";
import { watermark } from "overprint/engine";

const [source = "contract.pdf", output = "marked.pdf", text = "DRAFT"] = process.argv.slice(2);
const loadFont = (path: string) => readFile(new URL(`../fonts/${path}`, import.meta.url));
const plan = await watermark(await readFile(source), { text }, { loadFont });
await writeFile(output, plan.chunks());
console.log(`${output}: ${plan.pages} pages marked`);
