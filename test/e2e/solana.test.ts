import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { generateKeyPairSigner, type KeyPairSigner } from "@solana/kit";
import { decodePaymentRequiredHeader } from "@x402/core/http";
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig, x402Client } from "@x402/fetch";
import { getDefaultAsset, normalizeNetwork } from "@x402/svm";
import { ExactSvmScheme } from "@x402/svm/exact/client";
import { ExactSvmSchemeV1 } from "@x402/svm/exact/v1/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { isSolana, NETWORKS } from "../../src/payments/wire/networks.ts";
import { result } from "../../src/service/request/schemas.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { strict402 } from "../support/x402.ts";
import { type Solana, startSolana, startSolanaFacilitator } from "./chain/solana.ts";

/** Tests payments on Solana's virtual machine with official clients. Official facilitators pay the transaction fees. */

const PRICE = 50_000n;

let chain: Solana;
let facilitator: Awaited<ReturnType<typeof startSolanaFacilitator>>;
let seller: KeyPairSigner;
/** Two services that receive payments at one address. Only one has access to a node of the chain. */
let services: Record<"with a node" | "without a node", StartedWorker>;
let files: Server;
/** Callbacks by file path. Each payer has its own path, and a callback runs when a service fetches the file. */
const onFetch = new Map<string, () => unknown>();

beforeAll(async () => {
  chain = await startSolana();
  [facilitator, seller] = await Promise.all([startSolanaFacilitator(chain), chain.walletWith(0n)]);
  const settings = {
    FACILITATOR_URL: facilitator.url,
    NETWORKS: "solana-devnet",
    PAY_TO_SOLANA: seller.address,
    FACILITATOR_TIMEOUT_SECONDS: "60",
    ALLOW_LOOPBACK_SOURCES: "true",
  };
  const [withNode, without] = await Promise.all([
    startWorker({ ...settings, RPC_URL: chain.url }),
    startWorker(settings),
  ]);
  services = { "with a node": withNode, "without a node": without };
  const sample = await samplePdf();
  files = createServer(async ({ url }, response) => {
    await onFetch.get(url!)?.();
    response.end(sample);
  });
  await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  files?.close();
  await Promise.all(Object.values(services ?? {}).map((service) => service.stop()));
  await facilitator?.stop();
  await chain?.stop();
});

const endpoint = ({ url }: StartedWorker) => `${url}/v1/watermark/text`;
const bodyFor = (file: string) => {
  const { port } = files.address() as AddressInfo;
  return JSON.stringify({ file: `http://127.0.0.1:${port}/${file}.pdf`, text: "PAID" });
};
const JSON_TYPE = { "Content-Type": "application/json" };

interface Payment {
  payer: KeyPairSigner;
  /** Name and value of the payment header, in either version of x402. */
  header: [name: string, value: string];
  /** Idempotency key of the call. */
  key?: string;
}

/**
 * Creates a payment, signed by the official client of this x402 version. The payer is new and has exactly enough money.
 */
async function newPayment(version: 1 | 2 = 2, service = services["with a node"]): Promise<Payment> {
  const payer = await chain.walletWith(PRICE);
  const refused = await fetch(endpoint(service), { method: "POST" });
  const config = { rpcUrl: chain.url };
  if (version === 1) {
    const [offer] = strict402.parse(await refused.json()).accepts;
    const payment = await new ExactSvmSchemeV1(payer, config).createPaymentPayload(1, offer as never);
    return { payer, header: ["X-PAYMENT", btoa(JSON.stringify(payment))] };
  }
  const client = x402Client.fromConfig({
    schemes: [{ network: "solana:*", client: new ExactSvmScheme(payer, config) }],
  });
  const terms = decodePaymentRequiredHeader(refused.headers.get("PAYMENT-REQUIRED")!);
  const payment = await client.createPaymentPayload(terms);
  return { payer, header: ["PAYMENT-SIGNATURE", btoa(JSON.stringify(payment))] };
}

/** Buys a marked file. `meanwhile` runs while the service fetches the file. */
async function buy({ payer, header, key }: Payment, service = services["with a node"], meanwhile?: () => unknown) {
  if (meanwhile) onFetch.set(`/${payer.address}.pdf`, meanwhile);
  const response = await fetch(endpoint(service), {
    method: "POST",
    headers: { ...JSON_TYPE, [header[0]]: header[1], ...(key && { "Idempotency-Key": key }) },
    body: bodyFor(payer.address),
  });
  onFetch.delete(`/${payer.address}.pdf`);
  const receipt = response.headers.get("PAYMENT-RESPONSE") ?? response.headers.get("X-PAYMENT-RESPONSE");
  return {
    status: response.status,
    body: await response.text(),
    receipt: receipt === null ? undefined : decodePaymentResponseHeader(receipt),
  };
}

