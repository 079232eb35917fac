import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { Entry } from "../../../src/payments/ledger/record.ts";
import { Ledger } from "../../../src/service/account/ledger.ts";
import { revoke } from "../../../src/storage/link.ts";
import { storeResult } from "../../../src/storage/results.ts";
import { askedToSettle, paymentFrom } from "../../payments/payments.ts";
import { inOne } from "../../support/bytes.ts";
import { bucket, storedKeys } from "../../support/storage.ts";

const recordOf = (name: string) => env.LEDGER.getByName(name);
const alarmOf = (name: string) => runInDurableObject(recordOf(name), (_, { storage }) => storage.getAlarm());
const stored = async (ttlSeconds = 3600) => {
  const pdf = { length: 4, chunks: () => inOne(new TextEncoder().encode("%PDF")) };
  const { id, token, expiresAt } = await storeResult(bucket, pdf, { filename: "a.pdf", ttlSeconds });
  return { value: '"work"', output: id, expiresAt: expiresAt.getTime(), token };
};
/** Waits until the ledger's alarm has recorded a sale in the daybook. The alarm is due immediately. */
const booked = (name: string) =>
  vi.waitFor(async () => {
    const entry = await runInDurableObject(recordOf(name), (_, { storage }) => storage.kv.get<Entry>("entry"));
    expect(entry).not.toHaveProperty("unbooked");
  });
const keptResults = async () => (await storedKeys()).map((key) => key.split("/").at(-1));

async function claimed(name: string, facilitator = "https://facilitator.example.com/good", validBefore?: number) {
  const call = {
    fingerprint: "request",
    payment: await paymentFrom({ validBefore }),
    facilitator,
    signers: [],
    requestId: "test",
  };
  const found = await recordOf(name).claim(call, 100_000, 0);
  if (found.status !== "claimed") throw new Error(`not claimed: ${found.status}`);
  return found.claim;
}

