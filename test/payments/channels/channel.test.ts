import { expect, test } from "vitest";
import { CONTRACT, PRICE, TestPayer } from "../channels.ts";
import { TestChannel } from "./channelWorld.ts";

const HOUR = 3_600_000;
const opened = async (calls = 10) => {
  const payer = new TestPayer();
  const channel = new TestChannel(payer);
  await channel.open(calls);
  return { payer, channel };
};
const charged = (calls: number) => String(calls * PRICE);
/** Sells calls number `from` to `to`. */
const sellAll = async ({ payer, channel }: Awaited<ReturnType<typeof opened>>, from: number, to: number) => {
  for (let call = from; call <= to; call++)
    expect((await channel.sell(await payer.voucher(call * PRICE))).status).toBe("sold");
};

test("sells the first call with a deposit, and further calls without a facilitator", async () => {
  const { payer, channel } = await opened();
  expect(channel.chain.calls).toEqual({ verify: 1, deposit: 1 });
  const sold = await channel.sell(await payer.voucher(2 * PRICE));
  expect(sold).toMatchObject({
    status: "sold",
    isRepeat: false,
    receipt: {
      transaction: "",
      amount: "",
      extra: { chargedAmount: "50000", channelState: { balance: charged(10), chargedCumulativeAmount: charged(2) } },
    },
  });
  expect(channel.chain.calls).toEqual({ verify: 1, deposit: 1 });
});

test("reports the deposit in the receipt of the first call", async () => {
  const payer = new TestPayer();
  const channel = new TestChannel(payer);
  expect(await channel.sell(await payer.deposit(10 * PRICE, PRICE))).toMatchObject({
    status: "sold",
    receipt: { transaction: "0x-deposit", amount: charged(10), extra: { chargedAmount: "50000" } },
  });
});

test("charges nothing for failed work, and sells the same voucher again", async () => {
  const { payer, channel } = await opened();
  const voucher = await payer.voucher(2 * PRICE);
  const reserved = await channel.reserve(voucher);
  if (reserved.status !== "reserved") throw new Error(reserved.status);
  await channel.release(reserved.id);
  expect(channel.record).toMatchObject({ charged: charged(1), signedMax: charged(1) });
  expect((await channel.sell(voucher)).status).toBe("sold");
  expect(channel.record?.charged).toBe(charged(2));
});

test("forgets a channel whose first call fails", async () => {
  const payer = new TestPayer();
  const channel = new TestChannel(payer);
  const reserved = await channel.reserve(await payer.deposit(10 * PRICE, PRICE));
  if (reserved.status === "reserved") await channel.release(reserved.id);
  expect(channel.record).toBe(undefined);
});

test("returns the lost answer unchanged to the same voucher, and charges it once", async () => {
  const { payer, channel } = await opened();
  const voucher = await payer.voucher(2 * PRICE);
  const sold = await channel.sell(voucher, { keyHash: "key" });
  if (sold.status !== "sold" || !("receipt" in sold)) throw new Error(sold.status);
  for (const options of [{}, { key: "key" }])
    expect(await channel.reserve(voucher, options)).toMatchObject({
      status: "known",
      isProven: true,
      sold: { receipt: sold.receipt },
    });
  expect(channel.record?.charged).toBe(charged(2));
});

test("returns the result under its key to a later voucher, and charges nothing", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { keyHash: "key" });
  expect(await channel.reserve(await payer.voucher(3 * PRICE), { key: "key" })).toMatchObject({
    status: "known",
    isKey: true,
    current: { extra: { chargedAmount: "0", channelState: { chargedCumulativeAmount: charged(2) } } },
  });
  expect(channel.record?.charged).toBe(charged(2));
});

test("charges repeated content once within ten minutes, and again later", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { digest: "content" });
  const voucher = await payer.voucher(3 * PRICE);
  const repeated = await channel.sell(voucher, { digest: "content" });
  expect(repeated).toMatchObject({ status: "sold", isRepeat: true, receipt: { extra: { chargedAmount: "0" } } });
  expect(channel.record?.charged).toBe(charged(2));
  expect(channel.deleted).toHaveLength(1);
  await channel.pass(600_000);
  expect(await channel.sell(voucher, { digest: "content" })).toMatchObject({ status: "sold", isRepeat: false });
});

