import { beforeEach, describe, expect, test } from "vitest";
import type { Sold } from "../../../src/payments/sale/gate.ts";
import type { SaleTerms } from "../../../src/payments/sale/saleTerms.ts";
import { PaymentError } from "../../../src/payments/wire/errors.ts";
import { PaymentRequired } from "../../../src/payments/wire/offer.ts";
import { type PaymentPayload, paymentKey } from "../../../src/payments/wire/paymentPayload.ts";
import { BARE, ERRORS, facilitatorThat, memoryLedger, OFFER, paymentFrom, SILENT, sell, WORK } from "../payments.ts";

/** The tests act as one payer who signs a new payment for each call, as the official clients do. */

let ledger = memoryLedger();
beforeEach(() => {
  ledger = memoryLedger();
});

/** Makes a call through a facilitator with the named behavior, and returns the outcome of the call. */
async function sale(payment: PaymentPayload, changes: Partial<SaleTerms<string>> = {}, behavior = "good") {
  const seen = { worked: 0 };
  const outcome = await sell({
    payment,
    offer: OFFER,
    facilitators: [facilitatorThat(behavior)],
    ledger,
    ...BARE,
    ...SILENT,
    errors: ERRORS,
    fingerprint: "request",
    operation: "test",
    workMs: 60_000,
    linkTtlMs: 3_600_000,
    now: () => ledger.now(),
    ...changes,
    work: async (defaultKey) => {
      seen.worked++;
      return { ...((await changes.work?.(defaultKey)) ?? WORK), output: crypto.randomUUID() };
    },
  }).catch((error: unknown) => error);
  return { outcome: outcome as Sold<string> | Error, ...seen };
}

const codeOf = (outcome: unknown) =>
  outcome instanceof PaymentRequired ? "402" : outcome instanceof PaymentError ? outcome.code : String(outcome);
const bought = (outcome: Sold<string> | Error) => (outcome instanceof Error ? codeOf(outcome) : outcome.value);
/** Returns whether the ledger reports this payment as sold. */
const isSold = async (payment: PaymentPayload) =>
  (await ledger.getByName(paymentKey(payment)).waitForStatus("request", 0, true)).status === "sold";
const failing = (): never => {
  throw new Error("damaged");
};

