import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { wrapAxiosWithPaymentFromConfig } from "@x402/axios";
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from "@x402/core/http";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/client";
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig, x402Client } from "@x402/fetch";
import axios from "axios";
import { decodeFunctionData, type Hex, type LocalAccount, parseAbi, serializeSignature } from "viem";
import { createSiweMessage } from "viem/siwe";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { wrapFetchWithPayment } from "x402-fetch";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { result } from "../../src/service/request/schemas.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { strict402 } from "../support/x402.ts";
import { type Chain, startChain } from "./chain/anvil.ts";
import { startFacilitator } from "./chain/facilitator.ts";

/** Tests payers who lose an answer and call again with a newly signed payment, as the official clients do. */

const PAY_TO = "0x00000000000000000000000000000000c0ffee02";
const PRICE = 50_000n;

let chain: Chain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
let worker: StartedWorker;
let file: string;
beforeAll(async () => {
  chain = await startChain();
  facilitator = await startFacilitator(chain);
  file = `data:application/pdf;base64,${Buffer.from(await samplePdf()).toString("base64")}`;
  worker = await startWorker({ FACILITATOR_URL: facilitator.url, PAY_TO, FACILITATOR_TIMEOUT_SECONDS: "60" });
});
afterAll(async () => {
  await worker?.stop();
  await facilitator?.stop();
  await chain?.stop();
});

const endpoint = () => `${worker.url}/v1/watermark/text`;
const request = (headers: Record<string, string> = {}, text = "PAID"): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify({ file, text }),
});

/**
 * Creates a payer with money for two payments. The facilitator settles these payments, but its answers are lost until
 * `recovers` is called.
 */
async function unluckyPayer() {
  const payer = await chain.payerWith(2n * PRICE);
  facilitator.interpose(payer.address, async (settle) => {
    await settle();
    return "cut";
  });
  return {
    payer,
    paid: async () => 2n * PRICE - (await chain.balanceOf(payer.address)),
    recovers: () => facilitator.interpose(payer.address, undefined),
  };
}

/** Checks that the download link in an answer works. Returns the link. */
async function linkOf(response: Response): Promise<string> {
  expect(response.status).toBe(200);
  const { output } = result.parse(await response.json());
  expect((await fetch(output.url)).status).toBe(200);
  return output.url;
}

type Pay = (init: RequestInit) => Promise<Response>;

/** Pays with the official client of x402 version 2. */
const payV2 = (account: LocalAccount): Pay => {
  const client = wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
  });
  return (init) => client(endpoint(), init);
};
/** Makes axios treat only a 402 as an error. The official client for axios pays in response to this error. */
const isNo402 = (status: number) => status !== 402;
const payAxios = (account: LocalAccount): Pay => {
  const client = wrapAxiosWithPaymentFromConfig(axios.create({ responseType: "text", validateStatus: isNo402 }), {
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
  });
  return async ({ headers, body, signal }) => {
    const options = { headers: headers as Record<string, string>, ...(signal && { signal }) };
    const { status, data, headers: answered } = await client.post(endpoint(), body, options);
    return new Response(data, { status, headers: { ...answered } as Record<string, string> });
  };
};
/** Pays with the official client of x402 version 1. */
const payV1 = (account: LocalAccount): Pay => {
  const client = wrapFetchWithPayment(fetch, account as never);
  return (init) => client(endpoint(), init as never);
};
/** Returns the payment header of an x402 version 1 client. */
async function signV1(account: LocalAccount): Promise<Record<string, string>> {
  const refused = await fetch(endpoint(), { method: "POST" });
  const [offer] = strict402.parse(await refused.json()).accepts;
  const payment = await new ExactEvmSchemeV1(account).createPaymentPayload(1, offer as never);
  return { "X-PAYMENT": btoa(JSON.stringify(payment)) };
}
/** Pays with the official client of x402 version 2, and always sends the same `payment-identifier`. */
const payIdentified = (account: LocalAccount): Pay => {
  const client = x402Client.fromConfig({ schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }] });
  return async (init) => {
    const refused = await fetch(endpoint(), { method: "POST" });
    const terms = decodePaymentRequiredHeader(refused.headers.get("PAYMENT-REQUIRED")!);
    const payment = await client.createPaymentPayload(terms);
    const extensions = { "payment-identifier": { info: { required: false, id: "pay_0123456789abcdef" } } };
    const { "Idempotency-Key": _, ...headers } = init.headers as Record<string, string>;
    const signature = encodePaymentSignatureHeader({ ...payment, extensions });
    return fetch(endpoint(), { ...init, headers: { ...headers, "PAYMENT-SIGNATURE": signature } });
  };
};

