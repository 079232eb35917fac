import { beforeEach, describe, expect, test } from "vitest";
import { PaymentError } from "../../src/payments/errors.ts";
import type { PaymentEvent } from "../../src/payments/events.ts";
import type { SaleTerms } from "../../src/payments/gate.ts";
import { PaymentRequired } from "../../src/payments/offer.ts";
import type { PaymentPayload } from "../../src/payments/paymentPayload.ts";
import { remoteFacilitator } from "../../src/payments/remoteFacilitator.ts";
import { askedToSettle, BARE, ERRORS, memoryLedger, OFFER, paymentFrom, SILENT, sell, WORK } from "./payments.ts";

let ledger = memoryLedger();
beforeEach(() => {
  ledger = memoryLedger();
});
const SOLD = {
  value: "work",
  receipt: {
    success: true,
    transaction: `0x${"ab".repeat(32)}`,
    network: "base-sepolia",
    payer: `0x${"01".repeat(20)}`,
  },
  lapses: false,
  paid: { chain: OFFER.networks[0], payer: `0x${"01".repeat(20)}`, settledAt: expect.any(Number) },
};

const facilitator = (behaviour: string) =>
  remoteFacilitator({ url: `https://facilitator.example.com/${behaviour}`, timeoutMs: 500 }, SILENT);

/** Sells one piece of work through the facilitators that behave as named, and tells what happened. */
async function sale(behaviours: string, payment: PaymentPayload, changes: Partial<SaleTerms<string>> = {}) {
  const seen = { worked: 0 };
  const outcome = await sell({
    payment,
    offer: OFFER,
    facilitators: behaviours.split(" ").map(facilitator),
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
      return (await changes.work?.()) ?? WORK;
    },
  }).catch((error: unknown) => error);
  return { outcome, ...seen };
}

const reason = (outcome: unknown) =>
  outcome instanceof PaymentRequired
    ? outcome.reason
    : outcome instanceof PaymentError
      ? outcome.code
      : (outcome as Error).message;
const failing = (): never => {
  throw new Error("damaged");
};

describe("what a remote facilitator says decides", () => {
  test("verified and settled: the result and the receipt", async () => {
    expect(await sale("good", await paymentFrom())).toEqual({ outcome: SOLD, worked: 1 });
  });

  test.each([
    ["refuses-verify", "insufficient_funds", 0],
    ["refuses-verify-400", "invalid_payload", 0],
    ["down", "facilitator_unavailable", 0],
    ["garbage", "facilitator_unavailable", 0],
    ["silent", "facilitator_unavailable", 0],
    ["endless", "facilitator_unavailable", 0],
    ["redirects", "facilitator_unavailable", 0],
    ["refuses-settle-400", "insufficient_funds", 1],
  ])("%s: %s, and the payment stays usable", async (behaviour, expected, worked) => {
    const payment = await paymentFrom();
    const failed = await sale(behaviour, payment);
    expect(reason(failed.outcome)).toBe(expected);
    expect(failed.worked).toBe(worked);
    expect((await sale("good", payment)).outcome).toEqual(SOLD);
  });

  test("a payment that the chain has rejected can be read there, and buys nothing any more", async () => {
    const payment = await paymentFrom();
    expect(await sale("refuses-settle", payment)).toMatchObject({ worked: 1 });
    const again = await sale("good", payment);
    expect([reason(again.outcome), again.worked]).toEqual(["payment_already_used", 0]);
    expect((await sale("good", await paymentFrom())).outcome).toEqual(SOLD);
  });

  test("a refused settlement is told to the payer as a failed receipt", async () => {
    const { outcome } = await sale("refuses-settle", await paymentFrom());
    expect((outcome as PaymentRequired).refusal).toEqual({
      version: 1,
      receipt: { ...SOLD.receipt, success: false, errorReason: "invalid_transaction_state", transaction: "" },
    });
  });

  test.concurrent.each(["loses-first-answer", "half-answers-first", "answers-500-first", "names-no-transaction-first"])(
    "%s at settle: the call waits until the ledger has asked again, and is charged once",
    async (behaviour) => {
      const payment = await paymentFrom();
      expect(await sale(`${behaviour}-${payment.authorization.nonce}`, payment)).toEqual({ outcome: SOLD, worked: 1 });
    },
  );

  test("one that is down is passed over, and the one that verified settles", async () => {
    expect((await sale("down silent good refuses-settle", await paymentFrom())).outcome).toEqual(SOLD);
  });

  test("a refusal is a verdict: no other is asked", async () => {
    expect(reason((await sale("refuses-verify good", await paymentFrom())).outcome)).toBe("insufficient_funds");
  });

  test("a payer who withdraws during the work gets nothing, and the output is deleted", async () => {
    const { outcome } = await sale("used-at-settle", await paymentFrom());
    expect(reason(outcome)).toBe("nonce_already_used");
    expect(ledger.discarded).toEqual([WORK.output]);
  });

  test("a payment is verified once, however long the work takes", async () => {
    const payment = await paymentFrom();
    let now = Date.now();
    const work = async () => {
      now += 10_000;
      return WORK;
    };
    const behaviour = `refuses-second-verify-${payment.authorization.nonce}`;
    expect((await sale(behaviour, payment, { now: () => now, work })).outcome).toEqual(SOLD);
  });
});