describe("a new payment with the same key and request", () => {
  test("a second payment for the same key and request gets the first payment's result and is not settled", async () => {
    const [first, second] = [await paymentFrom(), await paymentFrom()];
    await sale(first, { key: "a" });
    const { outcome, worked } = await sale(second, { key: "a" });
    expect(outcome).toMatchObject({
      value: "work",
      receipt: {
        success: true,
        transaction: `0x${"ab".repeat(32)}`,
        extra: { note: expect.stringContaining("expires unused") },
      },
      isPaidEarlier: true,
    });
    expect([worked, await isSold(first), await isSold(second)]).toEqual([0, true, false]);
    expect(bought((await sale(second, { key: "b" })).outcome), "the second payment is still usable").toBe("work");
  });

  test("a call gets the result of the first payment under its key, even if its own payment cannot be settled", async () => {
    await sale(await paymentFrom(), { key: "a" });
    for (const behavior of ["refuses-verify", "down"])
      expect(bought((await sale(await paymentFrom(), { key: "a" }, behavior)).outcome)).toBe("work");
  });

  test.each(["loses-first-answer", "silent-first"])(
    "a second payment under a key waits while the first settlement is in doubt (the facilitator behaves as %s)",
    { timeout: 20_000 },
    async (behavior) => {
      const first = await paymentFrom();
      const inDoubt = ledger.nextWait();
      const started = sale(first, { key: "a" }, `${behavior}-${first.authorization.nonce}`);
      const second = await paymentFrom();
      await inDoubt;
      const outcomes = [(await sale(second, { key: "a" })).outcome, (await started).outcome];
      expect(outcomes.map(bought)).toEqual(["work", "work"]);
      expect([await isSold(first), await isSold(second)]).toEqual([true, false]);
    },
  );

  test("a concurrent call with the same key and another payment waits for the first call and gets its failure", async () => {
    const second = await paymentFrom();
    let waiting: ReturnType<typeof sale> | undefined;
    const first = await sale(await paymentFrom(), {
      key: "a",
      work: async () => {
        waiting = sale(second, { key: "a" });
        await ledger.nextWait();
        return failing();
      },
    });
    const waited = await waiting!;
    expect([bought(first.outcome), bought(waited.outcome), waited.worked]).toEqual([
      "Error: damaged",
      "Error: damaged",
      0,
    ]);
    expect(bought((await sale(second, { key: "a" })).outcome), "the second payment is usable afterwards").toBe("work");
  });

  test.each([
    ["failed", { work: failing }, "good"],
    ["was refused at settlement", {}, "refuses-settle"],
  ])(
    "the second payment under a key is charged if the first payment's call %s, and both calls get the same result",
    async (_, changes, behavior) => {
      const [first, second] = [await paymentFrom(), await paymentFrom()];
      await sale(first, { key: "a", ...changes }, behavior);
      expect(await sale(second, { key: "a" })).toMatchObject({
        outcome: { value: "work", isPaidEarlier: false },
        worked: 1,
      });
      expect(await sale(first, { key: "a" })).toMatchObject({
        outcome: { value: "work", isPaidEarlier: true },
        worked: 0,
      });
      expect(await isSold(first)).toBe(false);
    },
  );

  test("the second payment under a key is charged after the first call's lease has expired, and the first payment never settles", async () => {
    const [first, second] = [await paymentFrom(), await paymentFrom()];
    const began = Promise.withResolvers<void>();
    const work = Promise.withResolvers<typeof WORK>();
    const died = sale(first, {
      key: "a",
      workMs: 60_000,
      work() {
        began.resolve();
        return work.promise;
      },
    });
    await began.promise;
    ledger.advance(60_000);
    const taken = await sale(second, { key: "a" });
    work.resolve(WORK); // The first call is only slow. It finishes after its lease has expired.
    const late = await died;
    expect([bought(taken.outcome), codeOf(late.outcome)]).toEqual(["work", "payment_in_progress"]);
    expect([await isSold(first), await isSold(second)]).toEqual([false, true]);
  });

  test("the second payment under a key is charged if the link that the first payment bought has expired", async () => {
    const ended = { ...WORK, expiresAt: new Date(Date.now() - 1) };
    await sale(await paymentFrom(), { key: "a", work: async () => ended });
    expect(await sale(await paymentFrom(), { key: "a" })).toMatchObject({
      outcome: { isPaidEarlier: false },
      worked: 1,
    });
  });

  test("only one of fifty parallel payments under one key is settled, and all callers get the result", async () => {
    const payments = await Promise.all(Array.from({ length: 50 }, () => paymentFrom()));
    const sales = await Promise.all(payments.map((payment) => sale(payment, { key: "a" })));
    expect(new Set(sales.map(({ outcome }) => bought(outcome)))).toEqual(new Set(["work"]));
    expect(sales.reduce((sum, { worked }) => sum + worked, 0)).toBe(1);
    const sold = await Promise.all(payments.map(isSold));
    expect(sold.filter((yes) => yes)).toHaveLength(1);
  });
});

describe("an idempotency key", () => {
  test("an idempotency key that is sent with another request is rejected, and no further payment is settled", async () => {
    const [first, second] = [await paymentFrom(), await paymentFrom()];
    let during: unknown;
    const work = async () => {
      during = (await sale(second, { key: "a", fingerprint: "another" })).outcome;
      return WORK;
    };
    await sale(first, { key: "a", work });
    const after = await sale(second, { key: "a", fingerprint: "another" });
    const same = await sale(first, { key: "a", fingerprint: "another" });
    const codes = [during, after.outcome, same.outcome].map(codeOf);
    expect(codes).toEqual(Array(3).fill("idempotency_key_reused"));
    expect([after.worked, same.worked, await isSold(second)]).toEqual([0, 0, false]);
  });

  test("an idempotency key can be used for another request after its first call has failed", async () => {
    const payment = await paymentFrom();
    await sale(payment, { key: "a", work: failing });
    expect(bought((await sale(await paymentFrom(), { key: "a", fingerprint: "another" })).outcome)).toBe("work");
    expect(codeOf((await sale(payment, { key: "a" })).outcome)).toBe("idempotency_key_reused");
  });

  test("two payers can use the same idempotency key for separate purchases", async () => {
    await sale(await paymentFrom(), { key: "a" });
    const other = await paymentFrom({ from: `0x${"03".repeat(20)}` });
    expect(await sale(other, { key: "a" })).toMatchObject({ outcome: { isPaidEarlier: false }, worked: 1 });
  });

  test("a concurrent call with the same payment and another idempotency key binds that key to the payment", async () => {
    const [first, second] = [await paymentFrom(), await paymentFrom()];
    let joined: ReturnType<typeof sale> | undefined;
    const work = async () => {
      joined = sale(first, { key: "b" });
      await ledger.nextWait();
      return WORK;
    };
    await sale(first, { key: "a", work });
    expect(bought((await joined!).outcome)).toBe("work");
    expect((await sale(second, { key: "b" })).outcome).toMatchObject({ isPaidEarlier: true });
  });
});

