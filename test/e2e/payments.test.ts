import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from "@x402/core/http";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/client";
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig, x402Client } from "@x402/fetch";
import type { LocalAccount } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { result } from "../../src/service/request/schemas.ts";
import { pngOf } from "../support/png.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { strict402 } from "../support/x402.ts";
import { type Chain, startChain } from "./chain/anvil.ts";
import { startFacilitator } from "./chain/facilitator.ts";

const PAY_TO = "0x00000000000000000000000000000000c0ffee00";
const PRICE = 50_000n;

let chain: Chain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
let worker: StartedWorker;
let sample: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  chain = await startChain();
  facilitator = await startFacilitator(chain);
  sample = new Uint8Array(await samplePdf());
  worker = await startWorker({ FACILITATOR_URL: facilitator.url, PAY_TO, FACILITATOR_TIMEOUT_SECONDS: "20" });
});
afterAll(async () => {
  await worker?.stop();
  await facilitator?.stop();
  await chain?.stop();
});

type Kind = "text" | "image";
const endpoint = (kind: Kind) => `${worker.url}/v1/watermark/${kind}`;
const request = (kind: Kind): RequestInit => {
  const form = new FormData();
  form.set("file", new File([sample], "sample.pdf"));
  if (kind === "text") form.set("text", "PAID");
  else form.set("image", new File([pngOf(8, 8, [255, 0, 255])], "m.png"));
  return { method: "POST", body: form };
};

/** Runs `act`. Returns its result, and the increase of the owner's balance. */
async function gained<T>(owner: string, act: () => Promise<T>): Promise<{ gain: bigint; value: T }> {
  const before = await chain.balanceOf(owner);
  const value = await act();
  return { gain: (await chain.balanceOf(owner)) - before, value };
}

async function delivered(response: Response): Promise<number> {
  expect(response.status).toBe(200);
  const { output } = result.parse(await response.json());
  const download = await fetch(output.url);
  expect(download.status).toBe(200);
  return (await download.bytes()).length;
}

/** Pays with the official client of x402 version 2. */
const clientV2 = (account: LocalAccount) =>
  wrapFetchWithPaymentFromConfig(fetch, { schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }] });

/** Returns the payment headers of an x402 version 2 client, which a test can send several times. */
async function signV2(account: LocalAccount, kind: Kind): Promise<Record<string, string>> {
  const refused = await fetch(endpoint(kind), { method: "POST" });
  const client = x402Client.fromConfig({ schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }] });
  const terms = decodePaymentRequiredHeader(refused.headers.get("PAYMENT-REQUIRED")!);
  return { "PAYMENT-SIGNATURE": encodePaymentSignatureHeader(await client.createPaymentPayload(terms)) };
}

/**
 * Returns the payment header of an x402 version 1 client. Parses the 402 as strictly as the official client, and signs
 * with that client's code.
 */
async function signV1(account: LocalAccount, kind: Kind): Promise<Record<string, string>> {
  const refused = await fetch(endpoint(kind), { method: "POST" });
  const [offer] = strict402.parse(await refused.json()).accepts;
  const payment = await new ExactEvmSchemeV1(account).createPaymentPayload(1, offer as never);
  return { "X-PAYMENT": btoa(JSON.stringify(payment)) };
}
const clientV1 = (account: LocalAccount) => async (_: string, init: RequestInit, kind: Kind) =>
  fetch(endpoint(kind), { ...init, headers: await signV1(account, kind) });