/** Returns how much money has left the payer's wallet. */
const moved = async ({ payer }: Payment) => PRICE - (await chain.balanceOf(payer.address));

/** Returns a copy of the payment whose transaction has been changed. `change` modifies the bytes of the transaction. */
function rewritten({ payer, header: [name, value] }: Payment, change: (transaction: Buffer) => void): Payment {
  const payment = JSON.parse(atob(value)) as { payload: { transaction: string } };
  const transaction = Buffer.from(payment.payload.transaction, "base64");
  change(transaction);
  payment.payload.transaction = transaction.toString("base64");
  return { payer, header: [name, btoa(JSON.stringify(payment))] };
}

test("the official client pays with a wallet that has only USDC, and receives the file", async () => {
  const payer = await chain.walletWith(PRICE);
  const earned = await chain.balanceOf(seller.address);
  const feesLeft = chain.lamportsOf(facilitator.account.address);
  const client = new ExactSvmScheme(payer, { rpcUrl: chain.url });
  const paidFetch = wrapFetchWithPaymentFromConfig(fetch, { schemes: [{ network: "solana:*", client }] });
  const response = await paidFetch(endpoint(services["with a node"]), {
    method: "POST",
    headers: JSON_TYPE,
    body: bodyFor("wrapped"),
  });
  expect(response.status).toBe(200);
  const { output } = result.parse(await response.json());
  expect((await fetch(output.url)).status).toBe(200);
  const receipt = decodePaymentResponseHeader(response.headers.get("PAYMENT-RESPONSE")!);
  expect(receipt).toMatchObject({
    success: true,
    network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
    payer: payer.address,
  });
  expect(chain.hasSucceeded(receipt.transaction)).toBe(true);
  expect(await chain.balanceOf(payer.address)).toBe(0n);
  expect(await chain.balanceOf(seller.address)).toBe(earned + PRICE);
  expect(chain.lamportsOf(facilitator.account.address)).toBeLessThan(feesLeft);
});

test("the official x402 version 1 client pays on Solana", async () => {
  const payment = await newPayment(1);
  const { status, receipt } = await buy(payment);
  expect([status, await moved(payment)]).toEqual([200, PRICE]);
  expect(receipt).toMatchObject({ success: true, network: "solana-devnet", payer: payment.payer.address });
  expect(chain.hasSucceeded(receipt!.transaction)).toBe(true);
});

test.concurrent("a repeated payment on Solana gets the same result, even with another fee payer's signature", async () => {
  const payment = { ...(await newPayment()), key: "once" };
  const first = await buy(payment);
  const others = [payment, { ...rewritten(payment, (transaction) => transaction.fill(7, 1, 65)), key: "once" }];
  for (const other of others) expect(await buy(other)).toEqual(first);
  expect([first.status, await moved(payment)]).toEqual([200, PRICE]);
});

test.concurrent("a stranger who copies a Solana transaction from the chain does not get the result", async () => {
  const payment = await newPayment();
  expect((await buy(payment)).status).toBe(200);
  for (const known of [payment, rewritten(payment, (transaction) => transaction.fill(7, 65, 129))])
    expect(await buy(known)).toMatchObject({ status: 409, body: expect.stringContaining("payment_already_used") });
});

test.concurrent("a payer on Solana whose wallet is emptied during the file fetch gets nothing", async () => {
  const payment = await newPayment();
  const answer = await buy(payment, undefined, () => chain.setBalance(payment.payer.address, 0n));
  expect(answer).toMatchObject({ status: 402, receipt: { success: false, transaction: "" } });
});

test.concurrent("a payer who empties the Solana wallet after the simulation gets transaction_failed and no result", async () => {
  const payment = await newPayment();
  chain.interpose(payment.payer.address, () => chain.setBalance(payment.payer.address, 0n));
  const answer = await buy(payment);
  expect(answer).toMatchObject({
    status: 402,
    receipt: { errorReason: expect.stringContaining("transaction_failed") },
  });
});

test.concurrent("a Solana payment that is also spent at another service during the file fetch buys only one result", async () => {
  const payment = await newPayment();
  let other: Awaited<ReturnType<typeof buy>> | undefined;
  const answer = await buy(payment, services["with a node"], async () => {
    onFetch.delete(`/${payment.payer.address}.pdf`);
    other = await buy(payment, services["without a node"]);
  });
  expect([answer.status, other?.status, await moved(payment)]).toEqual([402, 200, PRICE]);
});

