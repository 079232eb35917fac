import { afterEach, describe, expect, test, vi } from "vitest";
import { evidenceOf } from "../../../src/payments/chain/chain.ts";
import type { PaymentEvent } from "../../../src/payments/wire/events.ts";
import { NETWORKS } from "../../../src/payments/wire/networks.ts";
import { paymentFrom, SILENT } from "../payments.ts";

const T = 2_000_000_000;
const payment = await paymentFrom({ validBefore: T + 300 });
const { from, to, value, nonce } = payment.authorization;
const { asset } = NETWORKS["base-sepolia"];

const USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
const CANCELED = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** Address of the sender of the transaction. */
const SENDER = `0x${"Fa".repeat(20)}`;
const HASH = `0x${"cd".repeat(32)}`;
const word = (hex: string) => `0x${hex.slice(2).toLowerCase().padStart(64, "0")}`;
const toHex = (number: number) => `0x${number.toString(16)}`;

const used = { topics: [USED, word(from), nonce] };
const usedToo = { topics: [USED, word(from), word("0x1")] };
const canceled = { topics: [CANCELED, word(from), nonce] };
const transfer = ({ payer = from, payee = to, amount = value } = {}) => ({
  topics: [TRANSFER, word(payer), word(payee)],
  data: word(toHex(Number(amount))),
});

/**
 * A simulated chain and its node. The chain has had a block every two seconds since T, and contains a single
 * transaction of the token.
 */
interface Scene {
  /** Number of the newest block. */
  newest?: number;
  /** Number of the block that contains the transaction. */
  block?: number;
  logs?: { topics: string[]; data?: string; address?: string }[];
  status?: string;
  /** A broken answer that replaces the node's right answer. */
  broken?: object;
  /** Prefix of the path in the node's URL. */
  before?: string;
  /** Lead of the Worker's clock over the chain's clock, in seconds. */
  aheadSeconds?: number;
}

afterEach(() => {
  vi.useRealTimers();
});

/**
 * Returns the evidence for a payment and the logged events. The chain's clock is at T + 120. The first settlement
 * attempt was at T + 100.
 */
async function evidence(scene: Scene) {
  const { newest = 60, block = 55, logs = [], status = "0x1", broken, before = "", aheadSeconds = 0 } = scene;
  vi.useFakeTimers({ toFake: ["Date"], now: (T + 120 + aheadSeconds) * 1000 });
  const known = logs.map((log, at) => ({
    address: asset.toLowerCase(),
    data: "0x",
    ...log,
    logIndex: toHex(at + 7),
    blockNumber: toHex(block),
    transactionHash: HASH,
  }));
  const node = {
    newest,
    start: T,
    seconds: 2,
    consumedAt: logs.length > 0 ? block : Number.MAX_SAFE_INTEGER,
    logs: known.filter(({ topics }) => topics[2] === nonce),
    receipt: { status, from: SENDER, logs: known },
    ...(broken && { broken }),
  };
  const events: PaymentEvent[] = [];
  const url = `https://node.example.com/${before}${encodeURIComponent(btoa(JSON.stringify(node)))}`;
  const firstAsked = (T + 100 + aheadSeconds) * 1000;
  const found = await evidenceOf(payment, firstAsked, url, { ...SILENT, log: (event) => events.push(event) });
  return { found, events };
}
const proves = async (scene: Scene) => (await evidence(scene)).found;
const settled = { outcome: "settled", transaction: HASH, sender: SENDER.toLowerCase() };
const lost = (reason: string) => ({ outcome: "lost", reason: expect.stringContaining(reason) });

describe("evidenceOf on an EVM chain", () => {
  test("an EVM payment is reported as settled once a block follows the block of its transfer", async () => {
    const logs = [used, transfer()];
    expect(await proves({ logs })).toEqual(settled);
    expect(await proves({ logs, newest: 56 })).toEqual(settled);
    expect(await proves({ logs, newest: 55 })).toBeUndefined();
  });

  test("the search for an EVM payment ignores logs of other contracts between its authorization and its transfer", async () => {
    expect(await proves({ logs: [used, { ...transfer(), address: `0x${"ee".repeat(20)}` }, transfer()] })).toEqual(
      settled,
    );
    expect(await proves({ logs: [used, { ...transfer(), address: `0x${"ee".repeat(20)}` }] })).toEqual(lost("nonce"));
  });

  test.each([
    ["to somebody else", [used, transfer({ payee: from })]],
    ["of another amount", [used, transfer({ amount: "1" })]],
    ["of another payer's money", [used, transfer({ payer: to })]],
    ["before the authorization's use", [transfer(), used]],
    ["of another authorization, after a wrong one", [used, transfer({ payee: from }), usedToo, transfer()]],
    ["of another authorization only", [used, usedToo, transfer()]],
  ])("an EVM payment is reported as lost if the transfer is %s", async (_, logs) => {
    expect(await proves({ logs })).toEqual(lost("nonce"));
  });

  test("an EVM payment is reported as lost if it was used before the first settlement attempt", async () => {
    const logs = [used, transfer()];
    // Block 47 is 94 s after T, within the tolerated clock difference.
    expect(await proves({ logs, block: 47 })).toEqual(settled);
    expect(await proves({ logs, block: 46 })).toEqual(lost("before"));
  });

  test.each([
    { clock: "ten minutes ahead of", aheadSeconds: 600 },
    { clock: "ten minutes behind", aheadSeconds: -600 },
  ])(
    "an EVM payment is reported as settled if the Worker's clock is $clock the chain's clock",
    async ({ aheadSeconds }) => {
      expect(await proves({ logs: [used, transfer()], aheadSeconds })).toEqual(settled);
    },
  );

  test("an EVM payment that was used before the first attempt is reported as lost, even if the Worker's clock is ahead", async () => {
    const logs = [used, transfer()];
    expect(await proves({ logs, block: 47, aheadSeconds: 600 })).toEqual(settled);
    expect(await proves({ logs, block: 46, aheadSeconds: 600 })).toEqual(lost("before"));
  });

  test("a canceled EVM payment is reported as lost", async () => {
    expect(await proves({ logs: [canceled] })).toEqual(lost("canceled"));
    expect(await proves({ logs: [canceled], block: 1 }), "canceled before the first attempt").toEqual(lost("canceled"));
  });

  test("an unused EVM payment is reported as lost once it has expired by the chain's clock", async () => {
    expect(await proves({ newest: 151 })).toEqual(lost("expired"));
    expect(await proves({ newest: 150 })).toBeUndefined();
    expect(await proves({ newest: 151, logs: [used, transfer()], block: 140 })).toEqual(settled);
  });

  test("a request to an EVM node does not follow a redirect, and its failure is logged", async () => {
    const { found, events } = await evidence({ logs: [used, transfer()], before: "moved/" });
    expect(found).toBeUndefined();
    expect(events).toEqual([expect.objectContaining({ event: "chain", network: "base-sepolia" })]);
  });

  test.each([
    { error: { code: -32005, message: "limit exceeded" } },
    { result: null },
    { result: "0x" },
    { result: [] },
  ])("an EVM payment stays undecided, and an event is logged, if the EVM node answers %j", async (broken) => {
    const { found, events } = await evidence({ logs: [used, transfer()], broken });
    expect(found).toBeUndefined();
    expect(events).toEqual([expect.objectContaining({ event: "chain", network: "base-sepolia" })]);
  });
});
