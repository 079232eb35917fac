/**
 * A program of a caller for Node.js, Deno and Bun. It marks the PDF that its first argument names, and prints the
 * SHA-256 of the result of each mark.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { EngineError, watermark } from "@overprint/engine";

const pdf = new Uint8Array(await readFile(process.argv[2]));
const options = { date: new Date("2026-01-01"), filename: "contract.pdf" };
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

const marked = await watermark(pdf, { text: "DRAFT {page} of {pages}" }, options);
const bytes = await marked.bytes();
const streamed = [];
for await (const chunk of marked.stream()) streamed.push(chunk);
if (Buffer.compare(Buffer.concat(streamed), Buffer.from(bytes)) !== 0) throw new Error("stream() and bytes() differ");
console.log(sha256(bytes));

const failure = await watermark(pdf, { text: "سري" }, options).catch((error) => error);
if (!(failure instanceof EngineError) || !failure.message.includes("@overprint/fonts"))
  throw new Error(`a text without its font gave ${failure}`);
const { loadFont } = await import("@overprint/fonts");
console.log(sha256(await (await watermark(pdf, { text: "سري" }, { ...options, loadFont })).bytes()));