describe("a payment that may be public", () => {
  test.each<[string, Partial<SaleTerms<string>>]>([
    ["without a key", {}],
    ["with another key", { key: "b" }],
  ])(
    "a payment that others may have seen is rejected if sent %s, and the error lists the ways to get the result",
    async (_, shown) => {
      const payment = await paymentFrom();
      await sale(payment, { key: "a" });
      const { outcome, worked } = await sale(payment, shown);
      expect([codeOf(outcome), worked]).toEqual(["payment_already_used", 0]);
      expect((outcome as Error).message).toMatch(/Idempotency-Key.*GET \/v1\/purchases/);
      expect(bought((await sale(payment, { key: "a" })).outcome)).toBe("work");
      const anew = await sale(await paymentFrom(), { key: "b" });
      expect(anew.outcome, "the other key is not bound to the payment").toMatchObject({ isPaidEarlier: false });
    },
  );

  test("a call that sends a settled payment with other content must pay again, without a key or with a new one", async () => {
    const payment = await paymentFrom();
    await sale(payment, { key: "a" });
    for (const key of [null, "b"]) {
      const { outcome, worked } = await sale(payment, { key, fingerprint: "another" });
      expect([codeOf(outcome), worked]).toEqual(["402", 0]);
      expect((outcome as Error).message).toMatch(/^payment_already_used: /);
    }
    const anew = await sale(await paymentFrom(), { key: "b", fingerprint: "another" });
    expect(anew.outcome, "the key is not bound to the settled payment").toMatchObject({ isPaidEarlier: false });
  });

  test("a sign-in returns the result of a payment that others may have seen, and binds the call's key to that payment", async () => {
    const payment = await paymentFrom();
    await sale(payment);
    const signedIn = { key: "b", isSignedIn: async () => true };
    expect(bought((await sale(payment, signedIn)).outcome)).toBe("work");
    expect((await sale(await paymentFrom(), { key: "b" })).outcome).toMatchObject({ isPaidEarlier: true });
  });

  test("concurrent calls with one payment all get the result if they were sent before others could see the payment", async () => {
    const payment = await paymentFrom();
    const sales = await Promise.all([{}, { key: "a" }, {}, { key: "b" }].map((shown) => sale(payment, shown)));
    expect(sales.map(({ outcome }) => bought(outcome))).toEqual(Array(4).fill("work"));
  });
});

describe("a call whose payment is still being settled when it is answered", () => {
  /** Creates a clock whose second reading is 25 s after the first, so that a call has no time left to wait. */
  const impatient = () => {
    const began = Date.now();
    let asked = 0;
    return { now: () => (asked++ === 0 ? began - 25_000 : Date.now()) };
  };

  test("a call without an idempotency key gets a key while its payment settles, and can later fetch the result with that key", {
    timeout: 20_000,
  }, async () => {
    const payment = await paymentFrom();
    const behavior = `loses-first-answer-${payment.authorization.nonce}`;
    const { outcome } = await sale(payment, impatient(), behavior);
    expect(outcome).toMatchObject({ code: "settlement_pending", idempotencyKey: expect.any(String) });
    const { idempotencyKey: key, message } = outcome as PaymentError;
    expect(message, "which is logged").not.toContain(key);
    expect(
      codeOf((await sale(payment)).outcome),
      "the payment alone no longer proves that the caller is the payer",
    ).toBe("payment_already_used");
    expect(bought((await sale(await paymentFrom(), { key: key! })).outcome)).toBe("work");
    expect(bought((await sale(payment, { key: key! })).outcome)).toBe("work");
  });

  test("a call gets no idempotency key if others may have seen its payment before the call", async () => {
    const payment = await paymentFrom();
    await sale(payment, impatient(), `silent-first-${payment.authorization.nonce}`);
    expect((await sale(payment)).outcome).not.toHaveProperty("idempotencyKey", expect.any(String));
  });

  test("a call with an idempotency key is asked to repeat the request with the same key while its payment settles", async () => {
    const payment = await paymentFrom();
    const { outcome } = await sale(
      payment,
      { key: "a", ...impatient() },
      `silent-first-${payment.authorization.nonce}`,
    );
    expect(outcome).toMatchObject({ code: "settlement_pending", idempotencyKey: undefined });
    expect((outcome as Error).message).toContain("same Idempotency-Key");
  });
});
