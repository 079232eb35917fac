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
/** Sells the calls numbered `from` to `to`, with one voucher for each. */
const sellAll = async ({ payer, channel }: Awaited<ReturnType<typeof opened>>, from: number, to: number) => {
  for (let call = from; call <= to; call++)
    expect((await channel.sell(await payer.voucher(call * PRICE))).status).toBe("sold");
};

test("a channel sells the first call for a deposit, and later calls without a request to a facilitator", async () => {
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

test("the receipt of a channel's first call contains the deposit", async () => {
  const payer = new TestPayer();
  const channel = new TestChannel(payer);
  expect(await channel.sell(await payer.deposit(10 * PRICE, PRICE))).toMatchObject({
    status: "sold",
    receipt: { transaction: "0x-deposit", amount: charged(10), extra: { chargedAmount: "50000" } },
  });
});

test("a channel charges nothing for a failed call, and accepts the voucher for another call", async () => {
  const { payer, channel } = await opened();
  const voucher = await payer.voucher(2 * PRICE);
  const reserved = await channel.reserve(voucher);
  if (reserved.status !== "reserved") throw new Error(reserved.status);
  await channel.release(reserved.id);
  expect(channel.record).toMatchObject({ charged: charged(1), signedMax: charged(1) });
  expect((await channel.sell(voucher)).status).toBe("sold");
  expect(channel.record?.charged).toBe(charged(2));
});

test("the service forgets a channel if its first call fails", async () => {
  const payer = new TestPayer();
  const channel = new TestChannel(payer);
  const reserved = await channel.reserve(await payer.deposit(10 * PRICE, PRICE));
  if (reserved.status === "reserved") await channel.release(reserved.id);
  expect(channel.record).toBe(undefined);
});

test("a channel returns the same answer for a repeated voucher and charges it only once", async () => {
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

test("a channel returns the earlier result for a repeated idempotency key, even with a later voucher", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { keyHash: "key" });
  expect(await channel.reserve(await payer.voucher(3 * PRICE), { key: "key" })).toMatchObject({
    status: "known",
    isKey: true,
    current: { extra: { chargedAmount: "0", channelState: { chargedCumulativeAmount: charged(2) } } },
  });
  expect(channel.record?.charged).toBe(charged(2));
});

test("a channel charges calls with the same content once within ten minutes, and again later", async () => {
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

test("a channel accepts the deposit of a call that repeats the content of a sold call, and does not charge the call", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { digest: "content" });
  const repeated = await channel.sell(await payer.deposit(10 * PRICE, 3 * PRICE), { digest: "content" });
  expect(repeated).toMatchObject({
    status: "sold",
    isRepeat: true,
    receipt: { transaction: "0x-deposit", extra: { chargedAmount: "0", channelState: { balance: charged(20) } } },
  });
});

test("the deposit of an uncharged call can be sent again, and is transferred only once", async () => {
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

test("a channel charges an idempotency key only once, even if the repeated call adds a deposit", async () => {
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

test("a channel transfers no deposit for a call whose idempotency key was used for another request", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { keyHash: "key", fingerprint: "request" });
  const deposit = await payer.deposit(10 * PRICE, 3 * PRICE);
  expect(await channel.sell(deposit, { keyHash: "key", fingerprint: "other" })).toEqual({ status: "reused" });
  expect(channel.chain.calls.deposit).toBe(1);
  expect(channel.record).toMatchObject({ charged: charged(2) });
  expect(channel.record?.pending).toBe(undefined);
});

test("a channel charges nothing and deletes the output if it cannot look up an earlier result", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { digest: "content" });
  channel.storageFails = true;
  await expect(channel.sell(await payer.voucher(3 * PRICE), { digest: "content" })).rejects.toThrow("storage");
  expect(channel.deleted).toHaveLength(1);
  expect(channel.record).toMatchObject({ charged: charged(2) });
  expect(channel.record?.pending).toBe(undefined);
});

test("a channel never reveals the unused voucher of an uncharged call", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { digest: "content" });
  await channel.sell(await payer.voucher(3 * PRICE), { digest: "content" });
  expect(await channel.reserve(await payer.voucher(7 * PRICE))).toMatchObject({
    status: "mismatch",
    correction: { voucherState: { signedMaxClaimable: charged(2) } },
  });
});

