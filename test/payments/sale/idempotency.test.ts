import { beforeEach, describe, expect, test } from "vitest";
import type { SaleTerms, Sold } from "../../../src/payments/sale/gate.ts";
import { PaymentError } from "../../../src/payments/wire/errors.ts";
import { PaymentRequired } from "../../../src/payments/wire/offer.ts";
import { type PaymentPayload, paymentKey } from "../../../src/payments/wire/paymentPayload.ts";
import { BARE, ERRORS, facilitatorThat, memoryLedger, OFFER, paymentFrom, SILENT, sell, WORK } from "../payments.ts";

/** What a key is good for: one payer who signs anew at each call, as the official clients do. */

let ledger = memoryLedger();
beforeEach(() => {
  ledger = memoryLedger();
});

/** A call; the facilitator behaves as named. */
async function sale(payment: PaymentPayload, changes: Partial<SaleTerms<string>> = {}, behaviour = "good") {
  const seen = { worked: 0 };
  const outcome = await sell({
    payment,
    offer: OFFER,
    facilitators: [facilitatorThat(behaviour)],
    ledger,
    ...BARE,
    ...SILENT,
    errors: ERRORS,
    fingerprint: "request",
    operation: "test",
    workMs: 60_000,
    linkTtlMs: 3_600_000,
    now: () => Date.now(),
    ...changes,
    work: async () => {
      seen.worked++;
      return { ...((await changes.work?.()) ?? WORK), output: crypto.randomUUID() };
    },
  }).catch((error: unknown) => error);
  return { outcome: outcome as Sold<string> | Error, ...seen };
}

const codeOf = (outcome: unknown) =>
  outcome instanceof PaymentRequired ? "402" : outcome instanceof PaymentError ? outcome.code : String(outcome);
const bought = (outcome: Sold<string> | Error) => (outcome instanceof Error ? codeOf(outcome) : outcome.value);
/** Whether the ledger has this payment as sold. */
const isSold = async (payment: PaymentPayload) =>
  (await ledger.getByName(paymentKey(payment)).waitForStatus("request", 0, true)).status === "sold";
const failing = (): never => {
  throw new Error("damaged");
};