test("adds a deposit whose call repeats content, and charges nothing for the call", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { digest: "content" });
  const repeated = await channel.sell(await payer.deposit(10 * PRICE, 3 * PRICE), { digest: "content" });
  expect(repeated).toMatchObject({
    status: "sold",
    isRepeat: true,
    receipt: { transaction: "0x-deposit", extra: { chargedAmount: "0", channelState: { balance: charged(20) } } },
  });
});

test("accepts a deposit again whose call was not charged, and does not send it a second time", async () => {
  const { channel, payer } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { digest: "content" });
  const deposit = await payer.deposit(10 * PRICE, 3 * PRICE);
  await channel.sell(deposit, { digest: "content" });
  const { calls } = channel.chain;
  const before = { ...calls };
  const repeated = await channel.sell(deposit, { digest: "content" });
  expect(repeated).toMatchObject({ status: "sold", isRepeat: true, receipt: { extra: { chargedAmount: "0" } } });
  const sold = await channel.sell(deposit, { digest: "other content" });
  expect(sold).toMatchObject({
    status: "sold",
    isRepeat: false,
    receipt: { extra: { chargedAmount: "50000", channelState: { balance: charged(20) } } },
  });
  expect(calls).toEqual(before);
  expect(await channel.reserve(deposit)).toMatchObject({ status: "known", sold: { max: charged(3) } });
});

test("charges a key once, although its second call adds a deposit", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { keyHash: "key", fingerprint: "request" });
  const deposit = await payer.deposit(10 * PRICE, 3 * PRICE);
  expect(await channel.sell(deposit, { keyHash: "key", fingerprint: "request" })).toMatchObject({
    status: "sold",
    isRepeat: true,
    receipt: { transaction: "0x-deposit", extra: { chargedAmount: "0" } },
  });
  expect(channel.record?.charged).toBe(charged(2));
});

test("sends no deposit for a key that has bought another request", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { keyHash: "key", fingerprint: "request" });
  const deposit = await payer.deposit(10 * PRICE, 3 * PRICE);
  expect(await channel.sell(deposit, { keyHash: "key", fingerprint: "other" })).toEqual({ status: "reused" });
  expect(channel.chain.calls.deposit).toBe(1);
  expect(channel.record).toMatchObject({ charged: charged(2) });
  expect(channel.record?.pending).toBe(undefined);
});

test("charges nothing and deletes the output if the earlier result cannot be looked up", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { digest: "content" });
  channel.storageFails = true;
  await expect(channel.sell(await payer.voucher(3 * PRICE), { digest: "content" })).rejects.toThrow("storage");
  expect(channel.deleted).toHaveLength(1);
  expect(channel.record).toMatchObject({ charged: charged(2) });
  expect(channel.record?.pending).toBe(undefined);
});

test("never shows the unused voucher of a repeated call", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { digest: "content" });
  await channel.sell(await payer.voucher(3 * PRICE), { digest: "content" });
  expect(await channel.reserve(await payer.voucher(7 * PRICE))).toMatchObject({
    status: "mismatch",
    correction: { voucherState: { signedMaxClaimable: charged(2) } },
  });
});

test("does not take a used voucher as proof once a claim or an answer has shown it", async () => {
  const { payer, channel } = await opened();
  const used = await payer.voucher(2 * PRICE);
  await channel.sell(used, { keyHash: "key" });
  expect((await channel.reserve(await payer.voucher(7 * PRICE))).status).toBe("mismatch");
  expect(await channel.reserve(used)).toMatchObject({ status: "known", isProven: false });
  expect(await channel.reserve(used, { key: "key" })).toMatchObject({ status: "known", isProven: true });

  const claimed = await opened();
  const next = await claimed.payer.voucher(2 * PRICE);
  await claimed.channel.sell(next);
  await claimed.channel.pass(HOUR);
  expect(await claimed.channel.reserve(next)).toMatchObject({ status: "known", isProven: false });
});

test("answers a voucher that does not continue the last one with the state and the last voucher", async () => {
  const { payer, channel } = await opened();
  const last = await payer.voucher(2 * PRICE);
  await channel.sell(last);
  for (const max of [PRICE / 2, 5 * PRICE])
    expect(await channel.reserve(await payer.voucher(max))).toEqual({
      status: "mismatch",
      correction: {
        channelState: {
          channelId: payer.channelId,
          balance: charged(10),
          totalClaimed: "0",
          withdrawRequestedAt: 0,
          refundNonce: "0",
          chargedCumulativeAmount: charged(2),
        },
        voucherState: { signedMaxClaimable: charged(2), signature: last.voucher.signature },
      },
    });
});

