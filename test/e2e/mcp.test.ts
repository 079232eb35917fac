import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createMCPClient } from "@ai-sdk/mcp";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isPaymentRequired } from "@x402/core/schemas";
import type { PaymentRequired } from "@x402/core/types";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { x402Client } from "@x402/fetch";
import type { LocalAccount } from "viem";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { METAFILE } from "../../scripts/lib/buildScript.ts";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { result } from "../../src/service/request/schemas.ts";
import { builtWorker } from "../support/builtWorkers.ts";
import { pngOf } from "../support/png.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { type Chain, startChain } from "./chain/anvil.ts";
import { startFacilitator } from "./chain/facilitator.ts";
import { render } from "./render.ts";

const PAY_TO = "0x00000000000000000000000000000000c0ffee01";
const PRICE = 50_000n;

let chain: Chain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
let worker: StartedWorker;
let calls: { name: string; arguments: Record<string, unknown> }[];
beforeAll(async () => {
  chain = await startChain();
  facilitator = await startFacilitator(chain);
  worker = await startWorker({ FACILITATOR_URL: facilitator.url, PAY_TO });
  const file = `data:application/pdf;base64,${Buffer.from(await samplePdf()).toString("base64")}`;
  const image = Buffer.from(pngOf(8, 8, [255, 0, 255])).toString("base64");
  calls = [
    { name: "add_text_watermark", arguments: { file, text: "PAID" } },
    { name: "add_image_watermark", arguments: { file, image } },
  ];
});
afterAll(async () => {
  await worker?.stop();
  await facilitator?.stop();
  await chain?.stop();
});

/** Methods that both major versions of the official MCP client have. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: {
    name: string;
    arguments: Record<string, unknown>;
    _meta?: Record<string, unknown>;
  }): Promise<object>;
  close(): Promise<void>;
}
interface Answer {
  isError?: boolean;
  content: { type: string; text?: string }[];
  structuredContent?: unknown;
  _meta?: Record<string, unknown>;
}

const endpoint = () => new URL("/mcp", worker.url);
const INFO = { name: "test", version: "1.0.0" };
const CLIENTS: Record<string, () => Promise<AnyClient>> = {
  "version 2 of the official client, protocol 2026-07-28": async () => {
    const client = new ClientV2(INFO, { versionNegotiation: { mode: "auto" } });
    await client.connect(new TransportV2(endpoint()));
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    return client;
  },
  "version 2, protocol 2025-11-25": async () => {
    const client = new ClientV2(INFO);
    await client.connect(new TransportV2(endpoint()));
    expect(client.getNegotiatedProtocolVersion()).toBe("2025-11-25");
    return client;
  },
  "version 1": async () => {
    const client = new ClientV1(INFO);
    await client.connect(new TransportV1(endpoint()) as never);
    return client as never;
  },
};

const wallet = (account: LocalAccount) =>
  x402Client.fromConfig({ schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }] });

/**
 * Signs a payment like x402's own MCP client. That client reads the terms from the structured content of the result and
 * sends the payment as an object.
 */
async function payLikeX402({ structuredContent, content }: Answer, account: LocalAccount): Promise<unknown> {
  const terms = structuredContent as PaymentRequired;
  expect(isPaymentRequired(JSON.parse(content[0]!.text!))).toBe(true);
  expect(isPaymentRequired(terms)).toBe(true);
  return wallet(account).createPaymentPayload(terms);
}

/**
 * Signs a payment like Cloudflare's package `agents`. That client reads the terms from `_meta`, compares the first
 * amount with its cap, and sends base64.
 */
async function payLikeAgents({ _meta }: Answer, account: LocalAccount): Promise<unknown> {
  const { x402Version, resource, accepts, extensions } = _meta!["x402/error"] as PaymentRequired;
  expect(BigInt(accepts[0]!.amount)).toBeLessThanOrEqual(100_000n);
  const terms = { x402Version, resource, accepts, ...(extensions && { extensions }) };
  return btoa(JSON.stringify(await wallet(account).createPaymentPayload(terms)));
}

describe.each(Object.entries(CLIENTS))("%s", (_, connect) => {
  test.each([
    ["x402's MCP client", payLikeX402],
    ["Cloudflare's agents", payLikeAgents],
  ])("an MCP client that pays like %s can list the tools and buy from each paid tool", async (_, pay) => {
    const client = await connect();
    const payer = await chain.payerWith(2n * PRICE);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...calls.map(({ name }) => name),
      "request_upload",
      "request_payment_link",
      "get_result",
    ]);

    for (const call of calls) {
      const unpaid = (await client.callTool(call)) as Answer;
      expect(unpaid.isError).toBe(true);
      const before = await chain.balanceOf(PAY_TO);
      const paid = (await client.callTool({ ...call, _meta: { "x402/payment": await pay(unpaid, payer) } })) as Answer;
      expect((await chain.balanceOf(PAY_TO)) - before).toBe(PRICE);

      const receipt = paid._meta!["x402/payment-response"] as { transaction: `0x${string}` };
      expect(receipt).toMatchObject({ success: true, network: "eip155:84532", payer: payer.address });
      const { status } = await chain.client.getTransactionReceipt({ hash: receipt.transaction });
      expect(status).toBe("success");
      const { output } = result.parse(paid.structuredContent);
      expect(paid.content).toContainEqual(expect.objectContaining({ type: "resource_link", uri: output.url }));
      expect(await render(await (await fetch(output.url)).bytes())).toHaveLength(output.pages);
    }
    expect(await chain.balanceOf(payer.address)).toBe(0n);
    await client.close();
  });
});