test("a used voucher no longer proves that the caller is the payer, once a claim or a correction has published it", async () => {
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

test("a voucher that does not continue the last one gets the channel's state and the last voucher", async () => {
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

test('a second deposit gets the status "mismatch" if the amount of its voucher is already charged', async () => {
  const { payer, channel } = await opened();
  expect((await channel.reserve(await payer.deposit(10 * PRICE, PRICE))).status).toBe("mismatch");
});

test("a second call with the same voucher waits for the first call and gets its result", async () => {
  const { payer, channel } = await opened();
  const voucher = await payer.voucher(2 * PRICE);
  const first = await channel.reserve(voucher);
  const second = channel.reserve(await payer.voucher(2 * PRICE), { waitMs: 25_000 });
  if (first.status !== "reserved") throw new Error(first.status);
  const sold = await channel.commit(first.id);
  if (sold.status !== "sold") throw new Error(sold.status);
  expect(await second).toMatchObject({ status: "known", sold: { fingerprint: sold.sold.fingerprint } });
});

test("parallel calls with the same deposit all get the result that the deposit bought", async () => {
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

test('a call gets the status "busy" after it has waited too long for another call on the channel', async () => {
  const { payer, channel } = await opened();
  await channel.reserve(await payer.voucher(2 * PRICE));
  const second = channel.reserve(await payer.voucher(2 * PRICE), { waitMs: 25_000 });
  await new Promise((resolve) => setTimeout(resolve));
  await channel.pass(25_000);
  expect((await second).status).toBe("busy");
});

test("only one of two waiting calls may use a channel when it becomes free", async () => {
  const { payer, channel } = await opened();
  const first = await channel.reserve(await payer.voucher(2 * PRICE));
  const waiting = [1, 2].map(async () => channel.reserve(await payer.voucher(2 * PRICE), { waitMs: 25_000 }));
  await new Promise((resolve) => setTimeout(resolve, 20)); // gives both waiting calls time to sign their vouchers
  if (first.status === "reserved") await channel.release(first.id);
  await new Promise((resolve) => setTimeout(resolve));
  await channel.pass(25_000);
  expect((await Promise.all(waiting)).map(({ status }) => status).toSorted()).toEqual(["busy", "reserved"]);
});

test("a channel becomes free when the lease of a dead call has expired, and never charges the dead call", async () => {
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

test("a voucher that exceeds the balance gets the channel's state, and is refused if repeated", async () => {
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

test("a channel sells a call for a deposit that a third party made on the chain", async () => {
  const all = await opened();
  await sellAll(all, 2, 10);
  const { payer, channel } = all;
  channel.chain.snapshot = { ...channel.chain.snapshot, balance: charged(20) };
  expect((await channel.sell(await payer.voucher(11 * PRICE))).status).toBe("sold");
});

test("a second deposit raises the balance of a channel, and the channel sells further calls", async () => {
  const all = await opened();
  await sellAll(all, 2, 10);
  const { payer, channel } = all;
  expect((await channel.sell(await payer.deposit(10 * PRICE, 11 * PRICE))).status).toBe("sold");
  expect(channel.record).toMatchObject({ charged: charged(11), snapshot: { balance: charged(20) } });
});

test("a channel has a facilitator verify each voucher of a contract wallet", async () => {
  const payer = new TestPayer(CONTRACT);
  const channel = new TestChannel(payer);
  await channel.open();
  await channel.sell(await payer.voucher(2 * PRICE));
  expect(channel.chain.calls.verify).toBe(2);
  channel.chain.isAway = true;
  expect((await channel.reserve(await payer.voucher(3 * PRICE))).status).toBe("unavailable");
});

test("a channel that has lost its state continues from the client's voucher if a facilitator confirms the channel", async () => {
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

test("a channel starts at the claimed amount if both the service and the client have lost their state", async () => {
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

test("a channel finds a deposit on the chain if the facilitator's answer is lost", async () => {
  const payer = new TestPayer();
  const channel = new TestChannel(payer);
  channel.chain.losesAnswers = true;
  const deposit = await payer.deposit(10 * PRICE, PRICE);
  const sold = await channel.sell(deposit);
  expect(sold).toMatchObject({ status: "sold", receipt: { transaction: "", amount: charged(10) } });
  expect(await channel.reserve(deposit)).toMatchObject({ status: "known", isProven: true });
  expect(channel.chain.snapshot.balance).toBe(charged(10));
});

test("a channel keeps a deposit pending while the facilitator is unreachable, and afterward charges the deposit's call once", async () => {
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

test("a channel gives up a deposit whose authorization has expired, and deletes the output of its call", async () => {
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

test("a channel refuses a call whose deposit fails", async () => {
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

test("a channel claims its sales when one dollar is unclaimed, or an hour after the first unclaimed sale", async () => {
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

test("a channel claims exactly the charged amount, even if it has a voucher for more", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { digest: "content" });
  await channel.sell(await payer.voucher(3 * PRICE), { digest: "content" });
  await channel.pass(HOUR);
  expect(channel.chain.snapshot.totalClaimed).toBe(charged(2));
});

test("a channel retries a claim with other facilitators if one facilitator does not answer", async () => {
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

test("a channel finds a claim on the chain if the facilitator's answer is lost", async () => {
  const { channel } = await opened();
  channel.chain.losesAnswers = true;
  await channel.pass(HOUR);
  expect(channel.chain.calls.claim).toBe(1);
  expect(channel.record?.snapshot.totalClaimed).toBe(charged(1));
});

test("a channel sells nothing and claims all sales after the payer has requested a withdrawal", async () => {
  const all = await opened(100);
  await sellAll(all, 2, 19);
  const { payer, channel } = all;
  await channel.pass(HOUR); // gives the channel time to claim the first calls
  await sellAll(all, 20, 20);
  channel.chain.isAway = true; // the facilitator does not answer, so the next hourly claim fails
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

test("a channel detects a requested withdrawal on the chain and claims before the withdrawal's deadline", async () => {
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

test("after a failed claim, the list of open channels shows the deadline that a requested withdrawal sets", async () => {
  const { payer, channel } = await opened();
  channel.chain.requestWithdrawal(channel.now / 1000);
  const deadline = channel.now + 86_400_000 - 900_000;
  // The channel notices the withdrawal only when it reads the chain, a few hours later.
  await channel.pass(21_600_000 - HOUR);
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

test("only the larger sum is claimed if two deployments with the same keys sell calls on one channel", async () => {
  const { payer, channel } = await opened();
  const other = new TestChannel(payer, channel.chain);
  expect((await channel.sell(await payer.voucher(2 * PRICE))).status).toBe("sold");
  // The voucher's client does not know the first deployment's state.
  expect((await other.sell(await payer.voucher(PRICE))).status).toBe("sold");
  await channel.pass(HOUR);
  await other.pass(HOUR);
  expect(channel.chain.snapshot.totalClaimed).toBe(charged(2)); // the sum of two calls, although three calls were sold
});

test("a channel writes off the amount that the payer withdrew before the claim", async () => {
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

test("a refund claims the charged amount and returns the rest, and another deposit reopens the channel", async () => {
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

test("a channel refunds a part of its balance, and refuses a refund if nothing is left", async () => {
  const { payer, channel } = await opened();
  expect(await channel.refund(await payer.refund(PRICE, 20_000))).toMatchObject({ receipt: { amount: "20000" } });
  await channel.refund(await payer.refund(PRICE));
  expect(await channel.refund(await payer.refund(PRICE))).toMatchObject({
    status: "refused",
    reason: expect.stringContaining("refund_no_balance"),
  });
});

test('a refund waits for the running call, and then gets the status "mismatch" because its voucher is outdated', async () => {
  const { payer, channel } = await opened();
  const reserved = await channel.reserve(await payer.voucher(2 * PRICE));
  const refund = channel.refund(await payer.refund(PRICE), 25_000);
  if (reserved.status === "reserved") await channel.commit(reserved.id);
  expect((await refund).status).toBe("mismatch");
});

test("a channel finds a refund on the chain if the facilitator's answer is lost", async () => {
  const { payer, channel } = await opened();
  channel.chain.losesAnswers = true;
  expect(await channel.refund(await payer.refund(PRICE))).toMatchObject({ status: "refunded" });
  expect(channel.record).toMatchObject({ snapshot: { balance: charged(1), totalClaimed: charged(1) } });
});

test("a channel that cannot read the chain after a refund computes its state, and sells nothing until it can read the chain", async () => {
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

test("a channel does not report a repeated refund as refused if the chain cannot be read", async () => {
  const { payer, channel } = await opened();
  const { facilitator } = channel.chain;
  let isAway = false;
  channel.chain.facilitator = (name) => {
    const client = facilitator.call(channel.chain, name);
    return {
      ...client,
      verify: async (request) => (isAway ? { outcome: "unknown" } : client.verify(request)),
      settle: async (request) => {
        const sent = await client.settle(request); // the nonce of a second refund is already used
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

test("a channel retries a refund with an unknown outcome, and sells nothing until the outcome is known", async () => {
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

test("a channel records each sale, claim and transfer in the books once, even if the books were unavailable at first", async () => {
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

test("a channel copies its record to other storage once after several calls, with the last voucher", async () => {
  const all = await opened();
  await sellAll(all, 2, 4);
  const { channel } = all;
  await channel.pass(20_000);
  expect(channel.copied.map(({ signedMax }) => signedMax)).toEqual([charged(4)]);
});

test("a channel forgets results whose links have expired", async () => {
  const { payer, channel } = await opened();
  await channel.sell(await payer.voucher(2 * PRICE), { keyHash: "key" });
  await channel.pass(25 * HOUR);
  expect((await channel.reserve(await payer.voucher(3 * PRICE), { key: "key" })).status).toBe("reserved");
});

test("the claimed amount never exceeds the charged amount, which never exceeds the voucher or the balance", async () => {
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
