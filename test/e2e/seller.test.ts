import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/client";
import { decodePaymentResponseHeader } from "@x402/fetch";
import type { Hex, LocalAccount } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { strict402 } from "../support/x402.ts";
import { type Chain, type SignedTransfer, startChain } from "./chain/anvil.ts";
import { startFacilitator } from "./chain/facilitator.ts";

/**
 * Tests attacks by payers on the seller, attacks by strangers on payers, and faults. The chain has slow blocks, and two
 * services share one PAY_TO address.
 */

const PAY_TO = "0x00000000000000000000000000000000c0ffee01";
const PRICE = 50_000n;

let chain: Chain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
/** Two services that receive payments at one address. Only one has access to a node of the chain. */
let services: Record<"with a node" | "without a node", StartedWorker>;
let files: Server;
/** Callbacks by file path. Each payer has its own path, and a callback runs when a service fetches the file. */
const onFetch = new Map<string, () => Promise<unknown>>();

beforeAll(async () => {
  chain = await startChain({ blockSeconds: 2 });
  facilitator = await startFacilitator(chain);
  const settings = {
    FACILITATOR_URL: facilitator.url,
    PAY_TO,
    FACILITATOR_TIMEOUT_SECONDS: "60",
    ALLOW_LOOPBACK_SOURCES: "true",
    RECEIPT_KEY: generatePrivateKey(),
  };
  const [withNode, without] = await Promise.all([
    startWorker({ ...settings, RPC_URL: chain.url }),
    startWorker(settings),
  ]);
  services = { "with a node": withNode, "without a node": without };
  const sample = await samplePdf();
  files = createServer(async ({ url }, response) => {
    const happens = onFetch.get(url!);
    onFetch.delete(url!);
    await happens?.();
    response.end(sample);
  });
  await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  files?.close();
  await Promise.all(Object.values(services ?? {}).map((service) => service.stop()));
  await facilitator?.stop(); // The last test may already have stopped the server.
  await chain?.stop();
});

interface Payment {
  payer: LocalAccount;
  nonce: Hex;
  signed: SignedTransfer;
  header: string;
}

/** Creates a payment that both services accept. The payer is new by default and has exactly enough money. */
async function newPayment({ url }: StartedWorker, known?: LocalAccount): Promise<Payment> {
  const payer = known ?? (await chain.payerWith(PRICE));
  const refused = await fetch(`${url}/v1/watermark/text`, { method: "POST" });
  const { extensions: _, ...terms } = (await refused.json()) as { extensions: object };
  const [offer] = strict402.parse(terms).accepts;
  const payment = await new ExactEvmSchemeV1(payer).createPaymentPayload(1, offer as never);
  const signed = payment.payload as unknown as SignedTransfer;
  return { payer, nonce: signed.authorization.nonce as Hex, signed, header: btoa(JSON.stringify(payment)) };
}

/**
 * Buys a marked file. Each payment has its own file by default. `meanwhile` runs while the service fetches the file.
 */
async function buy(
  { url }: StartedWorker,
  { header, nonce }: Payment,
  meanwhile?: () => Promise<unknown>,
  { key, path = `/${nonce}.pdf` }: { key?: string; path?: string } = {},
) {
  if (meanwhile) onFetch.set(path, meanwhile);
  const { port } = files.address() as AddressInfo;
  const response = await fetch(`${url}/v1/watermark/text`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-PAYMENT": header, ...(key && { "Idempotency-Key": key }) },
    body: JSON.stringify({ file: `http://127.0.0.1:${port}${path}`, text: "PAID" }),
  });
  const receipt = response.headers.get("X-PAYMENT-RESPONSE");
  return { status: response.status, receipt: receipt === null ? undefined : decodePaymentResponseHeader(receipt) };
}

/** Calls {@link buy}, and repeats the call while the payment is pending. */
async function buyPatiently(...order: Parameters<typeof buy>): ReturnType<typeof buy> {
  const answer = await buy(...order);
  return answer.status === 503 ? buyPatiently(...order) : answer;
}

/** Returns how much money has left the payer's account. */
const moved = async ({ payer }: Payment) => PRICE - (await chain.balanceOf(payer.address));
const succeeded = async (transaction: string) =>
  (await chain.client.getTransactionReceipt({ hash: transaction as Hex })).status === "success";

const both = ["with a node", "without a node"] as const;

const losesAnswer = ({ payer }: Payment, then?: () => Promise<void>) =>
  facilitator.interpose(payer.address, async (settle) => {
    facilitator.interpose(payer.address, undefined);
    await settle();
    await then?.();
    return "cut";
  });