describe.concurrent.each<[string, (account: LocalAccount) => Pay]>([
  ["@x402/fetch", payV2],
  ["@x402/axios", payAxios],
  ["x402-fetch 1.2", payV1],
  ["a client with a payment-identifier", payIdentified],
])("%s", (_, client) => {
  test("a client that disconnects and repeats its call with the same idempotency key is charged once and gets the result", async () => {
    const { payer, paid, recovers } = await unluckyPayer();
    const pay = client(payer);
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const lost = pay({ ...request(key), signal: AbortSignal.timeout(8000) }).catch(() => undefined);
    await vi.waitUntil(async () => (await paid()) > 0n, 10_000);
    recovers();
    const link = await linkOf(await pay(request(key)));
    await lost;
    expect(await linkOf(await pay(request(key)))).toBe(link);
    expect(await paid()).toBe(PRICE);
    const other = await pay(request(key, "OTHER"));
    expect([other.status, await paid()]).toEqual([422, PRICE]);
  });

  test("a client sends a payment even if the 402 response lists errors in the request, and then gets these errors", async () => {
    const pay = client(await chain.payerWith(PRICE));
    const wrong = { ...request(), body: JSON.stringify({ file: "https://example.com/a.pdf", text: 2026 }) };
    const unpaid = await fetch(endpoint(), wrong);
    expect(await unpaid.json()).toMatchObject({ problems: [{ path: "text" }] });
    const paid = await pay(wrong);
    expect([paid.status, await paid.json()]).toEqual([400, expect.objectContaining({ code: "invalid_request" })]);
  });

  test("a client that repeats its call after settlement_pending is charged once and gets the result", async () => {
    const { payer, paid, recovers } = await unluckyPayer();
    const pay = client(payer);
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const pending = await pay(request(key));
    expect(pending.status).toBe(503);
    const problem = (await pending.json()) as { code: string; detail: string };
    expect(problem).toMatchObject({ code: "settlement_pending", detail: expect.stringContaining("Idempotency-Key") });
    recovers();
    const again = await pay(request(key));
    expect(again.headers.get("Overprint-Notice")).toBe("payment-not-settled");
    const receipt = again.headers.get("PAYMENT-RESPONSE") ?? again.headers.get("X-PAYMENT-RESPONSE");
    expect(decodePaymentResponseHeader(receipt!)).toMatchObject({ success: true, payer: payer.address });
    await linkOf(again);
    expect(await paid()).toBe(PRICE);
  });
});

test.concurrent("a call without an idempotency key receives a key while its payment is pending, and gets the result with this key", async () => {
  const { payer, paid, recovers } = await unluckyPayer();
  const payment = await signV1(payer);
  const pending = await fetch(endpoint(), request(payment));
  const { code, idempotency_key: key } = (await pending.json()) as { code: string; idempotency_key: string };
  expect([pending.status, code]).toEqual([503, "settlement_pending"]);
  recovers();
  const alone = await fetch(endpoint(), request(payment));
  expect(alone.status).toBe(409);
  const link = await linkOf(await fetch(endpoint(), request({ ...payment, "Idempotency-Key": key })));
  expect(await linkOf(await payV2(payer)(request({ "Idempotency-Key": key })))).toBe(link);
  expect(await paid()).toBe(PRICE);
});

test("a payer whose wallet is empty after the payment can get the result again with the idempotency key", async () => {
  const payer = await chain.payerWith(PRICE);
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const link = await linkOf(await payV2(payer)(request(key)));
  expect(await chain.balanceOf(payer.address)).toBe(0n);
  expect(await linkOf(await payV2(payer)(request(key)))).toBe(link);
});

test("eight concurrent payments under one idempotency key settle only once, and all eight calls get the result", async () => {
  const payer = await chain.payerWith(8n * PRICE);
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const answers = await Promise.all(Array.from({ length: 8 }, () => payV2(payer)(request(key))));
  const links = await Promise.all(answers.map(linkOf));
  expect(new Set(links).size).toBe(1);
  expect(await chain.balanceOf(payer.address)).toBe(7n * PRICE);
});