describe("a payment signed anew, with the same key and request,", () => {
  test("gets what the first has bought, and is not settled: the receipt is the first's, and says so", async () => {
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
    expect(bought((await sale(second, { key: "b" })).outcome), "the second can still buy").toBe("work");
  });

  test("gets it even if it could not be settled: the wallet is empty, or the facilitator is down", async () => {
    await sale(await paymentFrom(), { key: "a" });
    for (const behaviour of ["refuses-verify", "down"])
      expect(bought((await sale(await paymentFrom(), { key: "a" }, behaviour)).outcome)).toBe("work");
  });

  test.each(["loses-first-answer", "silent-first"])(
    "waits for the first, whose settlement is in doubt (%s)",
    { timeout: 20_000 },
    async (behaviour) => {
      const first = await paymentFrom();
      const started = sale(first, { key: "a" }, `${behaviour}-${first.authorization.nonce}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      const second = await paymentFrom();
      const outcomes = [(await sale(second, { key: "a" })).outcome, (await started).outcome];
      expect(outcomes.map(bought)).toEqual(["work", "work"]);
      expect([await isSold(first), await isSold(second)]).toEqual([true, false]);
    },
  );

  test("waits for the first that is being worked on, and is told why that failed", async () => {
    const second = await paymentFrom();
    let waiting: ReturnType<typeof sale> | undefined;
    const first = await sale(await paymentFrom(), {
      key: "a",
      work: async () => {
        waiting = sale(second, { key: "a" });
        await new Promise((resolve) => setTimeout(resolve, 50));
        return failing();
      },
    });
    const waited = await waiting!;
    expect([bought(first.outcome), bought(waited.outcome), waited.worked]).toEqual([
      "Error: damaged",
      "Error: damaged",
      0,
    ]);
    expect(bought((await sale(second, { key: "a" })).outcome), "and can then buy").toBe("work");
  });

  test.each([
    ["failed", { work: failing }, "good"],
    ["was refused as it was settled", {}, "refuses-settle"],
  ])("buys where the first %s, and the first gets its result then", async (_, changes, behaviour) => {
    const [first, second] = [await paymentFrom(), await paymentFrom()];
    await sale(first, { key: "a", ...changes }, behaviour);
    expect(await sale(second, { key: "a" })).toMatchObject({
      outcome: { value: "work", isPaidEarlier: false },
      worked: 1,
    });
    expect(await sale(first, { key: "a" })).toMatchObject({
      outcome: { value: "work", isPaidEarlier: true },
      worked: 0,
    });
    expect(await isSold(first)).toBe(false);
  });

  test("buys where the first's call died, which can settle nothing any more", async () => {
    const [first, second] = [await paymentFrom(), await paymentFrom()];
    let finish = () => {};
    const died = sale(first, {
      key: "a",
      workMs: 100,
      work: () =>
        new Promise((resolve) => {
          finish = () => resolve(WORK);
        }),
    });
    await new Promise((resolve) => setTimeout(resolve, 150));
    const taken = await sale(second, { key: "a" });
    finish(); // it was only slow
    const late = await died;
    expect([bought(taken.outcome), codeOf(late.outcome)]).toEqual(["work", "payment_in_progress"]);
    expect([await isSold(first), await isSold(second)]).toEqual([false, true]);
  });

  test("buys anew once the link is over, whose end is the key's", async () => {
    const ended = { ...WORK, expiresAt: new Date(Date.now() - 1) };
    await sale(await paymentFrom(), { key: "a", work: async () => ended });
    expect(await sale(await paymentFrom(), { key: "a" })).toMatchObject({
      outcome: { isPaidEarlier: false },
      worked: 1,
    });
  });

  test("fifty at once: one is settled, and all have the result", async () => {
    const payments = await Promise.all(Array.from({ length: 50 }, () => paymentFrom()));
    const sales = await Promise.all(payments.map((payment) => sale(payment, { key: "a" })));
    expect(new Set(sales.map(({ outcome }) => bought(outcome)))).toEqual(new Set(["work"]));
    expect(sales.reduce((sum, { worked }) => sum + worked, 0)).toBe(1);
    const sold = await Promise.all(payments.map(isSold));
    expect(sold.filter((yes) => yes)).toHaveLength(1);
  });
});

describe("a key", () => {
  test("with another request is refused while it stands for the first, and nothing is settled", async () => {
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

  test("of a call that failed is free for another request, like its payment", async () => {
    const payment = await paymentFrom();
    await sale(payment, { key: "a", work: failing });
    expect(bought((await sale(await paymentFrom(), { key: "a", fingerprint: "another" })).outcome)).toBe("work");
    expect(codeOf((await sale(payment, { key: "a" })).outcome)).toBe("idempotency_key_reused");
  });

  test("is one payer's: another's call with it is a call of its own", async () => {
    await sale(await paymentFrom(), { key: "a" });
    const other = await paymentFrom({ from: `0x${"03".repeat(20)}` });
    expect(await sale(other, { key: "a" })).toMatchObject({ outcome: { isPaidEarlier: false }, worked: 1 });
  });

  test("sent with a payment that is worked on already stands for that payment, too", async () => {
    const [first, second] = [await paymentFrom(), await paymentFrom()];
    let joined: ReturnType<typeof sale> | undefined;
    const work = async () => {
      joined = sale(first, { key: "b" });
      await new Promise((resolve) => setTimeout(resolve, 50));
      return WORK;
    };
    await sale(first, { key: "a", work });
    expect(bought((await joined!).outcome)).toBe("work");
    expect((await sale(second, { key: "b" })).outcome).toMatchObject({ isPaidEarlier: true });
  });
});

describe("a payment that may be public", () => {
  test.each<[string, Partial<SaleTerms<string>>]>([
    ["alone", {}],
    ["with a key that it was not sent with", { key: "b" }],
    ["with another request", { fingerprint: "another" }],
  ])("%s gets nothing, and is told what to do", async (_, shown) => {
    const payment = await paymentFrom();
    await sale(payment, { key: "a" });
    const { outcome, worked } = await sale(payment, shown);
    expect([codeOf(outcome), worked]).toEqual(["payment_already_used", 0]);
    expect((outcome as Error).message).toMatch(/Idempotency-Key.*GET \/v1\/purchases/);
    expect(bought((await sale(payment, { key: "a" })).outcome)).toBe("work");
    const anew = await sale(await paymentFrom(), { key: "b" });
    expect(anew.outcome, "nor has the other key become its").toMatchObject({ isPaidEarlier: false });
  });

  test("gets its result where its payer signs in, and under whatever key it is sent with then", async () => {
    const payment = await paymentFrom();
    await sale(payment);
    const signedIn = { key: "b", isSignedIn: async () => true };
    expect(bought((await sale(payment, signedIn)).outcome)).toBe("work");
    expect((await sale(await paymentFrom(), { key: "b" })).outcome).toMatchObject({ isPaidEarlier: true });
  });

  test("is still good for those who sent it before, alone or not", async () => {
    const payment = await paymentFrom();
    const sales = await Promise.all([{}, { key: "a" }, {}, { key: "b" }].map((shown) => sale(payment, shown)));
    expect(sales.map(({ outcome }) => bought(outcome))).toEqual(Array(4).fill("work"));
  });
});

describe("a call without a key whose payment is still being settled when it is answered", () => {
  /** Seconds pass by the million: the call waits for nothing. */
  const impatient = () => {
    const began = Date.now();
    let asked = 0;
    return { now: () => (asked++ === 0 ? began - 25_000 : Date.now()) };
  };

  test("is given one, with which a payment signed anew gets the result", { timeout: 20_000 }, async () => {
    const payment = await paymentFrom();
    const behaviour = `loses-first-answer-${payment.authorization.nonce}`;
    const { outcome } = await sale(payment, impatient(), behaviour);
    expect(outcome).toMatchObject({ code: "settlement_pending", idempotencyKey: expect.any(String) });
    const { idempotencyKey: key, message } = outcome as PaymentError;
    expect(message, "which is logged").not.toContain(key);
    expect(codeOf((await sale(payment)).outcome), "the payment alone is no proof any more").toBe(
      "payment_already_used",
    );
    expect(bought((await sale(await paymentFrom(), { key: key! })).outcome)).toBe("work");
    expect(bought((await sale(payment, { key: key! })).outcome)).toBe("work");
  });

  test("and another is given none if it came when the payment may have been public", async () => {
    const payment = await paymentFrom();
    await sale(payment, impatient(), `silent-first-${payment.authorization.nonce}`);
    expect((await sale(payment)).outcome).not.toHaveProperty("idempotencyKey", expect.any(String));
  });

  test("with a key is told to send it again", async () => {
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
