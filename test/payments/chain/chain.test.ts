import { describe, expect, test } from "vitest";
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
/** Who has sent the transaction. */
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

/** A chain with a block every two seconds since T, and one transaction of the token. */
interface Scene {
  /** The newest block. */
  newest?: number;
  /** The block of the transaction, and what it logs. */
  block?: number;
  logs?: { topics: string[]; data?: string; address?: string }[];
  status?: string;
  /** Instead of an answer. */
  broken?: object;
  /** What the node's address begins with. */
  before?: string;
}

/** What the chain proves at some time after a first attempt at T + 100. */
async function evidence({ newest = 60, block = 55, logs = [], status = "0x1", broken, before = "" }: Scene) {
  const known = logs.map((log, at) => ({
    address: asset.toLowerCase(),
    data: "0x",
    ...log,
    logIndex: toHex(at + 7),
    blockNumber: toHex(block),
    transactionHash: HASH,
  }));
  const scene = {
    newest,
    start: T,
    seconds: 2,
    consumedAt: logs.length > 0 ? block : Number.MAX_SAFE_INTEGER,
    logs: known.filter(({ topics }) => topics[2] === nonce),
    receipt: { status, from: SENDER, logs: known },
    ...(broken && { broken }),
  };
  const events: PaymentEvent[] = [];
  const url = `https://node.example.com/${before}${encodeURIComponent(btoa(JSON.stringify(scene)))}`;
  const found = await evidenceOf(payment, (T + 100) * 1000, url, { ...SILENT, log: (event) => events.push(event) });
  return { found, events };
}
const proves = async (scene: Scene) => (await evidence(scene)).found;
const settled = { outcome: "settled", transaction: HASH, sender: SENDER.toLowerCase() };
const lost = (reason: string) => ({ outcome: "lost", reason: expect.stringContaining(reason) });

describe("what the chain proves of a payment", () => {
  test("it is settled by its own transfer, once a block lies on it", async () => {
    const logs = [used, transfer()];
    expect(await proves({ logs })).toEqual(settled);
    expect(await proves({ logs, newest: 56 })).toEqual(settled);
    expect(await proves({ logs, newest: 55 })).toBeUndefined();
  });

  test("logs of other contracts in between do not matter", async () => {
    expect(await proves({ logs: [used, { ...transfer(), address: `0x${"ee".repeat(20)}` }, transfer()] })).toEqual(
      settled,
    );
    expect(await proves({ logs: [used, { ...transfer(), address: `0x${"ee".repeat(20)}` }] })).toEqual(lost("nonce"));
  });

  test.each([
    ["to somebody else", [used, transfer({ payee: from })]],
    ["of another amount", [used, transfer({ amount: "1" })]],
    ["of somebody else's money", [used, transfer({ payer: to })]],
    ["of another authorization, before it", [transfer(), used]],
    ["of another authorization, after its own", [used, transfer({ payee: from }), usedToo, transfer()]],
    ["of another authorization, its own being none", [used, usedToo, transfer()]],
  ])("it is lost if the transfer is %s", async (_, logs) => {
    expect(await proves({ logs })).toEqual(lost("nonce"));
  });

  test("it is lost if it was used before anybody was asked to settle it", async () => {
    const logs = [used, transfer()];
    expect(await proves({ logs, block: 49 })).toEqual(settled); // 98 s after T: clocks differ
    expect(await proves({ logs, block: 48 })).toEqual(lost("before"));
  });

  test("it is lost if it was canceled", async () => {
    expect(await proves({ logs: [canceled] })).toEqual(lost("canceled"));
    expect(await proves({ logs: [canceled], block: 1 }), "while the work was done").toEqual(lost("canceled"));
  });

  test("it is lost if it ran out, by the chain's clock, and was not used", async () => {
    expect(await proves({ newest: 151 })).toEqual(lost("ran out"));
    expect(await proves({ newest: 150 })).toBeUndefined();
    expect(await proves({ newest: 151, logs: [used, transfer()], block: 140 })).toEqual(settled);
  });

  test("a node that leads elsewhere proves nothing: it is not followed", async () => {
    const { found, events } = await evidence({ logs: [used, transfer()], before: "moved/" });
    expect(found).toBeUndefined();
    expect(events).toEqual([expect.objectContaining({ event: "chain", network: "base-sepolia" })]);
  });

  test.each([
    { error: { code: -32005, message: "limit exceeded" } },
    { result: null },
    { result: "0x" },
    { result: [] },
  ])("a node that answers %j proves nothing, and is logged", async (broken) => {
    const { found, events } = await evidence({ logs: [used, transfer()], broken });
    expect(found).toBeUndefined();
    expect(events).toEqual([expect.objectContaining({ event: "chain", network: "base-sepolia" })]);
  });
});