test("reports a mismatch to a client whose second deposit has a voucher for the amount that is already charged", async () => {
  const { payer, channel } = await opened();
  expect((await channel.reserve(await payer.deposit(10 * PRICE, PRICE))).status).toBe("mismatch");
});

test("lets a second call wait for the first one, and then returns what their voucher has bought", async () => {
  const { payer, channel } = await opened();
  const voucher = await payer.voucher(2 * PRICE);
  const first = await channel.reserve(voucher);
  const second = channel.reserve(await payer.voucher(2 * PRICE), { waitMs: 25_000 });
  if (first.status !== "reserved") throw new Error(first.status);
  const sold = await channel.commit(first.id);
  if (sold.status !== "sold") throw new Error(sold.status);
  expect(await second).toMatchObject({ status: "known", sold: { fingerprint: sold.sold.fingerprint } });
});

test("returns the result of a deposit to the calls that sent the same deposit at the same moment", async () => {
  const payer = new TestPayer();
  const channel = new TestChannel(payer);
  const deposit = await payer.deposit(10 * PRICE, PRICE);
  const first = await channel.reserve(deposit);
  const others = [1, 2, 3].map(() => channel.reserve(deposit, { waitMs: 25_000 }));
  await new Promise((resolve) => setTimeout(resolve));
  if (first.status !== "reserved") throw new Error(first.status);
  expect((await channel.commit(first.id, { digest: "content" })).status).toBe("sold");
  for (const other of await Promise.all(others)) expect(other).toMatchObject({ status: "known", isProven: true });
  expect(await channel.reserve(deposit)).toMatchObject({ status: "known", isProven: true });
});

test("reports a channel as busy if a second call has waited too long", async () => {
  const { payer, channel } = await opened();
  await channel.reserve(await payer.voucher(2 * PRICE));
  const second = channel.reserve(await payer.voucher(2 * PRICE), { waitMs: 25_000 });
  await new Promise((resolve) => setTimeout(resolve));
  await channel.pass(25_000);
  expect((await second).status).toBe("busy");
});

test("lets only one of two waiting calls use the channel", async () => {
  const { payer, channel } = await opened();
  const first = await channel.reserve(await payer.voucher(2 * PRICE));
  const waiting = [1, 2].map(async () => channel.reserve(await payer.voucher(2 * PRICE), { waitMs: 25_000 }));
  await new Promise((resolve) => setTimeout(resolve, 20)); // until both have signed
  if (first.status === "reserved") await channel.release(first.id);
  await new Promise((resolve) => setTimeout(resolve));
  await channel.pass(25_000);
  expect((await Promise.all(waiting)).map(({ status }) => status).toSorted()).toEqual(["busy", "reserved"]);
});

test("frees a channel whose call has died, and does not commit the dead call", async () => {
  const { payer, channel } = await opened();
  const voucher = await payer.voucher(2 * PRICE);
  const dead = await channel.reserve(voucher);
  channel.restart();
  await channel.pass(480_000);
  const next = await channel.reserve(voucher);
  if (dead.status !== "reserved" || next.status !== "reserved") throw new Error("not reserved");
  expect((await channel.commit(dead.id)).status).toBe("lost");
  expect(channel.deleted).toHaveLength(1);
  expect((await channel.commit(next.id)).status).toBe("sold");
});

test("corrects a client whose voucher exceeds the balance, and then refuses the voucher", async () => {
  const all = await opened();
  await sellAll(all, 2, 10);
  const { payer, channel } = all;
  const voucher = await payer.voucher(11 * PRICE);
  for (let round = 1; round <= 2; round++) {
    expect(await channel.reserve(voucher)).toMatchObject({
      status: "mismatch",
      correction: { channelState: { balance: charged(10), chargedCumulativeAmount: charged(10) } },
    });
    expect(await channel.reserve(voucher)).toMatchObject({
      status: "refused",
      reason: expect.stringContaining("cumulative_exceeds_balance"),
    });
  }
});