test.concurrent("a Solana payer whose settlement answer is lost gets the result, with a receipt for the on-chain transaction", async () => {
  const payment = await newPayment();
  facilitator.interpose(payment.payer.address, async (settle) => {
    facilitator.interpose(payment.payer.address, undefined);
    await settle();
    return "cut";
  });
  const { status, receipt } = await buy(payment);
  expect([status, receipt?.success, await moved(payment)]).toEqual([200, true, PRICE]);
  expect(chain.hasSucceeded(receipt!.transaction)).toBe(true);
});

test.concurrent("a service does not accept the error duplicate_settlement as proof of payment, because the transaction may fail", async () => {
  const service = services["without a node"];
  const payment = await newPayment(2, service);
  const { address } = payment.payer;
  const answers: string[] = [];
  const seen = { success: false, errorReason: "duplicate_settlement", transaction: "", network: "", payer: "" };
  facilitator.interpose(address, async () => {
    facilitator.interpose(address, async () => {
      facilitator.interpose(address, undefined);
      answers.push("duplicate_settlement");
      return { status: 200, body: seen };
    });
    answers.push("none");
    return "cut";
  });
  const bought = await buy(payment, service);
  expect(answers, "the service repeats the settlement after both answers").toEqual(["none", "duplicate_settlement"]);
  expect([bought.status, bought.receipt?.success, await moved(payment)]).toEqual([200, true, PRICE]);
  expect(chain.hasSucceeded(bought.receipt!.transaction)).toBe(true);
});

test.concurrent.each<[string, (transaction: Buffer) => void]>([
  ["without a signature", (transaction) => transaction.fill(7, 65, 129)],
  ["altered after signing", (transaction) => transaction.fill("x", transaction.length - 3, transaction.length - 1)],
])("the service refuses a Solana payment %s, and does not fetch the file", async (_, change) => {
  const payment = rewritten(await newPayment(), change);
  let fetched = false;
  const answer = await buy(payment, undefined, () => {
    fetched = true;
  });
  expect([answer.status, fetched, await moved(payment)]).toEqual([402, false, 0n]);
});

test("the facilitator rejects a wrong recipient or fee payer on Solana, and the service rejects too low an amount", async () => {
  const service = services["with a node"];
  const refused = await fetch(endpoint(service), { method: "POST" });
  const [terms] = decodePaymentRequiredHeader(refused.headers.get("PAYMENT-REQUIRED")!).accepts;
  const stranger = (await generateKeyPairSigner()).address;
  await chain.setBalance(stranger, 0n);
  for (const [change, reason] of [
    [{ payTo: stranger }, "recipient_mismatch"],
    [{ extra: { feePayer: stranger } }, "fee_payer_not_managed"],
    [{ amount: "49999" }, "amount_mismatch"],
  ] as const) {
    const payer = await chain.walletWith(PRICE);
    const client = new ExactSvmScheme(payer, { rpcUrl: chain.url });
    const signed = await client.createPaymentPayload(2, { ...terms!, ...change });
    const accepted = "extra" in change ? { ...terms, ...change } : terms;
    const header = btoa(JSON.stringify({ ...signed, accepted }));
    const asked = facilitator.calls.verify;
    const answer = await buy({ payer, header: ["PAYMENT-SIGNATURE", header] });
    expect(answer).toMatchObject({ status: 402, body: expect.stringContaining(reason) });
    expect(facilitator.calls.verify - asked).toBe(reason === "amount_mismatch" ? 0 : 1);
    expect(await chain.balanceOf(payer.address)).toBe(PRICE);
  }
});

test.each(Object.values(NETWORKS).filter(isSolana))(
  "the network $name has the same chain ID and USDC mint as in the official client",
  ({ name, caip2, asset, decimals }) => {
    expect(normalizeNetwork(name as never)).toBe(caip2);
    expect(getDefaultAsset(caip2, "USDC")).toMatchObject({ asset, decimals });
  },
);

test("the service rejects a payment whose blockhash expires during the file fetch, and charges nothing", async () => {
  const payment = await newPayment();
  const answer = await buy(payment, undefined, () => chain.expireBlockhash());
  expect(answer).toMatchObject({
    status: 402,
    receipt: { success: false, errorReason: expect.stringContaining("blockhash has expired") },
  });
  expect(await moved(payment)).toBe(0n);
  expect((await buy(payment)).status, "the expired payment cannot be used later").toBe(402);
});
