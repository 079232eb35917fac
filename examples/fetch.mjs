/**
 * Marks a PDF over HTTP with x402's `fetch`, which answers a 402 with a payment:
 *
 *   npm install @x402/evm @x402/fetch viem
 *   PRIVATE_KEY=0x… SERVICE=https://pdf.example.com node fetch.mjs contract.pdf marked.pdf DRAFT
 *
 * Without PRIVATE_KEY it pays with the development key, which only a service on your machine accepts.
 */
import { readFile, writeFile } from "node:fs/promises";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const [file = "examples/contract.pdf", output = "marked.pdf", text = "DRAFT"] = process.argv.slice(2);
const {
  SERVICE = "http://127.0.0.1:8787",
  PRIVATE_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
} = process.env;

const account = privateKeyToAccount(PRIVATE_KEY);
const payingFetch = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
});

const form = new FormData();
form.set("file", new File([await readFile(file)], "contract.pdf", { type: "application/pdf" }));
form.set("text", text);
const response = await payingFetch(`${SERVICE}/v1/watermark/text`, {
  method: "POST",
  headers: { "Idempotency-Key": crypto.randomUUID() }, // a call repeated with this key is charged once
  body: form,
});
if (!response.ok) throw new Error(await response.text());

const sold = await response.json();
const marked = await fetch(sold.output.url);
await writeFile(output, new Uint8Array(await marked.arrayBuffer()));
console.log(`${output}: ${sold.output.pages} pages marked for ${sold.cost}`);