test("sells for a deposit that somebody else has made", async () => {
  const all = await opened();
  await sellAll(all, 2, 10);
  const { payer, channel } = all;
  channel.chain.snapshot = { ...channel.chain.snapshot, balance: charged(20) };
  expect((await channel.sell(await payer.voucher(11 * PRICE))).status).toBe("sold");
});

test("continues with a top-up", async () => {
  const all = await opened();
  await sellAll(all, 2, 10);
  const { payer, channel } = all;
  expect((await channel.sell(await payer.deposit(10 * PRICE, 11 * PRICE))).status).toBe("sold");
  expect(channel.record).toMatchObject({ charged: charged(11), snapshot: { balance: charged(20) } });
});

test("asks a facilitator about each voucher of a contract", async () => {
  const payer = new TestPayer(CONTRACT);
  const channel = new TestChannel(payer);
  await channel.open();
  await channel.sell(await payer.voucher(2 * PRICE));
  expect(channel.chain.calls.verify).toBe(2);
  channel.chain.isAway = true;
  expect((await channel.reserve(await payer.voucher(3 * PRICE))).status).toBe("unavailable");
});

test("continues from the client's state if its own is lost, once a facilitator confirms it", async () => {
  const all = await opened();
  await sellAll(all, 2, 3);
  const { payer, channel } = all;
  channel.loseState();
  channel.chain.isAway = true;
  expect((await channel.reserve(await payer.voucher(4 * PRICE))).status).toBe("unavailable");
  channel.chain.isAway = false;
  expect((await channel.sell(await payer.voucher(4 * PRICE))).status).toBe("sold");
  await channel.pass(HOUR);
  expect(channel.chain.snapshot.totalClaimed).toBe(charged(4));
});

test("starts at what is claimed if both sides have lost their state", async () => {
  const all = await opened();
  await sellAll(all, 2, 3);
  const { payer, channel } = all;
  await channel.pass(HOUR);
  await sellAll(all, 4, 5);
  channel.loseState();
  expect((await channel.sell(await payer.voucher(4 * PRICE))).status).toBe("sold");
  channel.loseState();
  expect(await channel.reserve(await payer.voucher(2 * PRICE))).toMatchObject({ status: "refused" });
  expect(await channel.reserve(await payer.voucher(3.5 * PRICE))).toMatchObject({
    status: "mismatch",
    correction: { channelState: { chargedCumulativeAmount: charged(3) } },
  });
});

test("finds a deposit on the chain if the facilitator's answer is lost", async () => {
  const payer = new TestPayer();
  const channel = new TestChannel(payer);
  channel.chain.losesAnswers = true;
  const deposit = await payer.deposit(10 * PRICE, PRICE);
  const sold = await channel.sell(deposit);
  expect(sold).toMatchObject({ status: "sold", receipt: { transaction: "", amount: charged(10) } });
  expect(await channel.reserve(deposit)).toMatchObject({ status: "known", isProven: true });
  expect(channel.chain.snapshot.balance).toBe(charged(10));
});

test("keeps a deposit until its facilitator is back, and then sells its call once", async () => {
  const payer = new TestPayer();
  const channel = new TestChannel(payer);
  channel.now = Date.now();
  const deposit = await payer.deposit(10 * PRICE, PRICE);
  const reserved = await channel.reserve(deposit);
  if (reserved.status !== "reserved") throw new Error(reserved.status);
  channel.chain.isAway = true;
  expect((await channel.commit(reserved.id)).status).toBe("settling");
  channel.restart();
  expect((await channel.reserve(deposit)).status).toBe("settling");
  channel.chain.isAway = false;
  await channel.pass(10_000);
  expect(await channel.reserve(deposit)).toMatchObject({ status: "known", sold: { max: charged(1) } });
  expect(channel.chain.snapshot.balance).toBe(charged(10));
});

test("gives up a deposit whose authorization has expired, and deletes its output", async () => {
  const payer = new TestPayer();
  const channel = new TestChannel(payer);
  channel.now = Date.now();
  const reserved = await channel.reserve(await payer.deposit(10 * PRICE, PRICE));
  channel.chain.isAway = true;
  if (reserved.status === "reserved") await channel.commit(reserved.id);
  await channel.pass(400_000);
  expect(channel.record).toBe(undefined);
  expect(channel.deleted).toHaveLength(1);
});

