import { beforeEach, expect, test } from "vitest";
import { defaultKeyNameOf } from "../../../src/payments/ledger/keyBinding.ts";
import { REPEAT_MS } from "../../../src/payments/sale/defaultKey.ts";
import type { Sold } from "../../../src/payments/sale/gate.ts";
import type { SaleTerms } from "../../../src/payments/sale/saleTerms.ts";
import { PaymentError } from "../../../src/payments/wire/errors.ts";
import { type PaymentPayload, paymentKey } from "../../../src/payments/wire/paymentPayload.ts";
import { BARE, ERRORS, facilitatorThat, memoryLedger, OFFER, paymentFrom, SILENT, sell, WORK } from "../payments.ts";

/**
 * The tests act as one payer who signs a new payment for each call, as the official clients do. The payer sends no
 * idempotency key.
 */

let ledger = memoryLedger();
let kept: string[] = [];
beforeEach(() => {
  ledger = memoryLedger();
  kept = [];
});

/**
 * Makes a call for content with the digest `digest`. The call stores an output, and deletes it if the content is
 * already sold.
 */
async function sale(payment: PaymentPayload, changes: Partial<SaleTerms<string>> = {}, digest = "content") {
  let worked = 0;
  const outcome = await sell({
    payment,
    offer: OFFER,
    facilitators: [facilitatorThat("good")],
    ledger,
    ...BARE,
    hasDefaultKey: true,
    ...SILENT,
    errors: ERRORS,
    fingerprint: "request",
    operation: "test",
    workMs: 60_000,
    linkTtlMs: 3_600_000,
    now: () => ledger.now(),
    ...changes,
    work: async (defaultKey) => {
      worked++;
      defaultKey?.bind(digest);
      const output = crypto.randomUUID();
      kept.push(output);
      const result = (await changes.work?.(defaultKey)) ?? WORK;
      await defaultKey?.bound.catch((error: unknown) => {
        kept.splice(kept.indexOf(output), 1);
        throw error;
      });
      return { ...result, value: output, output, expiresAt: new Date(ledger.now() + 3_600_000) };
    },
  }).catch((error: unknown) => error);
  return { outcome: outcome as Sold<string> | Error, worked };
}

const resultOf = ({ outcome }: { outcome: Sold<string> | Error }) =>
  outcome instanceof Error ? (outcome instanceof PaymentError ? outcome.code : outcome.message) : outcome.value;
const isSold = async (payment: PaymentPayload, fingerprint = "request") =>
  (await ledger.getByName(paymentKey(payment)).waitForStatus(fingerprint, 0, true)).status === "sold";

test("a call with the same content as an earlier call gets the earlier result, and its payment stays unused", async () => {
  const [first, second] = [await paymentFrom(), await paymentFrom()];
  const bought = await sale(first);
  const again = await sale(second, { fingerprint: "another form of the request" });
  expect(again.outcome).toMatchObject({
    value: resultOf(bought),
    isPaidEarlier: true,
    receipt: { success: true, extra: { note: expect.stringContaining("expires unused") } },
  });
  expect([await isSold(first), await isSold(second), kept.length]).toEqual([true, false, 1]);
  expect(resultOf(await sale(second, {}, "other content")), "the second payment is still usable").toBe(kept[1]);
});

test("a call gets an earlier result without any work if the digest of its content is already known", async () => {
  const bought = await sale(await paymentFrom());
  const again = await sale(await paymentFrom(), { knownDigest: "content" });
  expect([resultOf(again), again.worked]).toEqual([resultOf(bought), 0]);
});

test("a call with the same content as an earlier call is charged again ten minutes after the sale", async () => {
  const sign = () => paymentFrom({ validBefore: Math.floor(ledger.now() / 1000) + 300 });
  const bought = await sale(await sign());
  ledger.advance(REPEAT_MS - 5000);
  expect(resultOf(await sale(await sign()))).toBe(resultOf(bought));
  ledger.advance(5000);
  const [later, last] = [await sale(await sign()), await sale(await sign())];
  expect(later.outcome).toMatchObject({ isPaidEarlier: false });
  expect(resultOf(last)).toBe(resultOf(later));
});