describe("one payment", () => {
  test("that fails to buy work is not settled, and stays usable", async () => {
    const payment = await paymentFrom();
    expect(reason((await sale("good", payment, { work: failing })).outcome)).toBe("damaged");
    expect((await sale("good", payment)).outcome).toEqual(SOLD);
  });

  test("with the same request again buys the same result, whatever the facilitator says by now", async () => {
    const payment = await paymentFrom();
    await sale("good", payment, { key: "a" });
    expect(await sale("refuses-verify", payment, { key: "a" })).toEqual({ outcome: SOLD, worked: 0 });
  });

  test("with the same request again, once the authorization has run out, too", async () => {
    const payment = await paymentFrom();
    await sale("good", payment, { key: "a" });
    const later = { key: "a", now: () => Date.now() + 600_000 };
    expect((await sale("good", payment, later)).outcome).toEqual(SOLD);
  });

  test("with another request is refused, before and after it is settled", async () => {
    const payment = await paymentFrom();
    const other = { fingerprint: "another" };
    let during: Awaited<ReturnType<typeof sale>> | undefined;
    const work = async () => {
      during = await sale("good", payment, other);
      return WORK;
    };
    await sale("good", payment, { work });
    for (const { outcome, worked } of [during!, await sale("good", payment, other)]) {
      expect(reason(outcome)).toBe("payment_already_used");
      expect(worked).toBe(0);
    }
  });

  test("whose link has ended buys nothing more", async () => {
    const payment = await paymentFrom();
    await sale("good", payment, { work: async () => ({ ...WORK, expiresAt: new Date(Date.now() - 1) }) });
    expect(reason((await sale("good", payment)).outcome)).toBe("payment_already_used");
  });

  test("used fifty times at once runs the work once, is settled once, and gives fifty equal results", async () => {
    const payment = await paymentFrom();
    const behaviour = `counts-${payment.authorization.nonce}`;
    const sales = await Promise.all(Array.from({ length: 50 }, () => sale(behaviour, payment)));
    for (const { outcome } of sales) expect(outcome).toEqual(SOLD);
    expect(sales.reduce((sum, { worked }) => sum + worked, 0)).toBe(1);
    expect(await askedToSettle(`https://facilitator.example.com/${behaviour}`)).toBe(1);
  });

  test.each([
    ["ends before work and settlement can", { validBefore: Math.floor(Date.now() / 1000) + 20 }, /valid_before.*300 s/],
    ["has run out", { validBefore: Math.floor(Date.now() / 1000) - 1 }, /valid_before/],
  ])("that %s is refused before the work", async (_, times, expected) => {
    const { outcome, worked } = await sale("good", await paymentFrom(times));
    expect(reason(outcome)).toMatch(expected);
    expect(worked).toBe(0);
  });
});

describe("the log", () => {
  test("has one line for each call with a payment, without its signature", async () => {
    const events: PaymentEvent[] = [];
    const logged = { key: "a", requestId: "request 7", log: (event: PaymentEvent) => void events.push(event) };
    const payment = await paymentFrom();
    await sale("good", payment, logged);
    await sale("good", payment, logged);
    await sale("good", payment, { ...logged, key: null });
    await sale("refuses-verify", await paymentFrom(), { ...logged, key: "b" });
    await sale("good", await paymentFrom(), { ...logged, key: "b", work: failing });
    const { payer, transaction } = SOLD.receipt;
    expect(events).toEqual([
      {
        ...{ event: "sale", request_id: "request 7", outcome: "sold", operation: "test", network: "base-sepolia" },
        ...{ amount: "50000", payer, transaction, pages: 1, bytes: 9, ms: expect.any(Number) },
        payment: expect.stringContaining(payment.authorization.nonce),
      },
      expect.objectContaining({ event: "sale", outcome: "replayed", transaction }),
      expect.objectContaining({ event: "sale", outcome: "payment_already_used" }),
      expect.objectContaining({ event: "sale", outcome: "payment_required", reason: "insufficient_funds" }),
      expect.objectContaining({ event: "sale", outcome: "internal_error" }),
    ]);
    expect(JSON.stringify(events)).not.toContain(payment.signature.slice(2));
  });

  test("what facilitators and the ledger take is measured, where they are asked", async () => {
    const asked: string[] = [];
    const timed: SaleTerms<string>["timed"] = async (step, act) => {
      asked.push(`${step} begins`);
      const answer = await act();
      asked.push(`${step} ends`);
      return answer;
    };
    const payment = await paymentFrom();
    await sale("good", payment, { timed });
    expect(asked).toEqual(["verify begins", "verify ends", "settle begins", "settle ends"]);
    asked.length = 0;
    await sale("good", payment, { timed, isSignedIn: async () => true });
    expect(asked).toEqual([]);
  });

  test("tells of a facilitator that gives no verdict", async () => {
    const events: PaymentEvent[] = [];
    const context = { requestId: "request 8", log: (event: PaymentEvent) => void events.push(event) };
    const down = remoteFacilitator({ url: "https://facilitator.example.com/down", timeoutMs: 500 }, context);
    expect(await down.verify(await paymentFrom())).toEqual({ outcome: "unknown" });
    const line = { event: "facilitator", request_id: "request 8", host: "facilitator.example.com", call: "verify" };
    expect(events).toEqual([expect.objectContaining(line)]);
  });
});