test("refuses a call whose deposit fails", async () => {
  const payer = new TestPayer();
  const channel = new TestChannel(payer);
  const deposit = await payer.deposit(10 * PRICE, PRICE);
  const reserved = await channel.reserve(deposit);
  if (reserved.status !== "reserved") throw new Error(reserved.status);
  await channel.chain.facilitator("other").settle(JSON.stringify({ paymentPayload: { payload: deposit } }));
  channel.chain.snapshot = { ...channel.chain.snapshot, balance: "0" };
  expect(await channel.commit(reserved.id)).toEqual({ status: "refused", reason: "simulation_failed" });
  expect(channel.deleted).toHaveLength(1);
});

test("claims when one dollar is outstanding, and an hour after the first sale", async () => {
  const all = await opened(100);
  await sellAll(all, 2, 19);
  const { channel } = all;
  await channel.pass(1000);
  expect(channel.chain.calls.claim).toBe(undefined);
  await sellAll(all, 20, 20);
  await channel.pass(0);
  expect(channel.chain.snapshot.totalClaimed).toBe(charged(20));
  expect(channel.chain.swept).toBe(BigInt(20 * PRICE));
  await sellAll(all, 21, 21);
  await channel.pass(HOUR - 1);
  expect(channel.chain.calls.claim).toBe(1);
  await channel.pass(1);
  expect(channel.chain.calls).toMatchObject({ claim: 2, settle: 2 });
  expect(channel.listed).toBe(undefined);
});

test("claims what is charged, never more", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { digest: "content" });
  await channel.sell(await payer.voucher(3 * PRICE), { digest: "content" });
  await channel.pass(HOUR);
  expect(channel.chain.snapshot.totalClaimed).toBe(charged(2));
});

test("retries a claim with other facilitators while one is away", async () => {
  const all = await opened();
  const { channel } = all;
  channel.facilitators = ["https://one.example.com", "https://two.example.com"];
  await sellAll(all, 2, 2);
  channel.chain.isAway = true;
  await channel.pass(HOUR + 10_000);
  channel.chain.isAway = false;
  await channel.pass(HOUR);
  expect(channel.chain.asked).toContain("https://two.example.com");
  expect(channel.chain.snapshot.totalClaimed).toBe(charged(2));
  expect(channel.events.map(({ outcome }) => outcome)).toContain("claim_failed");
});

test("finds a claim on the chain if the facilitator's answer is lost", async () => {
  const { channel } = await opened();
  channel.chain.losesAnswers = true;
  await channel.pass(HOUR);
  expect(channel.chain.calls.claim).toBe(1);
  expect(channel.record?.snapshot.totalClaimed).toBe(charged(1));
});

test("sells nothing and claims at once after the payer has requested a withdrawal", async () => {
  const all = await opened(100);
  await sellAll(all, 2, 19);
  const { payer, channel } = all;
  await channel.pass(HOUR); // claims the first calls
  await sellAll(all, 20, 20);
  channel.chain.isAway = true; // the hourly claim fails
  await channel.pass(HOUR);
  channel.chain.requestWithdrawal(channel.now / 1000);
  channel.chain.isAway = false;
  await channel.pass(6 * HOUR);
  expect(channel.chain.snapshot.totalClaimed).toBe(charged(20));
  expect(await channel.reserve(await payer.voucher(21 * PRICE))).toMatchObject({
    status: "refused",
    reason: expect.stringContaining("withdrawal_pending"),
  });
  channel.chain.withdraw();
  expect(channel.chain.swept).toBe(BigInt(20 * PRICE));
});

test("reads the chain during the delay of a withdrawal, and warns before the deadline of its claim", async () => {
  const { channel } = await opened();
  const reads = channel.chain.calls.verify ?? 0;
  channel.chain.requestWithdrawal(channel.now / 1000);
  channel.chain.losesAnswers = false;
  const requested = channel.now / 1000;
  channel.chain.isAway = true;
  await channel.pass(5 * HOUR);
  channel.chain.isAway = false;
  await channel.pass(2 * HOUR);
  expect(channel.chain.calls.verify).toBeGreaterThan(reads);
  expect(channel.chain.snapshot.totalClaimed).toBe(charged(1));
  expect(channel.now / 1000).toBeLessThan(requested + 86_400);
});