test("the built Worker does not contain the JSON Schema validator of the MCP package", async () => {
  const folder = dirname(await builtWorker(inject("builtWorkers"), "src/index.ts"));
  const meta = await readFile(join(folder, METAFILE), "utf8");
  const { inputs } = JSON.parse(meta) as { inputs: Record<string, unknown> };
  const ofPackage = Object.keys(inputs).filter((path) => path.includes("@modelcontextprotocol/server/"));
  expect(ofPackage).not.toEqual([]);
  expect(ofPackage.filter((path) => /provider/i.test(path))).toEqual([]);
});

test("an MCP payer with too little money is refused, and a failed MCP call costs nothing", async () => {
  const client = await CLIENTS["version 1"]!();
  const [text] = calls;
  const unpaid = (await client.callTool(text!)) as Answer;
  const settled = facilitator.calls.settle;

  const poor = await chain.payerWith(PRICE - 1n);
  const refused = (await client.callTool({
    ...text!,
    _meta: { "x402/payment": await payLikeX402(unpaid, poor) },
  })) as Answer;
  expect(refused).toMatchObject({ isError: true, structuredContent: { x402Version: 2 } });

  const payer = await chain.payerWith(PRICE);
  const failed = (await client.callTool({
    name: text!.name,
    arguments: { file: "data:application/pdf;base64,", text: "A" },
    _meta: { "x402/payment": await payLikeX402(unpaid, payer) },
  })) as Answer;
  expect(JSON.parse(failed.content[0]!.text!)).toMatchObject({ code: "not_a_pdf" });
  expect(facilitator.calls.settle).toBe(settled);
  expect(await chain.balanceOf(payer.address)).toBe(PRICE);
});

/** Calls a tool by its name, as an agent does. Returns the value that the framework passes to the model. */
type CallTool = (name: string, fields: object) => Promise<unknown>;

/** Agent frameworks under test. Each validates arguments in its own way and can pay only with an HTTP header. */
const FRAMEWORKS: Record<string, (headers: Record<string, string>) => Promise<CallTool>> = {
  "the AI SDK": async (headers) => {
    const client = await createMCPClient({ transport: { type: "http", url: endpoint().href, headers } });
    const tools = await client.tools();
    return async (name, fields) => tools[name]!.execute(fields, { toolCallId: "1", messages: [], context: {} });
  },
  LangChain: async (headers) => {
    const mcpServers = { overprint: { transport: "http", url: endpoint().href, headers } } as const;
    const tools = await new MultiServerMCPClient({ mcpServers, throwOnLoadError: true }).getTools();
    const named = (name: string) => tools.find((tool) => tool.name === name)!;
    return async (name, fields) =>
      named(name)
        .invoke(fields)
        .catch((error: Error) => error.message);
  },
};

/** Returns the first match of a pattern in the text of an answer, as a model receives this text. */
const readIn = (answer: unknown, pattern: RegExp) => pattern.exec(JSON.stringify(answer).replaceAll("\\", ""))![0];

describe.each(Object.entries(FRAMEWORKS))("%s", (_, connect) => {
  test("an agent gets an upload URL, uploads a file, and buys the marked file with a payment in an HTTP header", async () => {
    const text = "add_text_watermark";
    const look = { text: "DRAFT", template: "stamp", color: "#CC0000", position: "top-right", opacity: 0.15 };
    const call = await connect({});
    const unpaid = await call(text, { ...look, file: "/home/me/contract.pdf" });
    expect(readIn(unpaid, /This call costs 0\.05 USDC.*?request_upload/)).toBeTruthy();
    const offered = await call("request_upload", { name: "contract.pdf" });
    const headers = { "Content-Type": "application/pdf" };
    const put = { method: "PUT", headers, body: new Uint8Array(await samplePdf()) };
    expect((await fetch(readIn(offered, /http:[^" ']+\/v1\/uploads\/[\w-]+/), put)).status).toBe(200);

    const payer = await chain.payerWith(PRICE);
    const refused = await fetch(new URL("/v1/watermark/text", worker.url), { method: "POST" });
    const terms = JSON.parse(atob(refused.headers.get("PAYMENT-REQUIRED")!)) as PaymentRequired;
    const payment = await wallet(payer).createPaymentPayload(terms);
    const pay = await connect({ "PAYMENT-SIGNATURE": btoa(JSON.stringify(payment)) });
    const paid = await pay(text, { ...look, file: readIn(offered, /upload:[\w-]+/) });
    const link = readIn(paid, /http:[^" ]+\/v1\/files\/[^" ]+/);
    expect(await render(await (await fetch(link)).bytes())).toHaveLength(4);
    expect(await chain.balanceOf(payer.address)).toBe(0n);
  });
});