describe("payments on a chain with a block every two seconds", () => {
  test.concurrent.each(both)(
    "a payer who cancels the payment while a service %s fetches the file gets no result",
    async (which) => {
      const payment = await newPayment(services[which]);
      const answer = await buy(services[which], payment, () => chain.cancel(payment.payer, payment.nonce));
      expect(answer).toMatchObject({ status: 402, receipt: { success: false } });
      expect(await moved(payment)).toBe(0n);
    },
  );

  test.concurrent.each(both)(
    "a payment that is also spent at a second service while a service %s fetches the file buys only one result",
    async (which) => {
      const [first, second] = which === both[0] ? both : both.toReversed();
      const payment = await newPayment(services[first!]);
      let other: Awaited<ReturnType<typeof buy>> | undefined;
      const answer = await buy(services[first!], payment, async () => {
        other = await buy(services[second!], payment);
      });
      expect([answer.status, other?.status]).toEqual([402, 200]);
      expect(await moved(payment)).toBe(PRICE);
    },
  );

  test.concurrent("a payer who sends the same payment to two services at once gets only one result", async () => {
    const payment = await newPayment(services["with a node"]);
    const answers = await Promise.all(both.map((which) => buy(services[which], payment)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await moved(payment)).toBe(PRICE);
  });

  test.concurrent.each([
    ["with a node", 429],
    ["without a node", 401],
  ] as const)(
    "a payer whose wallet is emptied while the settlement is unclear gets no result from a service %s (the facilitator answers %i)",
    async (which, status) => {
      const payment = await newPayment(services[which]);
      facilitator.interpose(payment.payer.address, async () => {
        await chain.burn(payment.payer.address, PRICE);
        facilitator.interpose(payment.payer.address, undefined);
        return { status, body: { error: "not now" } };
      });
      expect(await buy(services[which], payment)).toMatchObject({ status: 402, receipt: { success: false } });
      expect(await chain.balanceOf(payment.payer.address)).toBe(0n);
    },
  );

  test.concurrent("a payer who cancels the payment while the facilitator fails gets nothing", async () => {
    const payment = await newPayment(services["with a node"]);
    facilitator.interpose(payment.payer.address, async () => {
      facilitator.interpose(payment.payer.address, undefined);
      await chain.cancel(payment.payer, payment.nonce);
      return { status: 500, body: { error: "broken" } };
    });
    expect((await buy(services["with a node"], payment)).status).toBe(402);
    expect(await moved(payment)).toBe(0n);
  });

  /**
   * Runs `before`, and then makes the facilitator submit a transaction that the chain rejects. Returns the
   * transaction's status.
   */
  const reject = ({ payer, signed }: Payment, before: () => Promise<unknown>) =>
    new Promise<string>((resolve) => {
      facilitator.interpose(payer.address, async () => {
        facilitator.interpose(payer.address, undefined);
        await before();
        const send = () => chain.send(signed, facilitator.account);
        const { status, transactionHash: transaction } = await facilitator.inTurn(send);
        resolve(status);
        const errorReason = "invalid_exact_evm_transaction_failed";
        return { status: 200, body: { success: false, errorReason, transaction, network: "base-sepolia" } };
      });
    });

  test.concurrent.each(["in its simulation", "from the chain"] as const)(
    "a payer gets the result if a stranger submits the payment first and the facilitator detects this %s",
    async (when) => {
      const service = services["with a node"];
      const payment = await newPayment(service);
      let sent: Hex | undefined;
      const strangerSends = async () => {
        sent = (await chain.send(payment.signed)).transactionHash;
      };
      if (when === "from the chain") void reject(payment, strangerSends);
      else
        facilitator.interpose(payment.payer.address, async (settle) => {
          facilitator.interpose(payment.payer.address, undefined);
          await strangerSends();
          return { status: 200, body: await settle() };
        });
      const key = payment.nonce;
      const { status, receipt } = await buyPatiently(service, payment, undefined, { key });
      expect({ status, receipt }).toMatchObject({ status: 200, receipt: { success: true, transaction: sent } });
      expect(await moved(payment)).toBe(PRICE);

      await chain.mint(payment.payer.address, PRICE);
      const anew = await newPayment(service, payment.payer);
      const again = await buy(service, anew, undefined, { key, path: `/${payment.nonce}.pdf` });
      expect(again, "the payer is not charged for the new payment").toMatchObject({
        status: 200,
        receipt: { transaction: sent },
      });
      expect(await chain.balanceOf(payment.payer.address)).toBe(PRICE);
    },
  );

  /**
   * Creates a payment that the chain has rejected because the wallet was empty. Returns the payment, the pending call
   * `first`, and a function that pays again under the call's idempotency key.
   */
  const rejected = async () => {
    const service = services["with a node"];
    const payment = await newPayment(service);
    const named = { key: payment.nonce, path: `/${payment.nonce}.pdf` };
    const rejection = reject(payment, () => chain.burn(payment.payer.address, PRICE));
    const first = buyPatiently(service, payment, undefined, named);
    expect(await rejection).toBe("reverted");
    await chain.mint(payment.payer.address, 2n * PRICE);
    const anew = await newPayment(service, payment.payer);
    return { payment, first, again: () => buyPatiently(service, anew, undefined, named) };
  };

  test.concurrent("a stranger who submits a rejected payment later cannot make the payer pay twice with one idempotency key", async () => {
    const { payment, first, again } = await rejected();
    const second = again();
    const { transactionHash: transaction } = await chain.send(payment.signed);
    const paid = { status: 200, receipt: { success: true, transaction } };
    expect(await Promise.all([first, second])).toMatchObject([paid, paid]);
    expect(await chain.balanceOf(payment.payer.address)).toBe(PRICE);
  });

  test.concurrent("a payer who cancels a rejected payment can pay again with the same idempotency key", async () => {
    const { payment, first, again } = await rejected();
    await chain.cancel(payment.payer, payment.nonce);
    expect(await first).toMatchObject({ status: 402, receipt: { success: false } });
    expect(await again()).toMatchObject({ status: 200, receipt: { success: true } });
    expect(await chain.balanceOf(payment.payer.address)).toBe(PRICE);
  });

  test.concurrent("a payer who spends a rejected payment at another service gets nothing from the first service", async () => {
    const { payment, first } = await rejected();
    expect(await buy(services["without a node"], payment)).toMatchObject({ status: 200 });
    expect(await first).toMatchObject({ status: 402, receipt: { success: false } });
    expect(await chain.balanceOf(payment.payer.address)).toBe(PRICE);
  });

  test.concurrent("a payer whose settlement answer is lost gets the result, with a receipt for the on-chain transaction", async () => {
    const payment = await newPayment(services["with a node"]);
    losesAnswer(payment);
    const { status, receipt } = await buy(services["with a node"], payment);
    expect([status, receipt?.success, await moved(payment)]).toEqual([200, true, PRICE]);
    expect(await succeeded(receipt!.transaction)).toBe(true);
    const signed = { payer: payment.payer.address, transaction: receipt!.transaction };
    expect(receipt).toMatchObject({ extensions: { "offer-receipt": { info: { receipt: { payload: signed } } } } });
  });

  test.concurrent.each([
    ["invalid_exact_evm_failed_to_get_receipt", "its transaction"],
    ["settle_exact_node_failure", ""],
    ["HTTP request failed. Status: 502", ""],
  ])(
    'a payer gets the result if the facilitator settles but reports "%s", because its node\'s answer was lost',
    async (errorReason, named) => {
      const payment = await newPayment(services["with a node"]);
      facilitator.interpose(payment.payer.address, async (settle) => {
        facilitator.interpose(payment.payer.address, undefined);
        const { transaction, network } = (await settle()) as Record<string, string>;
        return { status: 200, body: { success: false, errorReason, network, transaction: named && transaction } };
      });
      const { status, receipt } = await buyPatiently(services["with a node"], payment, undefined, {
        key: payment.nonce,
      });
      expect([status, receipt?.success, await moved(payment)]).toEqual([200, true, PRICE]);
      expect(await succeeded(receipt!.transaction)).toBe(true);
    },
  );

  test.concurrent("a service without a node trusts the facilitator, and its unsigned receipt notes the lost settlement answer", async () => {
    const payment = await newPayment(services["without a node"]);
    losesAnswer(payment);
    const { status, receipt } = await buy(services["without a node"], payment);
    expect([status, receipt]).toMatchObject([
      200,
      { success: true, transaction: "", extra: { note: expect.stringContaining("lost") } },
    ]);
    expect(receipt).not.toHaveProperty("extensions");
    expect(await moved(payment)).toBe(PRICE);
  });

  test("a receipt names the transaction that is on the chain after a reorganization", async () => {
    const payment = await newPayment(services["with a node"]);
    losesAnswer(payment, async () => {
      await chain.reorganize(facilitator.account);
      expect(await moved(payment)).toBe(0n);
    });
    const { status, receipt } = await buy(services["with a node"], payment);
    expect([status, receipt?.success, await moved(payment)]).toEqual([200, true, PRICE]);
    expect(await succeeded(receipt!.transaction)).toBe(true);
  });

  test("a payer gets nothing if the facilitator refuses a connection and then reports insufficient funds", async () => {
    const payment = await newPayment(services["without a node"]);
    const { port } = new URL(facilitator.url);
    const bankrupt = createServer((_, response) =>
      response.end(JSON.stringify({ success: false, errorReason: "insufficient_funds", transaction: "" })),
    );
    try {
      const answer = await buy(services["without a node"], payment, async () => {
        await facilitator.stop();
        setTimeout(() => bankrupt.listen(Number(port), "127.0.0.1"), 1500);
      });
      expect(answer).toMatchObject({ status: 402, receipt: { success: false } });
    } finally {
      bankrupt.closeAllConnections();
      bankrupt.close();
    }
  });
});
