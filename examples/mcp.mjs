/**
 * Marks a PDF with the MCP tools. `request_upload` returns a URL for uploading the file, so that no message contains
 * the file. Payment follows x402's MCP transport: the answer to the first call contains the terms, and the second call
 * carries the payment.
 *
 *   npm install @modelcontextprotocol/client @x402/evm @x402/fetch viem
 *   PRIVATE_KEY=0x… SERVICE=https://pdf.example.com node mcp.mjs contract.pdf marked.pdf DRAFT
 *
 * Without PRIVATE_KEY it pays with the development key, which only a service on your machine accepts.
 */
import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ExactEvmScheme } from "@x402/evm";
import { x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const [file = "examples/contract.pdf", output = "marked.pdf", text = "DRAFT"] = process.argv.slice(2);
const {
  SERVICE = "http://127.0.0.1:8787",
  PRIVATE_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
} = process.env;

const account = privateKeyToAccount(PRIVATE_KEY);
const wallet = x402Client.fromConfig({ schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }] });

const client = new Client({ name: "overprint-example", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", SERVICE)));

const offered = await client.callTool({ name: "request_upload", arguments: { name: basename(file) } });
const { handle, upload } = offered.structuredContent;
const { method, headers } = upload;
const sent = await fetch(upload.url, { method, headers, body: await readFile(file) });
if (!sent.ok) throw new Error(await sent.text());

const call = { name: "add_text_watermark", arguments: { file: handle, text } };
const unpaid = await client.callTool(call);
const payment = await wallet.createPaymentPayload(unpaid.structuredContent);
const paid = await client.callTool({
  ...call,
  _meta: { "x402/payment": payment, "x402/idempotency-key": crypto.randomUUID() },
});
await client.close();
if (paid.isError) throw new Error(JSON.stringify(paid.content));

const sold = paid.structuredContent;
const marked = await fetch(sold.output.url);
await writeFile(output, new Uint8Array(await marked.arrayBuffer()));
console.log(`${output}: ${sold.output.pages} pages marked for ${sold.cost}`);
