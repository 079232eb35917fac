import { beforeEach, describe, expect, test } from "vitest";
import { remoteFacilitator } from "../../../src/payments/facilitators/remoteFacilitator.ts";
import type { Failure, PaymentStatus } from "../../../src/payments/ledger/record.ts";
import { type LedgerBook, Sale, type SaleTerms, type Sold } from "../../../src/payments/sale/gate.ts";
import { PaymentError } from "../../../src/payments/wire/errors.ts";
import type { PaymentEvent } from "../../../src/payments/wire/events.ts";
import { PaymentRequired } from "../../../src/payments/wire/offer.ts";
import { type PaymentPayload, paymentKey } from "../../../src/payments/wire/paymentPayload.ts";
import {
  askedToSettle,
  BARE,
  ERRORS,
  facilitatorThat,
  memoryLedger,
  OFFER,
  paymentFrom,
  SILENT,
  sell,
  WORK,
} from "../payments.ts";

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
  isPaidEarlier: false,
  paid: { chain: OFFER.networks[0], payer: `0x${"01".repeat(20)}`, settledAt: expect.any(Number) },
};

/** Sells one piece of work through the facilitators that behave as named, and tells what happened. */
async function sale(behaviours: string, payment: PaymentPayload, changes: Partial<SaleTerms<string>> = {}) {
  const seen = { worked: 0 };
  const outcome = await sell({
    payment,
    offer: OFFER,
    facilitators: behaviours.split(" ").map(facilitatorThat),
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
    ["moved-to-good", "facilitator_unavailable", 0],
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
    expect(ledger.deleted).toEqual([WORK.output]);
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
    let now = Date.now();
    const timed: SaleTerms<string>["timed"] = async (step, act) => {
      asked.push(`${step} begins`);
      const answer = await act();
      now += 70;
      asked.push(`${step} ends`);
      return answer;
    };
    const payment = await paymentFrom();
    const events: PaymentEvent[] = [];
    const terms = { timed, now: () => now, log: (event: PaymentEvent) => void events.push(event) };
    await sale("good", payment, terms);
    expect(asked).toEqual(["verify begins", "verify ends", "settle begins", "settle ends"]);
    asked.length = 0;
    await sale("good", payment, { ...terms, isSignedIn: async () => true });
    expect(asked).toEqual([]);
    expect(events).toMatchObject([
      { outcome: "sold", ms: 140 },
      { outcome: "replayed", ms: 0 },
    ]);
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

/** A ledger that finds this of every payment, and what it is asked to do. */
function ledgerThatFinds(found: PaymentStatus, changes: Partial<ReturnType<LedgerBook["getByName"]>> = {}) {
  const asked: unknown[][] = [];
  const write =
    (name: string) =>
    async (...args: unknown[]) =>
      void asked.push([name, ...args]);
  const record = {
    waitForStatus: async () => found,
    claim: async () => found,
    settle: async () => found,
    invalidateClaims: async () => true,
    binding: async () => undefined,
    release: write("release"),
    async bind(...args: unknown[]) {
      asked.push(["bind", ...args]);
      return true;
    },
    ...changes,
  };
  return { asked, getByName: () => record };
}

describe("what the ledger finds decides what the caller is told", () => {
  const until = Date.UTC(2033, 4, 18);
  test.each<[PaymentStatus, string, number | undefined, RegExp]>([
    [
      { status: "spent" },
      "payment_already_used",
      undefined,
      /or its Idempotency-Key has already bought a result.*Sign a new payment/,
    ],
    [{ status: "reserved" }, "payment_already_used", undefined, /being used for another request. Sign a new payment/],
    [{ status: "proof_required" }, "payment_already_used", undefined, /may be public/],
    [{ status: "in_progress" }, "payment_in_progress", 5, /in use right now.*Repeat the same request/],
    [{ status: "pending" }, "settlement_pending", 10, /has not confirmed it yet. Repeat the same request/],
    [
      { status: "pending", until },
      "settlement_pending",
      30,
      /third party.*until 2033-05-18T00:00:00.000Z.*Repeat the same request/,
    ],
  ])("%j: %s", async (status, code, retryAfterSeconds, message) => {
    const { outcome, worked } = await sale("good", await paymentFrom(), { key: "a", ledger: ledgerThatFinds(status) });
    expect(outcome).toMatchObject({ code, retryAfterSeconds, message: expect.stringMatching(message) });
    expect(worked).toBe(0);
  });

  test("a failure that was waited for is the caller's own: its words, or a refusal with its receipt", async () => {
    const told = async (failure: Failure) =>
      (await sale("good", await paymentFrom(), { ledger: ledgerThatFinds({ status: "failed", failure }) })).outcome;
    expect(await told({ error: "damaged" })).toEqual(new Error("damaged"));
    expect(await told({ reason: "why" })).toMatchObject({
      reason: "why",
      refusal: { version: 1, receipt: { ...SOLD.receipt, success: false, transaction: "", errorReason: "why" } },
    });
  });

  test("what was sold on the facilitator's word has a receipt that says so, and is not known to be paid", async () => {
    const status: PaymentStatus = { status: "sold", value: '"work"', transaction: "", provedAt: undefined };
    const { outcome } = await sale("good", await paymentFrom(), { ledger: ledgerThatFinds(status) });
    expect(outcome).toMatchObject({
      value: "work",
      paid: undefined,
      receipt: {
        success: true,
        transaction: "",
        extra: { note: expect.stringMatching(/^The facilitator's answer.*was lost/) },
      },
    });
  });

  test("a receipt names the chain as the payment's version of x402 does", async () => {
    const status: PaymentStatus = { status: "sold", value: '"work"', transaction: "0x1", provedAt: 1 };
    const payment = { ...(await paymentFrom()), version: 2 } as PaymentPayload;
    const { outcome } = await sale("good", payment, { ledger: ledgerThatFinds(status) });
    expect(outcome).toMatchObject({ receipt: { network: "eip155:84532" } });
    expect((outcome as Sold<string>).receipt).not.toHaveProperty("extra");
  });
});

describe("a key", () => {
  const yours: PaymentStatus = { status: "claimed", claim: "claim" };
  const free: PaymentStatus = { status: "free" };

  test("stands for its payment until the link must have ended, however long the work takes", async () => {
    const now = 2_000_000_000_000;
    const payment = await paymentFrom({ validBefore: now / 1000 + 300 });
    const found = ledgerThatFinds(free, { claim: async () => yours });
    await sale("good", payment, { key: "a", ledger: found, now: () => now, workMs: 1000, linkTtlMs: 50_000 });
    const [[, binding, forgetAt, instead]] = found.asked.filter(([what]) => what === "bind") as [unknown[]];
    expect(binding).toEqual({ payment: paymentKey(payment), chain: payment.chain, fingerprint: "request" });
    expect([forgetAt, instead]).toEqual([now + 52_000, 0]);
  });

  test("that cannot be bound gives the claim back, and the call can be made again", async () => {
    const found = ledgerThatFinds(free, {
      claim: async () => yours,
      bind: async () => {
        throw new Error("unreachable");
      },
    });
    const { outcome, worked } = await sale("good", await paymentFrom(), { key: "a", ledger: found });
    expect([reason(outcome), worked]).toEqual(["payment_in_progress", 0]);
    expect(found.asked).toEqual([["release", "claim", undefined]]);
  });

  test("that another payment has taken meanwhile gives the claim back, and is looked at again", async () => {
    const bindings = [false, true];
    const found = ledgerThatFinds(free, { claim: async () => yours, bind: async () => bindings.shift()! });
    const { worked } = await sale("good", await paymentFrom(), { key: "a", ledger: found });
    expect([bindings, worked, found.asked]).toEqual([[], 1, [["release", "claim", undefined]]]);
  });
});

test.each([true, false])("what a caller has shown as it was admitted counts (%s)", async (proved) => {
  const asked: boolean[] = [];
  const waitForStatus = async (_fingerprint: string, _until: number, shown: boolean): Promise<PaymentStatus> => {
    asked.push(shown);
    return { status: "proof_required" };
  };
  const found = ledgerThatFinds({ status: "proof_required" }, { waitForStatus });
  await sale("good", await paymentFrom(), {
    ledger: found,
    admitted: { verified: undefined, isPayerProven: proved, binding: undefined },
  });
  expect(asked).toEqual([proved]);
});

test("a sale knows whether it has settled the payment itself", async () => {
  const payment = await paymentFrom();
  const sold = async () => {
    const terms = { payment, offer: OFFER, facilitators: [facilitatorThat("good")], ledger, ...SILENT, errors: ERRORS };
    const made = new Sale({
      ...{ ...terms, key: null, isSignedIn: async () => true, fingerprint: "request", operation: "test" },
      ...{ workMs: 60_000, linkTtlMs: 3_600_000, now: () => Date.now(), work: async () => WORK },
    });
    const before = made.isSold;
    await made.fulfill();
    const between = made.isSold;
    await made.settle();
    return [before, between, made.isSold];
  };
  expect(await sold()).toEqual([false, false, true]);
  expect(await sold(), "this one was sold before").toEqual([false, false, false]);
});

test("work whose claim cannot be released fails with its own words: the lease ends anyway", async () => {
  const found = ledgerThatFinds(
    { status: "free" },
    {
      claim: async () => ({ status: "claimed", claim: "claim" }),
      release: async () => {
        throw new Error("unreachable");
      },
    },
  );
  expect(reason((await sale("good", await paymentFrom(), { ledger: found, work: failing })).outcome)).toBe("damaged");
});

test("a failure that is the call's own is not told to those that wait: they do the work themselves", async () => {
  const released = async (written: string | undefined) => {
    const claim = async (): Promise<PaymentStatus> => ({ status: "claimed", claim: "claim" });
    const found = ledgerThatFinds({ status: "free" }, { claim });
    const errors = { ...ERRORS, write: () => written };
    await sale("good", await paymentFrom(), { ledger: found, work: failing, errors });
    return found.asked;
  };
  expect(await released("damaged")).toEqual([["release", "claim", { error: "damaged" }]]);
  expect(await released(undefined)).toEqual([["release", "claim", undefined]]);
});

describe("what changes while a call is under way", () => {
  const yours: PaymentStatus = { status: "claimed", claim: "claim" };
  const sold: PaymentStatus = { status: "sold", value: '"theirs"', transaction: "0x1", provedAt: 1 };
  /** Finds one after the other, and then always the last. */
  const finds = (...statuses: PaymentStatus[]) => ({
    waitForStatus: async () => (statuses.length > 1 ? statuses.shift()! : statuses[0]!),
  });
  const free: PaymentStatus = { status: "free" };

  test("a call that was waited for has died: the payment is claimed", async () => {
    const found = ledgerThatFinds(sold, { ...finds({ status: "in_progress" }, free, free), claim: async () => yours });
    expect(await sale("good", await paymentFrom(), { ledger: found })).toMatchObject({ worked: 1 });
  });

  test("the claim was lost while the work was done: the other call's result is given, and it has sold it", async () => {
    const lost = { claim: async () => yours, settle: async () => undefined };
    const found = ledgerThatFinds(free, { ...finds(free, sold), ...lost });
    const events: PaymentEvent[] = [];
    const log = (event: PaymentEvent) => void events.push(event);
    expect(await sale("good", await paymentFrom(), { ledger: found, log })).toMatchObject({
      outcome: { value: "theirs" },
      worked: 1,
    });
    expect(events).toMatchObject([{ event: "sale", outcome: "replayed" }]);
  });

  test("the work has failed, and another call has done it: its result is given, or else the failure is told", async () => {
    const told = async (meanwhile: PaymentStatus) => {
      const found = ledgerThatFinds(free, { ...finds(free, meanwhile), claim: async () => yours });
      return (await sale("good", await paymentFrom(), { ledger: found, work: failing })).outcome;
    };
    expect(await told(sold)).toMatchObject({ value: "theirs" });
    expect(reason(await told(free))).toBe("damaged");
  });

  test("a payer who signs in gets what may be public, and nobody else is asked to", async () => {
    const asked: string[] = [];
    const told = async (first: PaymentStatus, isPayer: boolean) => {
      const isSignedIn = async () => asked.push(first.status) > 0 && isPayer;
      const { outcome } = await sale("good", await paymentFrom(), {
        ledger: ledgerThatFinds(sold, finds(first, sold)),
        isSignedIn,
      });
      return outcome instanceof PaymentError ? outcome.code : (outcome as Sold<string>).value;
    };
    const withheld: PaymentStatus = { status: "proof_required" };
    expect([await told(withheld, true), await told(withheld, false)]).toEqual(["theirs", "payment_already_used"]);
    expect([await told(sold, false), asked]).toEqual(["theirs", ["proof_required", "proof_required"]]);
  });

  test.each<[PaymentStatus["status"], string, string]>([
    ["reserved", "another", "idempotency_key_reused"],
    ["spent", "another", "idempotency_key_reused"],
    ["reserved", "request", "payment_already_used"],
    ["spent", "request", "payment_already_used"],
  ])("a payment that is %s, under the key that stands for it and %s: %s", async (status, fingerprint, expected) => {
    const payment = await paymentFrom();
    const bound = { payment: paymentKey(payment), chain: payment.chain, fingerprint, version: 1 };
    const found = ledgerThatFinds({ status } as PaymentStatus, { binding: async () => bound });
    const { outcome } = await sale("good", payment, { key: "a", ledger: found });
    expect(outcome).toMatchObject({ code: expected });
    if (expected === "idempotency_key_reused")
      expect(outcome).toMatchObject({
        message: expect.stringMatching(/was used for another request. Nothing was charged/),
      });
  });

  test("a payment that was refused, under the key that stands for it and another request: why it was refused", async () => {
    const payment = await paymentFrom();
    const bound = { payment: paymentKey(payment), chain: payment.chain, fingerprint: "another", version: 1 };
    const refused: PaymentStatus = { status: "failed", failure: { reason: "why" } };
    const found = ledgerThatFinds(refused, { binding: async () => bound });
    const { outcome } = await sale("good", payment, { key: "a", ledger: found });
    expect(reason(outcome)).toBe("why");
  });

  describe("an earlier payment under the key", () => {
    /** What a call gets whose key stands for an earlier payment, of which that is found, and whether it could be abandoned. */
    async function told(abandoned: boolean, ...statuses: PaymentStatus[]) {
      const payment = await paymentFrom();
      const mine = ledgerThatFinds(free, {
        claim: async () => yours,
        settle: async () => ({ ...sold, value: '"mine"' }),
        binding: async () => ({ payment: "earlier", chain: payment.chain, fingerprint: "request", version: 1 }),
      });
      const earlier = ledgerThatFinds(free, { ...finds(...statuses), invalidateClaims: async () => abandoned });
      const book = { getByName: (name: string) => (name === "earlier" ? earlier : mine).getByName() };
      const { outcome } = await sale("good", payment, { key: "a", ledger: book });
      return outcome instanceof Error ? reason(outcome) : (outcome as Sold<string>).value;
    }

    test.each<[string, boolean, PaymentStatus[], string]>([
      ["that is over gives way", true, [free], "mine"],
      ["that is used for something else gives way", true, [{ status: "reserved" }], "mine"],
      ["that was refused gives way", true, [{ status: "failed", failure: { reason: "why" } }], "mine"],
      [
        "whose work failed has failed for this call, too",
        true,
        [{ status: "failed", failure: { error: "damaged" } }],
        "damaged",
      ],
      ["that is used meanwhile is looked at again", false, [free, sold], "theirs"],
      ["that has bought a link whose time is not over is spent", false, [{ status: "spent" }], "payment_already_used"],
    ])("%s", async (_, abandoned, statuses, expected) => {
      expect(await told(abandoned, ...statuses)).toBe(expected);
    });
  });

  test.each<[string, PaymentStatus, boolean, boolean]>([
    ["is in use", { status: "in_progress" }, true, true],
    ["is being settled", { status: "pending" }, true, true],
    ["is used for something else", { status: "reserved" }, true, false],
    ["is in use, if that key could be bound", { status: "in_progress" }, false, false],
  ])("a call without a key is given one where its payment %s", async (_, status, canBind, isGiven) => {
    const found = ledgerThatFinds(
      status,
      canBind ? {} : { bind: async () => Promise.reject(new Error("unreachable")) },
    );
    const { outcome } = await sale("good", await paymentFrom(), { ledger: found });
    expect((outcome as PaymentError).idempotencyKey !== undefined).toBe(isGiven);
  });
});
