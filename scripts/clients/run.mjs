/**
 * `npm run check:clients` starts the Worker with the development facilitator, and buys from it with unmodified x402
 * and MPP clients: seven libraries and programs, then `@apify/mcpc`. Then `mppx validate` checks the server. It exits with
 * 1 if a client does not get a marked PDF, or a check fails. With words, it runs only the clients whose names contain one
 * of them.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { wrap } from "@faremeter/fetch";
import { createPaymentHandler } from "@faremeter/payment-evm/exact";
import { createLocalWallet } from "@faremeter/wallet-evm";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { wrapAxiosWithPaymentFromConfig } from "@x402/axios";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { withX402Client } from "agents/x402";
import axios from "axios";
import { createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { baseSepolia } from "viem/chains";
import { wrapFetchWithPayment } from "x402-fetch";
import { DEVELOPMENT_KEY } from "../../src/payments/facilitators/localFacilitator.ts";
import { samplePdf } from "../lib/samplePdf.ts";
import { startWorker } from "../lib/worker.ts";

const run = promisify(execFile);
const account = privateKeyToAccount(DEVELOPMENT_KEY);
const schemes = [{ network: "eip155:*", client: new ExactEvmScheme(account) }];
const request = {
  file: `data:application/pdf;base64,${Buffer.from(await samplePdf()).toString("base64")}`,
  text: "PAID",
};
const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request) };
const program = (/** @type {string} */ name) => join(import.meta.dirname, "node_modules/.bin", name);

const LOGO = join(import.meta.dirname, "../../examples/logo.png");

/** Number of attempts to connect mcpc, which gives its background process only five seconds to start. */
const MCPC_ATTEMPTS = 5;

/**
 * Buys two files with mcpc in one session, and returns the answer to the second call. mcpc pays in its first request,
 * and signs a new payment for the second call only if the answer has terms.
 * @param {URL} origin
 */
async function buyWithMcpc(origin) {
  const home = await mkdtemp(join(tmpdir(), "overprint-mcpc-"));
  const env = { ...process.env, HOME: home, MCPC_HOME_DIR: home, NODE_COMPILE_CACHE: join(home, "compiled") };
  const mcpc = async (/** @type {string[]} */ ...words) => (await run(program("mcpc"), words, { env })).stdout;
  const connect = async (/** @type {number} */ attempts) => {
    try {
      await mcpc("connect", new URL("/mcp", origin).href, "@overprint", "--x402");
    } catch (error) {
      if (attempts === 1) throw error;
      await connect(attempts - 1);
    }
  };
  try {
    await mcpc("x402", "import", DEVELOPMENT_KEY);
    await run(program("mcpc-bridge"), [], { env }).catch(() => undefined); // fills the compile cache, and prints its usage
    await connect(MCPC_ATTEMPTS);
    const call = (/** @type {string} */ text) =>
      mcpc("@overprint", "tools-call", "add_text_watermark", `file:=${request.file}`, `text:=${text}`, "--json");
    const [first, second] = [JSON.parse(await call("ONE")), JSON.parse(await call("TWO"))];
    if (second.structuredContent?.output?.url === first.structuredContent?.output?.url)
      throw new Error(`the second call bought nothing: ${JSON.stringify(second).slice(0, 500)}`);
    return second.structuredContent;
  } finally {
    await mcpc("@overprint", "close").catch(() => undefined);
    await rm(home, { recursive: true, force: true });
  }
}

/** Runs mppx, and returns its output as JSON. @param {string[]} words */
async function mppx(...words) {
  const env = { ...process.env, MPPX_PRIVATE_KEY: DEVELOPMENT_KEY };
  return JSON.parse((await run(program("mppx"), words, { env })).stdout);
}

/** Buys a file with mppx. @param {URL} url @param {"x402" | "mpp"} protocol */
function buyWithMppx(url, protocol) {
  const text = `PAID WITH ${protocol}`; // another text, because the same content is charged once
  return mppx(url.href, "--protocol", protocol, "--silent", "-J", JSON.stringify({ ...request, text }));
}

/** Lets mppx check challenges, errors, payments and receipts of each paid address. @param {URL} origin */
async function validateWithMppx(origin) {
  const image = `data:image/png;base64,${(await readFile(LOGO)).toString("base64")}`;
  const bodies = { "/v1/watermark/text": request, "/v1/watermark/image": { file: request.file, image } };
  const { summary } = await mppx("validate", origin.origin, "--output-json", "--body", JSON.stringify(bodies));
  if (summary.failed > 0 || summary.skipped > 0) throw new Error(JSON.stringify(summary));
  return summary.passed;
}

/** The clients by name. Each buys one marked PDF and returns the answer. */
const CLIENTS = {
  async "x402-fetch"(/** @type {URL} */ url) {
    const wallet = createWalletClient({ account, chain: baseSepolia, transport: http() });
    return (await wrapFetchWithPayment(fetch, wallet)(url, init)).json();
  },
  async "@x402/fetch"(/** @type {URL} */ url) {
    return (await wrapFetchWithPaymentFromConfig(fetch, { schemes })(url, init)).json();
  },
  async "@x402/axios"(/** @type {URL} */ url) {
    return (await wrapAxiosWithPaymentFromConfig(axios.create(), { schemes }).post(url.href, request)).data;
  },
  async "@faremeter/fetch"(/** @type {URL} */ url) {
    const wallet = await createLocalWallet({ id: baseSepolia.id, name: baseSepolia.name }, DEVELOPMENT_KEY);
    return (await wrap(fetch, { handlers: [createPaymentHandler(wallet)] })(url.href, init)).json();
  },
  "mppx with x402": (/** @type {URL} */ url) => buyWithMppx(url, "x402"),
  "mppx with MPP": (/** @type {URL} */ url) => buyWithMppx(url, "mpp"),
  async agents(/** @type {URL} */ url) {
    const client = new Client({ name: "check", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));
    const paying = withX402Client(client, { account, network: "base-sepolia" });
    const answer = await paying.callTool(async () => true, { name: "add_text_watermark", arguments: request });
    await client.close();
    return answer.structuredContent;
  },
  "@apify/mcpc": buyWithMcpc,
};

const VALIDATE = "mppx validate";
const words = process.argv.slice(2);
const isChosen = (/** @type {string} */ name) => words.length === 0 || words.some((word) => name.includes(word));
const worker = await startWorker();
try {
  for (const [name, buy] of Object.entries(CLIENTS)) {
    if (!isChosen(name)) continue;
    try {
      const answer = await buy(new URL("/v1/watermark/text", worker.url));
      const pdf = await (await fetch(answer.output.url)).bytes();
      if (new TextDecoder().decode(pdf.subarray(0, 5)) !== "%PDF-") throw new Error("the link gives no PDF");
      console.log(`✓ ${name}: ${answer.output.pages} pages for ${answer.cost}`);
    } catch (error) {
      console.log(`✗ ${name}: ${String(error).slice(0, 1000)}`);
      process.exitCode = 1;
    }
  }
  if (isChosen(VALIDATE)) {
    const passed = await validateWithMppx(new URL(worker.url)).catch((error) => {
      console.log(`✗ ${VALIDATE}: ${String(error).slice(0, 1000)}`);
      process.exitCode = 1;
    });
    if (passed) console.log(`✓ ${VALIDATE}: ${passed} checks`);
  }
} finally {
  await worker.stop();
}