test("a call with the same content as an earlier call is charged again if the earlier link was revoked", async () => {
  const bought = await sale(await paymentFrom());
  ledger.deleted.push(resultOf(bought));
  expect((await sale(await paymentFrom())).outcome).toMatchObject({ isPaidEarlier: false });
});

test("calls with different contents or from different payers are charged separately", async () => {
  const sales = [
    await sale(await paymentFrom()),
    await sale(await paymentFrom(), {}, "other content"),
    await sale(await paymentFrom({ from: `0x${"03".repeat(20)}` })),
  ];
  expect(new Set(sales.map(resultOf)).size).toBe(3);
});

test("a call with the same content as an earlier call is charged again if it has no default idempotency key", async () => {
  const sales = [await sale(await paymentFrom()), await sale(await paymentFrom(), { hasDefaultKey: false })];
  expect(new Set(sales.map(resultOf)).size).toBe(2);
});

test("only one of twenty parallel calls with the same content is charged, and all calls get the same result", async () => {
  const payments = await Promise.all(Array.from({ length: 20 }, () => paymentFrom()));
  const sales = await Promise.all(payments.map((payment) => sale(payment)));
  expect(new Set(sales.map(resultOf))).toEqual(new Set(kept));
  expect(kept).toHaveLength(1);
  const sold = await Promise.all(payments.map((payment) => isSold(payment)));
  expect(sold.filter((yes) => yes)).toHaveLength(1);
});

test("a call that waits for another call with the same content uses its own payment if the other call fails", async () => {
  const second = await paymentFrom();
  let waiting: ReturnType<typeof sale> | undefined;
  const failed = await sale(await paymentFrom(), {
    work: async (defaultKey) => {
      await defaultKey!.bound;
      waiting = sale(second);
      await ledger.nextWait();
      throw new Error("damaged");
    },
  });
  expect(resultOf(failed)).toBe("damaged");
  expect((await waiting!).outcome).toMatchObject({ isPaidEarlier: false });
});

test("a slow call never settles its payment after another payment has taken the call's default key", async () => {
  const [first, second] = [await paymentFrom(), await paymentFrom()];
  const began = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const slow = sale(first, {
    work: async (defaultKey) => {
      await defaultKey!.bound;
      began.resolve();
      await end.promise;
      return WORK;
    },
  });
  await began.promise;
  ledger.advance(60_000);
  expect((await sale(second)).outcome).toMatchObject({ isPaidEarlier: false });
  end.resolve();
  expect(resultOf(await slow)).toBe("payment_in_progress");
  expect([await isSold(first), await isSold(second)]).toEqual([false, true]);
});

test("a call with the content of an earlier call gets a key bound to the earlier payment while that payment is settling", async () => {
  const first = await paymentFrom();
  const found: { released: number; bound: unknown[] } = { released: 0, bound: [] };
  const holder = { payment: "earlier", chain: first.chain, fingerprint: "request", version: 3 };
  const record = {
    waitForStatus: async () => ({ status: "pending" as const }),
    claim: async () => ({ status: "claimed" as const, claim: "claim" }),
    settle: async () => undefined,
    invalidateClaims: async () => true,
    release: async () => void found.released++,
  };
  const pending = {
    getByName: (name: string) => ({
      ...record,
      waitForStatus: async () => ({ status: name === "earlier" ? ("pending" as const) : ("free" as const) }),
      binding: async () => holder,
      async bind(binding: unknown) {
        if (name.startsWith("same:")) return false;
        found.bound.push(binding);
        return true;
      },
    }),
  };
  const { outcome } = await sale(first, { ledger: pending });
  expect(outcome).toMatchObject({ code: "settlement_pending", idempotencyKey: expect.stringMatching(/^repeat-/) });
  expect(found).toMatchObject({ released: 1, bound: [{ payment: "earlier", fingerprint: "request" }] });
});

test("the name of a default key never equals the name of an idempotency key", () => {
  expect(defaultKeyNameOf("0xAB", "12")).toBe("same:0xab:12");
});
