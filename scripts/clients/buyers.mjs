import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wrap } from "@faremeter/fetch";
import { createPaymentHandler } from "@faremeter/payment-evm/exact";
import { createLocalWallet } from "@faremeter/wallet-evm";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
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
import { programPath, runIn } from "./program.mjs";

/**
 * Clients with a wallet. Each client makes a free call and buys one marked PDF. To buy, a client must also see the
 * payment terms.
 */

const account = privateKeyToAccount(DEVELOPMENT_KEY);
const schemes = [{ network: "eip155:*", client: new ExactEvmScheme(account) }];

/** The fields of the bought call. */
export const request = {
  file: `data:application/pdf;base64,${Buffer.from(await samplePdf()).toString("base64")}`,
  text: "PAID",
};
/** The arguments of the free call. */
export const UPLOAD = { name: "contract.pdf" };

/**
 * Makes a free call and a paid call with the `fetch` function of a client.
 * @param {typeof fetch} fetch
 * @param {URL} origin
 */
async function callWith(fetch, origin) {
  const post = async (/** @type {string} */ path, /** @type {object} */ body) =>
    (
      await fetch(new URL(path, origin).href, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      })
    ).json();
  return { uploaded: await post("/v1/uploads", UPLOAD), bought: await post("/v1/watermark/text", request) };
}

/** Makes a free call and a paid call with mppx. @param {URL} origin @param {"x402" | "mpp"} protocol */
async function callWithMppx(origin, protocol) {
  // the text differs per protocol, because calls with the same content are charged once
  const text = `PAID WITH ${protocol}`;
  const post = (/** @type {string} */ path, /** @type {object} */ body) =>
    mppx(new URL(path, origin).href, "--protocol", protocol, "--silent", "-J", JSON.stringify(body));
  return {
    uploaded: await post("/v1/uploads", UPLOAD),
    bought: await post("/v1/watermark/text", { ...request, text }),
  };
}

/** Runs mppx, and returns its output as JSON. @param {string[]} words */
export async function mppx(...words) {
  return JSON.parse(await runIn({ MPPX_PRIVATE_KEY: DEVELOPMENT_KEY }, "mppx", words));
}

/**
 * Makes a free call and a paid call with Cloudflare's paying MCP client.
 * @param {import("@modelcontextprotocol/client").Transport} transport
 * @param {string} text
 */
async function callWithAgents(transport, text) {
  const client = new Client({ name: "check", version: "1.0.0" });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    const { structuredContent: uploaded } = await client.callTool({ name: "request_upload", arguments: UPLOAD });
    const paying = withX402Client(client, { account, network: "base-sepolia" });
    const call = { name: "add_text_watermark", arguments: { ...request, text } };
    const { structuredContent: bought } = await paying.callTool(async () => true, call);
    return { listed: tools.map(({ name }) => name), uploaded, bought };
  } finally {
    await client.close();
  }
}

/** Number of attempts to connect mcpc, which gives its background process only five seconds to start. */
const MCPC_ATTEMPTS = 5;

/**
 * Buys two files with mcpc in one session, and returns the answer to the second call. mcpc pays in its first request,
 * and signs a new payment for the second call only if the answer has terms.
 * @param {URL} origin
 */
async function callWithMcpc(origin) {
  const home = await mkdtemp(join(tmpdir(), "overprint-mcpc-"));
  const env = { HOME: home, MCPC_HOME_DIR: home, NODE_COMPILE_CACHE: join(home, "compiled") };
  const mcpc = (/** @type {string[]} */ ...words) => runIn(env, "mcpc", words);
  const connect = async (/** @type {number} */ attempts) => {
    try {
      await mcpc("connect", new URL("/mcp", origin).href, "@overprint", "--x402");
    } catch (error) {
      if (attempts === 1) throw error;
      await connect(attempts - 1);
    }
  };
  const call = async (/** @type {string} */ tool, /** @type {Record<string, string>} */ fields) => {
    const words = Object.entries(fields).map(([name, value]) => `${name}:=${value}`);
    return JSON.parse(await mcpc("@overprint", "tools-call", tool, ...words, "--json")).structuredContent;
  };
  try {
    await mcpc("x402", "import", DEVELOPMENT_KEY);
    // fills the compile cache; without arguments, the program only prints its usage
    await runIn(env, "mcpc-bridge", []).catch(() => undefined);
    await connect(MCPC_ATTEMPTS);
    const tools = JSON.parse(await mcpc("@overprint", "tools-list", "--json"));
    const uploaded = await call("request_upload", UPLOAD);
    const first = await call("add_text_watermark", { ...request, text: "ONE" });
    const bought = await call("add_text_watermark", { ...request, text: "TWO" });
    if (bought?.output?.url === first?.output?.url) throw new Error("the second call bought nothing");
    return { listed: tools.map((/** @type {{ name: string }} */ { name }) => name), uploaded, bought };
  } finally {
    await mcpc("@overprint", "close").catch(() => undefined);
    await rm(home, { recursive: true, force: true });
  }
}

/**
 * Functions by client name. Each function runs one client that has a wallet, and returns the answers that the client
 * received. @type {Record<string, (origin: URL) => Promise<import("./proofs.mjs").Answers>>}
 */
export const BUYERS = {
  "x402-fetch": (origin) =>
    callWith(
      wrapFetchWithPayment(fetch, createWalletClient({ account, chain: baseSepolia, transport: http() })),
      origin,
    ),
  "@x402/fetch": (origin) => callWith(wrapFetchWithPaymentFromConfig(fetch, { schemes }), origin),
  async "@x402/axios"(origin) {
    const client = wrapAxiosWithPaymentFromConfig(axios.create(), { schemes });
    const post = async (/** @type {string} */ path, /** @type {object} */ body) =>
      (await client.post(new URL(path, origin).href, body)).data;
    return { uploaded: await post("/v1/uploads", UPLOAD), bought: await post("/v1/watermark/text", request) };
  },
  async "@faremeter/fetch"(origin) {
    const wallet = await createLocalWallet({ id: baseSepolia.id, name: baseSepolia.name }, DEVELOPMENT_KEY);
    return callWith(wrap(fetch, { handlers: [createPaymentHandler(wallet)] }), origin);
  },
  "mppx with x402": (origin) => callWithMppx(origin, "x402"),
  "mppx with MPP": (origin) => callWithMppx(origin, "mpp"),
  "agents (Cloudflare)": (origin) =>
    callWithAgents(new StreamableHTTPClientTransport(new URL("/mcp", origin)), "PAID WITH agents"),
  "@apify/mcpc": callWithMcpc,
  // mcp-remote connects a client that speaks only stdio to the MCP endpoint. Cloudflare's `agents` pays through
  // mcp-remote.
  async "mcp-remote"(origin) {
    const args = [programPath("mcp-remote"), new URL("/mcp", origin).href, "--allow-http", "--transport", "http-only"];
    const home = await mkdtemp(join(tmpdir(), "overprint-mcp-remote-"));
    try {
      const env = { PATH: process.env.PATH ?? "", HOME: home };
      const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" });
      return await callWithAgents(transport, "PAID THROUGH mcp-remote");
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  },
};