test("lists the deadline of a claim that fails while a withdrawal is pending", async () => {
  const { payer, channel } = await opened();
  channel.chain.requestWithdrawal(channel.now / 1000);
  const deadline = channel.now + 86_400_000 - 900_000;
  await channel.pass(21_600_000 - HOUR); // the first claim shows the withdrawal only when the chain is read
  channel.loseState();
  channel.chain.snapshot = { ...channel.chain.snapshot, totalClaimed: "0", withdrawRequestedAt: 0 };
  await channel.sell(await payer.voucher(2 * PRICE));
  channel.chain.requestWithdrawal((deadline + 900_000 - 86_400_000) / 1000);
  channel.chain.snapshot = { ...channel.chain.snapshot };
  const settle = channel.chain.facilitator.bind(channel.chain);
  channel.chain.facilitator = (name) => ({
    ...settle(name),
    settle: async () => ({ outcome: "failed", reason: "away", isUnsure: false }),
  });
  await channel.pass(6 * HOUR);
  expect(JSON.parse(channel.listed!)).toMatchObject({ channelId: payer.channelId, deadline });
});

test("claims only the larger sum of a channel if two deployments with the same keys have each sold calls on it", async () => {
  const { payer, channel } = await opened();
  const other = new TestChannel(payer, channel.chain);
  expect((await channel.sell(await payer.voucher(2 * PRICE))).status).toBe("sold");
  expect((await other.sell(await payer.voucher(PRICE))).status).toBe("sold"); // a client without the first one's state
  await channel.pass(HOUR);
  await other.pass(HOUR);
  expect(channel.chain.snapshot.totalClaimed).toBe(charged(2)); // of three sold calls
});

test("writes off what the payer has withdrawn before the claim", async () => {
  const { channel } = await opened();
  channel.hasNode = true;
  channel.chain.isAway = true;
  await channel.pass(2 * HOUR);
  channel.chain.isAway = false;
  channel.chain.snapshot = { ...channel.chain.snapshot, balance: "20000" };
  await channel.pass(8 * HOUR);
  expect(channel.chain.snapshot.totalClaimed).toBe("20000");
  expect(channel.listed).toBe(undefined);
});

test("refunds the whole balance, claims what is charged, and continues after another deposit", async () => {
  const all = await opened();
  await sellAll(all, 2, 3);
  const { payer, channel } = all;
  expect(await channel.refund(await payer.refund(3 * PRICE))).toMatchObject({
    status: "refunded",
    receipt: {
      transaction: "0x-refund",
      amount: charged(7),
      extra: { channelState: { balance: charged(3), totalClaimed: charged(3), refundNonce: "1" } },
    },
  });
  expect(channel.record).toMatchObject({ charged: charged(3), snapshot: { totalClaimed: charged(3) } });
  await channel.pass(0);
  expect(channel.chain.swept).toBe(BigInt(3 * PRICE));
  expect((await channel.sell(await payer.deposit(10 * PRICE, 4 * PRICE))).status).toBe("sold");
});

test("refunds a part, and refuses more than nothing to refund", async () => {
  const { payer, channel } = await opened();
  expect(await channel.refund(await payer.refund(PRICE, 20_000))).toMatchObject({ receipt: { amount: "20000" } });
  await channel.refund(await payer.refund(PRICE));
  expect(await channel.refund(await payer.refund(PRICE))).toMatchObject({
    status: "refused",
    reason: expect.stringContaining("refund_no_balance"),
  });
});

test("lets a refund wait for the call in progress, and then corrects its voucher", async () => {
  const { payer, channel } = await opened();
  const reserved = await channel.reserve(await payer.voucher(2 * PRICE));
  const refund = channel.refund(await payer.refund(PRICE), 25_000);
  if (reserved.status === "reserved") await channel.commit(reserved.id);
  expect((await refund).status).toBe("mismatch");
});

test("finds a refund on the chain if the facilitator's answer is lost", async () => {
  const { payer, channel } = await opened();
  channel.chain.losesAnswers = true;
  expect(await channel.refund(await payer.refund(PRICE))).toMatchObject({ status: "refunded" });
  expect(channel.record).toMatchObject({ snapshot: { balance: charged(1), totalClaimed: charged(1) } });
});