describe("the ledger", () => {
  test("the ledger settles a claim through the facilitator that verified it, and returns the result afterwards", async () => {
    const claim = await claimed("sold");
    const sold = {
      ...{ status: "sold", value: '"work"', transaction: `0x${"ab".repeat(32)}` },
      settledAt: expect.any(Number),
      isProved: true,
    };
    expect(await recordOf("sold").settle(claim, await stored())).toEqual(sold);
    expect(await recordOf("sold").waitForStatus("request", 0, true)).toEqual(sold);
    const other = { status: "spent", boughtOther: true };
    for (const isPayerProven of [true, false])
      expect(await recordOf("sold").waitForStatus("another", 0, isPayerProven)).toEqual(other);
  });

  test("the ledger does not return a result whose link was revoked", async () => {
    const [claim, work] = [await claimed("ended"), await stored()];
    await recordOf("ended").settle(claim, work);
    expect(await recordOf("ended").waitForStatus("request", 0, true)).toMatchObject({ status: "sold" });
    await revoke(bucket, { id: work.output, token: work.token }, Date.now);
    expect(await recordOf("ended").waitForStatus("request", 0, true)).toMatchObject({
      status: "spent",
      lostBy: expect.stringMatching(/^0x/),
    });
  });

  test("the ledger deletes the output and releases the payment if the facilitator refuses to settle", async () => {
    const claim = await claimed("refused", "https://facilitator.example.com/refuses-settle-400");
    const work = await stored();
    expect(await recordOf("refused").settle(claim, work)).toEqual({
      status: "failed",
      failure: { reason: "insufficient_funds" },
    });
    expect(await keptResults()).not.toContain(work.output);
    expect(await recordOf("refused").waitForStatus("request", 0, true)).toEqual({ status: "free" });
  });

  test("the ledger's alarm finishes a settlement whose answer was lost", async () => {
    const claim = await claimed("lost", "https://facilitator.example.com/loses-first-answer-a");
    expect(await recordOf("lost").settle(claim, await stored())).toEqual({ status: "pending" });
    expect(await alarmOf("lost")).toBeGreaterThan(Date.now());
    expect(await runDurableObjectAlarm(recordOf("lost"))).toBe(true);
    expect(await recordOf("lost").waitForStatus("request", 0, true)).toMatchObject({ status: "sold", value: '"work"' });
  });

  test("the ledger keeps a settlement pending while the settings are invalid, and finishes it once they are valid", async () => {
    const claim = await claimed("misconfigured", "https://facilitator.example.com/loses-first-answer-m");
    await recordOf("misconfigured").settle(claim, await stored());
    const later = await runInDurableObject(recordOf("misconfigured"), async (_, state) => {
      const woken = new Ledger(state, { ...env, MAX_PAGES: "many" } as Env);
      await state.storage.deleteAlarm();
      await woken.alarm();
      return { alarm: await state.storage.getAlarm(), entry: state.storage.kv.get<{ state: string }>("entry") };
    });
    expect(later).toMatchObject({ alarm: expect.any(Number), entry: { state: "settling" } });
    expect(later.alarm).toBeGreaterThan(Date.now());
    expect(await runDurableObjectAlarm(recordOf("misconfigured"))).toBe(true);
    expect(await recordOf("misconfigured").waitForStatus("request", 0, true)).toMatchObject({ status: "sold" });
  });

  test("the ledger finishes a settlement even if its Durable Object stopped during the request", async () => {
    const facilitator = "https://facilitator.example.com/silent-first-c";
    const claim = await claimed("died", facilitator);
    const asking = recordOf("died").settle(claim, await stored());
    await vi.waitUntil(async () => (await askedToSettle(facilitator)) === 1);
    const dying = runInDurableObject(recordOf("died"), (_, state) => state.abort("died"));
    await Promise.allSettled([asking, dying]);

    expect(await recordOf("died").waitForStatus("request", 0, true)).toEqual({ status: "pending" });
    await runDurableObjectAlarm(recordOf("died"));
    expect(await recordOf("died").waitForStatus("request", 0, true)).toMatchObject({ status: "sold" });
  });

  test("the ledger gives concurrent calls with one payment the result of the first call", async () => {
    const claim = await claimed("waited");
    const waiting = [1, 2, 3].map(() => recordOf("waited").waitForStatus("request", Date.now() + 20_000, true));
    const first = await recordOf("waited").settle(claim, await stored());
    for (const found of await Promise.all(waiting)) expect(found).toEqual(first);
  });

  test("the ledger deletes a settled payment a day after its link and its authorization have expired", async () => {
    const validBefore = Math.floor(Date.now() / 1000) + 7200;
    const claim = await claimed("forgotten", undefined, validBefore);
    await recordOf("forgotten").settle(claim, await stored());
    await vi.waitFor(async () => expect(await alarmOf("forgotten")).toBe((validBefore + 86_400) * 1000));
  });

  test("the ledger never deletes a payment whose authorization never expires", async () => {
    const claim = await claimed("endless", undefined, 2 ** 60);
    await recordOf("endless").settle(claim, await stored());
    await booked("endless");
    expect(await alarmOf("endless")).toBeNull();
  });

  test("the ledger accepts at most three payments per payer and day without proof of settlement", async () => {
    const payer = recordOf("payer:a");
    const granted = [];
    for (const payment of ["1", "2", "2", "3", "4", "1"]) granted.push(await payer.allowUnproved(payment));
    expect(granted).toEqual([true, true, true, true, false, true]);
    expect(await alarmOf("payer:a")).toBeGreaterThan(Date.now() + 86_000_000);
    await runDurableObjectAlarm(payer);
    expect(await payer.allowUnproved("4")).toBe(true);
  });

  test("the ledger counts payments without proof of settlement only for a day", async () => {
    const payer = recordOf("payer:b");
    const now = Date.now();
    const given: [string, number][] = [
      ["1", now - 86_400_001],
      ["2", now - 86_300_000],
      ["3", now],
    ];
    await runInDurableObject(payer, (_, { storage }) => storage.kv.put("trusted", given));
    expect([await payer.allowUnproved("4"), await payer.allowUnproved("5")]).toEqual([true, false]);
  });

  test("the ledger does not invalidate the claim of a running call, and frees the payment when the call releases the claim", async () => {
    const record = recordOf("given back");
    const claim = await claimed("given back");
    expect(await record.invalidateClaims("request")).toBe(false);
    await record.release(claim, undefined);
    expect(await record.waitForStatus("request", 0, true)).toEqual({ status: "free" });
    expect(await record.invalidateClaims("request")).toBe(true);
  });

  test("the ledger binds an idempotency key to its first payment until the payment fails or is deleted", async () => {
    const soon = Date.now() + 60_000;
    const { chain } = await paymentFrom();
    const key = recordOf("key:a");
    const bind = (payment: string, instead = 0) => key.bind({ payment, chain, fingerprint: "request" }, soon, instead);
    expect([await bind("payment 1"), await bind("payment 2")]).toEqual([true, false]);
    const found = (await key.binding())!;
    expect(found).toEqual({ payment: "payment 1", chain, fingerprint: "request", version: 1 });
    expect([await bind("payment 1"), await bind("payment 2", found.version)]).toEqual([true, false]);
    expect(await bind("payment 2", 2)).toBe(true);
    expect(await alarmOf("key:a")).toBe(soon);
    await runDurableObjectAlarm(key);
    expect([await key.binding(), await bind("payment 3")]).toEqual([undefined, true]);
  });

  test("the ledger lists a payer's purchases, newest first, until their links expire", async () => {
    const list = recordOf("purchases:a");
    const now = Date.now();
    for (const [payment, at, expiresAt] of [
      ["1", now - 3000, now + 1000],
      ["2", now - 2000, now + 9_000_000],
      ["3", now - 1000, now + 5_000_000],
      ["2", now - 2000, now + 9_000_000],
    ] as const)
      await list.addPurchase({ payment, at, expiresAt });
    const found = await list.newestPurchases(undefined, 2);
    expect(found.map(({ payment }) => payment)).toEqual(["3", "2"]);
    expect((await list.newestPurchases(found[1]!.cursor, 2)).map(({ payment }) => payment)).toEqual(["1"]);
    // The alarm has deleted the first purchase.
    await vi.waitUntil(async () => (await list.newestPurchases(undefined, 9)).length === 2, 10_000);
    expect((await list.newestPurchases(undefined, 9)).map(({ payment }) => payment)).toEqual(["3", "2"]);
    expect(await alarmOf("purchases:a")).toBe(now + 5_000_000);
  });

  test("the ledger reports a payment's purchase as long as the link to the result works", async () => {
    const [claim, work] = [await claimed("bought"), await stored()];
    expect(await recordOf("bought").purchase()).toBeUndefined();
    await recordOf("bought").settle(claim, work);
    expect(await recordOf("bought").purchase()).toMatchObject({
      value: '"work"',
      requestId: "test",
      network: "eip155:84532",
    });
    await revoke(bucket, { id: work.output, token: work.token }, Date.now);
    expect(await recordOf("bought").purchase()).toBeUndefined();
  });
});