describe("payments on a local chain through the official facilitator", () => {
  test.each([
    ["version 2", clientV2, "PAYMENT-RESPONSE", "eip155:84532"],
    ["version 1", clientV1, "X-PAYMENT-RESPONSE", "base-sepolia"],
  ] as const)("a %s client buys one result of each operation for 0.05 USDC", async (_, client, header, network) => {
    const payer = await chain.payerWith(2n * PRICE);
    const pay = client(payer);
    for (const kind of ["text", "image"] as const) {
      const { gain, value: response } = await gained(PAY_TO, () => pay(endpoint(kind), request(kind), kind));
      expect(gain).toBe(PRICE);
      const receipt = decodePaymentResponseHeader(response.headers.get(header)!);
      expect(receipt).toMatchObject({ success: true, network, payer: payer.address });
      const { status } = await chain.client.getTransactionReceipt({ hash: receipt.transaction as `0x${string}` });
      expect(status).toBe("success");
      expect(await delivered(response)).toBeGreaterThan(sample.length);
    }
    expect(await chain.balanceOf(payer.address)).toBe(0n);
  });

  test("the service answers 402 to a payer with too little money, and does not settle the payment", async () => {
    const payer = await chain.payerWith(PRICE - 1n);
    const settled = facilitator.calls.settle;
    const { gain, value: response } = await gained(PAY_TO, async () => {
      const payment = await signV1(payer, "text");
      return fetch(endpoint("text"), { ...request("text"), headers: payment });
    });
    expect(response.status).toBe(402);
    expect(gain).toBe(0n);
    expect(facilitator.calls.settle).toBe(settled);
  });

  test("a failed request costs nothing, and its payment can be used for another result", async () => {
    const payer = await chain.payerWith(PRICE);
    const payment = await signV1(payer, "text");
    const call = (text: string) => {
      const form = new FormData();
      form.set("file", new File([text], "sample.pdf"));
      form.set("text", "PAID");
      return fetch(endpoint("text"), { method: "POST", body: form, headers: payment });
    };
    const failed = await gained(PAY_TO, () => call("no PDF"));
    expect([failed.value.status, failed.gain]).toEqual([422, 0n]);
    const paid = await gained(PAY_TO, () => fetch(endpoint("text"), { ...request("text"), headers: payment }));
    expect([paid.value.status, paid.gain]).toEqual([200, PRICE]);
  });

  test.each([
    ["version 1", signV1],
    ["version 2", signV2],
  ])("a %s payment whose settlement answer is lost is charged once and buys one result", async (_, sign) => {
    const payer = await chain.payerWith(2n * PRICE);
    const payment = { ...(await sign(payer, "text")), "Idempotency-Key": payer.address };
    const call = () => fetch(endpoint("text"), { ...request("text"), headers: payment });
    facilitator.loseNextAnswer("cut");
    const { gain, value: first } = await gained(PAY_TO, call);
    expect(gain).toBe(PRICE);
    const again = await gained(PAY_TO, call);
    expect(again.gain).toBe(0n);
    expect(await again.value.json()).toEqual(await first.clone().json());
    expect(await delivered(first)).toBeGreaterThan(sample.length);
  });

  test("a restarted Worker completes a settlement that it began before the restart", async () => {
    const payer = await chain.payerWith(2n * PRICE);
    const settings = { FACILITATOR_URL: facilitator.url, PAY_TO, FACILITATOR_TIMEOUT_SECONDS: "1" };
    const state = await mkdtemp(join(tmpdir(), "overprint-"));
    try {
      const payment = { ...(await signV1(payer, "text")), "Idempotency-Key": payer.address };
      const call = ({ url }: StartedWorker) =>
        fetch(`${url}/v1/watermark/text`, { ...request("text"), headers: payment });

      const first = await startWorker(settings, { keptState: state });
      facilitator.loseNextAnswer("hold");
      const { gain } = await gained(PAY_TO, async () => {
        const before = await chain.balanceOf(PAY_TO);
        const lost = call(first).catch(() => undefined);
        await vi.waitUntil(async () => (await chain.balanceOf(PAY_TO)) > before, 10_000);
        await first.stop();
        await lost;
      });
      expect(gain).toBe(PRICE);

      const second = await startWorker(settings, { keptState: state });
      try {
        const again = await gained(PAY_TO, () => call(second));
        expect([again.value.status, again.gain]).toEqual([200, 0n]);
        const { output } = result.parse(await again.value.json());
        const { pathname, search } = new URL(output.url);
        expect((await fetch(second.url + pathname + search)).status).toBe(200);
      } finally {
        await second.stop();
      }
    } finally {
      await rm(state, { recursive: true, force: true });
    }
  });

  test("fifty concurrent calls with the same payment cause one settlement and get identical answers", async () => {
    const payer = await chain.payerWith(2n * PRICE);
    const payment = { ...(await signV1(payer, "text")), "Idempotency-Key": payer.address };
    const settled = facilitator.calls.settle;
    const { gain, value: answers } = await gained(PAY_TO, () =>
      Promise.all(
        Array.from({ length: 50 }, async () => {
          const response = await fetch(endpoint("text"), { ...request("text"), headers: payment });
          return { status: response.status, text: await response.text() };
        }),
      ),
    );
    expect(gain).toBe(PRICE);
    expect(facilitator.calls.settle).toBe(settled + 1);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(200);
  });
});