test("computes the state after a refund if the chain cannot be read, and asks before the next sale", async () => {
  const { payer, channel } = await opened();
  const { facilitator } = channel.chain;
  let isSilent = false;
  channel.chain.facilitator = (name) => {
    const client = facilitator.call(channel.chain, name);
    return {
      ...client,
      verify: async (request) => (isSilent ? { outcome: "unknown" } : client.verify(request)),
      settle: async (request) => {
        isSilent = true;
        const sent = await client.settle(request);
        return sent.outcome === "sent" ? { ...sent, snapshot: undefined } : sent;
      },
    };
  };
  expect((await channel.refund(await payer.refund(PRICE))).status).toBe("refunded");
  expect(channel.record?.snapshot).toMatchObject({
    balance: charged(1),
    totalClaimed: charged(1),
    refundNonce: "1",
  });
  expect((await channel.reserve(await payer.voucher(2 * PRICE))).status).toBe("unavailable");
});

test("does not take a repeated refund for refused while the chain cannot be read", async () => {
  const { payer, channel } = await opened();
  const { facilitator } = channel.chain;
  let isAway = false;
  channel.chain.facilitator = (name) => {
    const client = facilitator.call(channel.chain, name);
    return {
      ...client,
      verify: async (request) => (isAway ? { outcome: "unknown" } : client.verify(request)),
      settle: async (request) => {
        const sent = await client.settle(request); // a second refund has a used nonce
        if (isAway) return sent;
        isAway = true;
        return { outcome: "failed", reason: "no answer", isUnsure: true };
      },
    };
  };
  expect((await channel.refund(await payer.refund(PRICE))).status).toBe("settling");
  await channel.pass(60_000);
  expect(channel.record?.pending?.settling?.type).toBe("refund");
  isAway = false;
  await channel.pass(600_000);
  expect(channel.record).toMatchObject({ snapshot: { balance: charged(1), refundNonce: "1" } });
  expect(channel.record?.pending).toBe(undefined);
});

test("continues a refund whose outcome is unknown, and sells nothing meanwhile", async () => {
  const { payer, channel } = await opened();
  const refund = await payer.refund(PRICE);
  const { facilitator } = channel.chain;
  channel.chain.facilitator = (name) => {
    const client = facilitator.call(channel.chain, name);
    return { ...client, settle: async () => ({ outcome: "failed", reason: "no answer", isUnsure: true }) };
  };
  expect((await channel.refund(refund)).status).toBe("settling");
  expect((await channel.reserve(await payer.voucher(2 * PRICE))).status).toBe("settling");
  channel.chain.facilitator = facilitator;
  await channel.pass(60_000);
  expect(channel.chain.snapshot).toMatchObject({ balance: charged(1), refundNonce: "1" });
  expect(channel.record?.pending).toBe(undefined);
});

test("enters sales, claims and transfers in the books once, also after the books were closed", async () => {
  const all = await opened();
  await sellAll(all, 2, 2);
  const { channel } = all;
  channel.booksAreOpen = false;
  await channel.pass(2 * HOUR);
  expect(channel.booked).toEqual([]);
  channel.booksAreOpen = true;
  await channel.pass(2 * HOUR);
  expect(channel.booked.map(({ type, amount }) => [type, amount]).toSorted()).toEqual([
    ["claim", charged(2)],
    ["sale", charged(1)],
    ["sale", charged(1)],
    ["transfer", charged(2)],
  ]);
});

test("copies the last voucher once for several calls", async () => {
  const all = await opened();
  await sellAll(all, 2, 4);
  const { channel } = all;
  await channel.pass(20_000);
  expect(channel.copied.map(({ signedMax }) => signedMax)).toEqual([charged(4)]);
});

test("forgets results whose links have expired", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { keyHash: "key" });
  await channel.pass(25 * HOUR);
  expect((await channel.reserve(await payer.voucher(3 * PRICE), { key: "key" })).status).toBe("reserved");
});

test("keeps charged at most at the voucher and the balance, and claimed at most at charged", async () => {
  const all = await opened();
  const { payer, channel } = all;
  for (let call = 2; call <= 12; call++) {
    await channel.sell(await payer.voucher(call * PRICE));
    await channel.pass(HOUR / 3);
    const { charged, signedMax, snapshot } = channel.record!;
    const order = [snapshot.totalClaimed, charged, signedMax, snapshot.balance].map(Number);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
  expect(channel.record?.charged).toBe(charged(10));
});