test.concurrent("an MCP client that disconnects and repeats its call with the same idempotency key is charged once and gets the result", async () => {
  const { payer, paid, recovers } = await unluckyPayer();
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", worker.url)));
  const wallet = x402Client.fromConfig({ schemes: [{ network: "eip155:*", client: new ExactEvmScheme(payer) }] });
  const call = { name: "add_text_watermark", arguments: { file, text: "PAID" } };
  const key = crypto.randomUUID();
  const pay = async (signal?: AbortSignal) => {
    const { structuredContent: terms } = await client.callTool(call);
    const payment = await wallet.createPaymentPayload(terms as never);
    const _meta = { "x402/payment": payment, "x402/idempotency-key": key };
    return client.callTool({ ...call, _meta }, signal ? { signal } : {});
  };
  const hangUp = new AbortController();
  const lost = pay(hangUp.signal).catch(() => undefined);
  await vi.waitUntil(async () => (await paid()) > 0n, 10_000);
  hangUp.abort();
  await lost;
  recovers();
  const bought = await pay();
  const { output } = result.parse(bought.structuredContent);
  expect((await fetch(output.url)).status).toBe(200);
  expect(result.parse((await pay()).structuredContent).output.url).toBe(output.url);
  expect(await paid()).toBe(PRICE);
  await client.close();
});

describe("payments published on the chain", () => {
  const TRANSFER = parseAbi([
    "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
    "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  ]);

  /** Returns the payment header of a payment that is public in a transaction on the chain. */
  async function paymentIn(transaction: string): Promise<Record<string, string>> {
    const { input } = await chain.client.getTransaction({ hash: transaction as Hex });
    const { args } = decodeFunctionData({ abi: TRANSFER, data: input });
    const [from, to, value, validAfter, validBefore, nonce, ...signed] = args;
    const [v, r, s] = signed as [number, Hex, Hex];
    const signature = signed.length === 1 ? signed[0] : serializeSignature({ r, s, v: BigInt(v) });
    const numbers = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` };
    const payload = { signature, authorization: { from, to, ...numbers, nonce } };
    return { "X-PAYMENT": btoa(JSON.stringify({ x402Version: 1, scheme: "exact", network: "base-sepolia", payload })) };
  }

  test("a stranger who copies a payment from the chain gets nothing, but the payer still gets the link", async () => {
    const payer = await chain.payerWith(PRICE);
    const payment = await signV1(payer);
    const bought = await fetch(endpoint(), request(payment));
    const { transaction } = decodePaymentResponseHeader(bought.headers.get("X-PAYMENT-RESPONSE")!);
    const link = await linkOf(bought);

    const seen = await paymentIn(transaction);
    const sent = (header: Record<string, string>) => JSON.parse(atob(header["X-PAYMENT"]!)).payload.authorization;
    expect(sent(seen)).toMatchObject({ nonce: sent(payment).nonce, validBefore: sent(payment).validBefore });
    for (const headers of [seen, { ...seen, "Idempotency-Key": "a guess" }]) {
      const stolen = await fetch(endpoint(), request(headers));
      expect([stolen.status, await stolen.json()]).toMatchObject([409, { code: "payment_already_used" }]);
    }

    const { host } = new URL(worker.url);
    const url = `${worker.url}/v1/purchases`;
    const signed = { domain: host, address: payer.address, uri: url, version: "1", nonce: "0123456789abcdef" } as const;
    const now = new Date();
    const message = createSiweMessage({ ...signed, chainId: 84532, issuedAt: now });
    const signature = await payer.signMessage({ message });
    const proof = { ...signed, chainId: "eip155:84532", type: "eip191", issuedAt: now.toISOString(), signature };
    const signIn = { "SIGN-IN-WITH-X": btoa(JSON.stringify(proof)) };
    const found = (await (await fetch(url, { headers: signIn })).json()) as { purchases: object[] };
    expect(found.purchases).toEqual([expect.objectContaining({ url: link, transaction })]);
    expect(await linkOf(await fetch(endpoint(), request({ ...payment, ...signIn })))).toBe(link);
  });
});
