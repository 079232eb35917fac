import { beforeEach, describe, expect, test } from "vitest";
import { remoteFacilitator } from "../../../src/payments/facilitators/remoteFacilitator.ts";
import type { Failure, PaymentStatus } from "../../../src/payments/ledger/record.ts";
import { Sale, type Sold } from "../../../src/payments/sale/gate.ts";
import type { LedgerBook, SaleTerms } from "../../../src/payments/sale/saleTerms.ts";
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
  settledAt: expect.any(Number),
  paid: { chain: OFFER.networks[0], payer: `0x${"01".repeat(20)}` },
};

/**
 * Runs one sale through facilitators with the named behaviors. Returns the outcome, and the number of runs of the paid
 * work.
 */
async function sale(behaviors: string, payment: PaymentPayload, changes: Partial<SaleTerms<string>> = {}) {
  const seen = { worked: 0 };
  const outcome = await sell({
    payment,
    offer: OFFER,
    facilitators: behaviors.split(" ").map(facilitatorThat),
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
    work: async (defaultKey) => {
      seen.worked++;
      return (await changes.work?.(defaultKey)) ?? WORK;
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

describe("a sale through a remote facilitator", () => {
  test("a sale returns the result and the receipt of a verified and settled payment", async () => {
    expect(await sale("good", await paymentFrom())).toEqual({ outcome: SOLD, worked: 1 });
  });

  test.each([
    ["refuses-verify", "insufficient_funds", 0],
    ["refuses-verify-400", "invalid_payload", 0],
    ["rejects-verify", "facilitator_refused: the facilitator answered 400: payload does not match", 0],
    ["rejects-settle", "facilitator_refused: the facilitator answered 400: payload does not match", 1],
    ["down", "facilitator_unavailable", 0],
    ["garbage", "facilitator_unavailable", 0],
    ["silent", "facilitator_unavailable", 0],
    ["endless", "facilitator_unavailable", 0],
    ["moved-to-good", "facilitator_unavailable", 0],
    ["refuses-settle-400", "insufficient_funds", 1],
  ])(
    "a payment stays usable if the facilitator behaves as %s, and the call ends with %s",
    async (behavior, expected, worked) => {
      const payment = await paymentFrom();
      const failed = await sale(behavior, payment);
      expect(reason(failed.outcome)).toBe(expected);
      expect(failed.worked).toBe(worked);
      expect((await sale("good", payment)).outcome).toEqual(SOLD);
    },
  );

  test("a payment that the chain has rejected cannot be used again", async () => {
    const payment = await paymentFrom();
    expect(await sale("refuses-settle", payment)).toMatchObject({ worked: 1 });
    const again = await sale("good", payment);
    expect([reason(again.outcome), again.worked]).toEqual(["payment_already_used", 0]);
    expect((await sale("good", await paymentFrom())).outcome).toEqual(SOLD);
  });

  test("a refused settlement is reported with a receipt of the failure", async () => {
    const { outcome } = await sale("refuses-settle", await paymentFrom());
    expect((outcome as PaymentRequired).refusal).toEqual({
      version: 1,
      receipt: { ...SOLD.receipt, success: false, errorReason: "invalid_transaction_state", transaction: "" },
    });
  });

  test.concurrent.each(["loses-first-answer", "half-answers-first", "answers-500-first", "names-no-transaction-first"])(
    "a call is charged once after the ledger has retried the settlement if the facilitator behaves as %s",
    async (behavior) => {
      const payment = await paymentFrom();
      expect(await sale(`${behavior}-${payment.authorization.nonce}`, payment)).toEqual({ outcome: SOLD, worked: 1 });
    },
  );

  test("a sale skips unavailable facilitators, and settles through the facilitator that verified the payment", async () => {
    expect((await sale("down silent good refuses-settle", await paymentFrom())).outcome).toEqual(SOLD);
  });

  test("a sale asks no other facilitator after one facilitator has refused the payment", async () => {
    expect(reason((await sale("refuses-verify good", await paymentFrom())).outcome)).toBe("insufficient_funds");
  });

  test("a sale delivers nothing and deletes the output if the authorization is used elsewhere before settlement", async () => {
    const { outcome } = await sale("used-at-settle", await paymentFrom());
    expect(reason(outcome)).toBe("nonce_already_used");
    expect(ledger.deleted).toEqual([WORK.output]);
  });

  test("a sale verifies a payment only once, even if marking the file takes a long time", async () => {
    const payment = await paymentFrom();
    let now = Date.now();
    const work = async () => {
      now += 10_000;
      return WORK;
    };
    const behavior = `refuses-second-verify-${payment.authorization.nonce}`;
    expect((await sale(behavior, payment, { now: () => now, work })).outcome).toEqual(SOLD);
  });
});

describe("a payment", () => {
  test("the payment of a failed call is not settled, and can be used again", async () => {
    const payment = await paymentFrom();
    expect(reason((await sale("good", payment, { work: failing })).outcome)).toBe("damaged");
    expect((await sale("good", payment)).outcome).toEqual(SOLD);
  });

  test("a repeated request with the same payment returns the same result without asking the facilitator", async () => {
    const payment = await paymentFrom();
    await sale("good", payment, { key: "a" });
    expect(await sale("refuses-verify", payment, { key: "a" })).toEqual({ outcome: SOLD, worked: 0 });
  });

  test("a repeated request with the same payment returns the same result even after its authorization has expired", async () => {
    const payment = await paymentFrom();
    await sale("good", payment, { key: "a" });
    const later = { key: "a", now: () => Date.now() + 600_000 };
    expect((await sale("good", payment, later)).outcome).toEqual(SOLD);
  });

  test("a payment is rejected if it is sent with another request, both before and after its settlement", async () => {
    const payment = await paymentFrom();
    const other = { fingerprint: "another" };
    let during: Awaited<ReturnType<typeof sale>> | undefined;
    const work = async () => {
      during = await sale("good", payment, other);
      return WORK;
    };
    await sale("good", payment, { work });
    expect([reason(during!.outcome), during!.worked]).toEqual(["payment_already_used", 0]);
    const after = await sale("good", payment, other);
    expect([reason(after.outcome), after.worked]).toEqual([expect.stringMatching(/^payment_already_used: /), 0]);
    expect(after.outcome).toBeInstanceOf(PaymentRequired);
  });

  test("a payment is rejected as already used after its link has expired", async () => {
    const payment = await paymentFrom();
    await sale("good", payment, { work: async () => ({ ...WORK, expiresAt: new Date(Date.now() - 1) }) });
    expect(reason((await sale("good", payment)).outcome)).toBe("payment_already_used");
  });

  test("fifty parallel calls with one payment all get the result of a single run and a single settlement", async () => {
    const payment = await paymentFrom();
    const behavior = `counts-${payment.authorization.nonce}`;
    const sales = await Promise.all(Array.from({ length: 50 }, () => sale(behavior, payment)));
    for (const { outcome } of sales) expect(outcome).toEqual(SOLD);
    expect(sales.reduce((sum, { worked }) => sum + worked, 0)).toBe(1);
    expect(await askedToSettle(`https://facilitator.example.com/${behavior}`)).toBe(1);
  });

  test.each([
    [
      "expires before the work and the settlement can finish",
      { validBefore: Math.floor(Date.now() / 1000) + 20 },
      /valid_before.*300 s/,
    ],
    ["has expired", { validBefore: Math.floor(Date.now() / 1000) - 1 }, /valid_before/],
    [
      "is valid for more than 24 hours",
      { validBefore: Math.floor(Date.now() / 1000) + 86_460 },
      /valid_before.*24 hours/,
    ],
  ])("a payment is rejected before the file is marked if it %s", async (_, times, expected) => {
    const { outcome, worked } = await sale("good", await paymentFrom(times));
    expect(reason(outcome)).toMatch(expected);
    expect(worked).toBe(0);
  });
});

test("a payment that is valid for just under 24 hours is accepted", async () => {
  const payment = await paymentFrom({ validBefore: Math.floor(Date.now() / 1000) + 86_340 });
  expect((await sale("good", payment)).outcome).toEqual(SOLD);
});

describe("the log of a sale", () => {
  test("for each call with a payment, a sale logs one line that does not contain the signature", async () => {
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
        event: "sale",
        request_id: "request 7",
        outcome: "sold",
        operation: "test",
        network: "base-sepolia",
        amount: "50000",
        payer,
        transaction,
        pages: 1,
        bytes: 9,
        ms: expect.any(Number),
        payment: expect.stringContaining(payment.authorization.nonce),
      },
      expect.objectContaining({ event: "sale", outcome: "replayed", transaction }),
      expect.objectContaining({ event: "sale", outcome: "payment_already_used" }),
      expect.objectContaining({ event: "sale", outcome: "payment_required", reason: "insufficient_funds" }),
      expect.objectContaining({ event: "sale", outcome: "internal_error" }),
    ]);
    expect(JSON.stringify(events)).not.toContain(payment.signature.slice(2));
  });

  test("a sale measures the durations of verification and settlement, and nothing for a call that needs neither", async () => {
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

  test("a facilitator that gives no verdict causes a log event", async () => {
    const events: PaymentEvent[] = [];
    const context = { requestId: "request 8", log: (event: PaymentEvent) => void events.push(event) };
    const down = remoteFacilitator({ url: "https://facilitator.example.com/down", timeoutMs: 500 }, context);
    expect(await down.verify(await paymentFrom())).toEqual({ outcome: "unknown" });
    const line = { event: "facilitator", request_id: "request 8", host: "facilitator.example.com", call: "verify" };
    expect(events).toEqual([expect.objectContaining(line)]);
  });
});

/** Creates a ledger that reports the status `found` for every payment and records the requested changes. */
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

describe("the answer to a status of the ledger", () => {
  const until = Date.UTC(2033, 4, 18);
  test.each<[PaymentStatus, string, number | undefined, RegExp]>([
    [
      { status: "spent" },
      "payment_already_used",
      undefined,
      /or its Idempotency-Key has already bought a result.*Sign a new payment/,
    ],
    [
      { status: "spent", lostBy: "0xab" },
      "payment_already_used",
      undefined,
      /no longer stored. You are not charged again.*refund of transaction 0xab/,
    ],
    [{ status: "spent", lostBy: "" }, "payment_already_used", undefined, /ask the operator for a refund\. /],
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
  ])("a call whose payment has the status %j is answered with %s", async (status, code, retryAfterSeconds, message) => {
    const { outcome, worked } = await sale("good", await paymentFrom(), { key: "a", ledger: ledgerThatFinds(status) });
    expect(outcome).toMatchObject({ code, retryAfterSeconds, message: expect.stringMatching(message) });
    expect(worked).toBe(0);
  });

  test("a call that waits for another call with the same payment gets that call's error, or that call's refusal with a receipt", async () => {
    const outcomeOf = async (failure: Failure) =>
      (await sale("good", await paymentFrom(), { ledger: ledgerThatFinds({ status: "failed", failure }) })).outcome;
    expect(await outcomeOf({ error: "damaged" })).toEqual(new Error("damaged"));
    expect(await outcomeOf({ reason: "why" })).toMatchObject({
      reason: "why",
      refusal: { version: 1, receipt: { ...SOLD.receipt, success: false, transaction: "", errorReason: "why" } },
    });
  });

  test("the receipt contains a note if only the facilitator's word proves the settlement", async () => {
    const status: PaymentStatus = { status: "sold", value: '"work"', transaction: "", settledAt: 1, isProved: false };
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

  test("the receipt names the chain in the notation of the payment's x402 version", async () => {
    const status: PaymentStatus = { status: "sold", value: '"work"', transaction: "0x1", settledAt: 1, isProved: true };
    const payment = { ...(await paymentFrom()), version: 2 } as PaymentPayload;
    const { outcome } = await sale("good", payment, { ledger: ledgerThatFinds(status) });
    expect(outcome).toMatchObject({ receipt: { network: "eip155:84532" } });
    expect((outcome as Sold<string>).receipt).not.toHaveProperty("extra");
  });
});

describe("an idempotency key", () => {
  const claimed: PaymentStatus = { status: "claimed", claim: "claim" };
  const free: PaymentStatus = { status: "free" };

  test("an idempotency key stays bound to its payment until after the link expires, even after a slow call", async () => {
    const now = 2_000_000_000_000;
    const payment = await paymentFrom({ validBefore: now / 1000 + 300 });
    const found = ledgerThatFinds(free, { claim: async () => claimed });
    await sale("good", payment, { key: "a", ledger: found, now: () => now, workMs: 1000, linkTtlMs: 50_000 });
    const [[, binding, expiresAt, replacedVersion]] = found.asked.filter(([what]) => what === "bind") as [unknown[]];
    expect(binding).toEqual({ payment: paymentKey(payment), chain: payment.chain, fingerprint: "request" });
    expect([expiresAt, replacedVersion]).toEqual([now + 52_000, 0]);
  });

  test("a call releases its payment if its idempotency key cannot be bound to the payment", async () => {
    const found = ledgerThatFinds(free, {
      claim: async () => claimed,
      bind: async () => {
        throw new Error("unreachable");
      },
    });
    const { outcome, worked } = await sale("good", await paymentFrom(), { key: "a", ledger: found });
    expect([reason(outcome), worked]).toEqual(["payment_in_progress", 0]);
    expect((outcome as PaymentError).message).toMatch(
      /^The record of this payment cannot be reached right now. Repeat/,
    );
    expect(found.asked).toEqual([["release", "claim", undefined]]);
  });

  test("a call releases its payment and looks up its key again if the key is bound to another payment", async () => {
    const bindings = [false, true];
    const found = ledgerThatFinds(free, { claim: async () => claimed, bind: async () => bindings.shift()! });
    const { worked } = await sale("good", await paymentFrom(), { key: "a", ledger: found });
    expect([bindings, worked, found.asked]).toEqual([[], 1, [["release", "claim", undefined]]]);
  });
});

test.each([true, false])(
  "a sale reports to the ledger whether admission has proved that the caller is the payer (proven: %s)",
  async (isPayerProven) => {
    const asked: boolean[] = [];
    const waitForStatus = async (_fingerprint: string, _until: number, shown: boolean): Promise<PaymentStatus> => {
      asked.push(shown);
      return { status: "proof_required" };
    };
    const found = ledgerThatFinds({ status: "proof_required" }, { waitForStatus });
    await sale("good", await paymentFrom(), {
      ledger: found,
      admitted: { verified: undefined, isPayerProven, binding: undefined },
    });
    expect(asked).toEqual([isPayerProven]);
  },
);

test("a sale reports whether the call itself or an earlier call has settled the payment", async () => {
  const payment = await paymentFrom();
  const sold = async () => {
    const terms = { payment, offer: OFFER, facilitators: [facilitatorThat("good")], ledger, ...SILENT, errors: ERRORS };
    const made = new Sale({
      ...terms,
      ...BARE,
      isSignedIn: async () => true,
      fingerprint: "request",
      operation: "test",
      workMs: 60_000,
      linkTtlMs: 3_600_000,
      now: () => Date.now(),
      work: async () => WORK,
    });
    const before = made.isSold;
    await made.fulfill();
    const between = made.isSold;
    await made.settle();
    return [before, between, made.isSold];
  };
  expect(await sold()).toEqual([false, false, true]);
  expect(await sold(), "an earlier call has settled the payment").toEqual([false, false, false]);
});

test("a failed call reports its error even if its claim on the payment cannot be released", async () => {
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

test("waiting calls do not get an error that concerns only the failed call", async () => {
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

describe("a change of the ledger during a call", () => {
  const claimed: PaymentStatus = { status: "claimed", claim: "claim" };
  const sold: PaymentStatus = { status: "sold", value: '"theirs"', transaction: "0x1", settledAt: 1, isProved: true };
  /** Returns a ledger record that reports these statuses in order and then repeats the last one. */
  const finds = (...statuses: PaymentStatus[]) => ({
    waitForStatus: async () => (statuses.length > 1 ? statuses.shift()! : statuses[0]!),
  });
  const free: PaymentStatus = { status: "free" };

  test("a waiting call claims the payment after the call that holds the claim has died", async () => {
    const found = ledgerThatFinds(sold, {
      ...finds({ status: "in_progress" }, free, free),
      claim: async () => claimed,
    });
    expect(await sale("good", await paymentFrom(), { ledger: found })).toMatchObject({ worked: 1 });
  });

  test("a call that loses its claim on the payment to another call gets the other call's result", async () => {
    const lost = { claim: async () => claimed, settle: async () => undefined };
    const found = ledgerThatFinds(free, { ...finds(free, sold), ...lost });
    const events: PaymentEvent[] = [];
    const log = (event: PaymentEvent) => void events.push(event);
    expect(await sale("good", await paymentFrom(), { ledger: found, log })).toMatchObject({
      outcome: { value: "theirs" },
      worked: 1,
    });
    expect(events).toMatchObject([{ event: "sale", outcome: "replayed" }]);
  });

  test("a failed call gets the result of another call with the same payment, or else its own error", async () => {
    const outcomeOf = async (meanwhile: PaymentStatus) => {
      const found = ledgerThatFinds(free, { ...finds(free, meanwhile), claim: async () => claimed });
      return (await sale("good", await paymentFrom(), { ledger: found, work: failing })).outcome;
    };
    expect(await outcomeOf(sold)).toMatchObject({ value: "theirs" });
    expect(reason(await outcomeOf(free))).toBe("damaged");
  });

  test("a call needs a sign-in only if others may have seen its payment, and gets the result after the sign-in", async () => {
    const asked: string[] = [];
    const outcomeOf = async (first: PaymentStatus, isPayer: boolean) => {
      const isSignedIn = async () => asked.push(first.status) > 0 && isPayer;
      const { outcome } = await sale("good", await paymentFrom(), {
        ledger: ledgerThatFinds(sold, finds(first, sold)),
        isSignedIn,
      });
      return outcome instanceof PaymentError ? outcome.code : (outcome as Sold<string>).value;
    };
    const proofRequired: PaymentStatus = { status: "proof_required" };
    expect([await outcomeOf(proofRequired, true), await outcomeOf(proofRequired, false)]).toEqual([
      "theirs",
      "payment_already_used",
    ]);
    expect([await outcomeOf(sold, false), asked]).toEqual(["theirs", ["proof_required", "proof_required"]]);
  });

  test.each<[PaymentStatus["status"], string, string]>([
    ["reserved", "another", "idempotency_key_reused"],
    ["spent", "another", "idempotency_key_reused"],
    ["reserved", "request", "payment_already_used"],
    ["spent", "request", "payment_already_used"],
  ])(
    'a call whose payment is %s and whose key is bound to the request "%s" is answered with %s',
    async (status, fingerprint, expected) => {
      const payment = await paymentFrom();
      const bound = { payment: paymentKey(payment), chain: payment.chain, fingerprint, version: 1 };
      const found = ledgerThatFinds({ status } as PaymentStatus, { binding: async () => bound });
      const { outcome } = await sale("good", payment, { key: "a", ledger: found });
      expect(outcome).toMatchObject({ code: expected });
      if (expected === "idempotency_key_reused")
        expect(outcome).toMatchObject({
          message: expect.stringMatching(/was used for another request. Nothing was charged/),
        });
    },
  );

  test("a call gets the reason for a refused payment, even if its idempotency key is bound to another request", async () => {
    const payment = await paymentFrom();
    const bound = { payment: paymentKey(payment), chain: payment.chain, fingerprint: "another", version: 1 };
    const refused: PaymentStatus = { status: "failed", failure: { reason: "why" } };
    const found = ledgerThatFinds(refused, { binding: async () => bound });
    const { outcome } = await sale("good", payment, { key: "a", ledger: found });
    expect(reason(outcome)).toBe("why");
  });

  describe("an earlier payment under the key", () => {
    /**
     * Returns the outcome of a call whose key is bound to an earlier payment. The ledger reports `statuses` in order
     * for the earlier payment. `canInvalidate` says whether the claims on the earlier payment can be invalidated.
     */
    async function outcomeOf(canInvalidate: boolean, ...statuses: PaymentStatus[]) {
      const payment = await paymentFrom();
      const mine = ledgerThatFinds(free, {
        claim: async () => claimed,
        settle: async () => ({ ...sold, value: '"mine"' }),
        binding: async () => ({ payment: "earlier", chain: payment.chain, fingerprint: "request", version: 1 }),
      });
      const earlier = ledgerThatFinds(free, { ...finds(...statuses), invalidateClaims: async () => canInvalidate });
      const book = { getByName: (name: string) => (name === "earlier" ? earlier : mine).getByName() };
      const { outcome } = await sale("good", payment, { key: "a", ledger: book });
      return outcome instanceof Error ? reason(outcome) : (outcome as Sold<string>).value;
    }

    test.each<[string, boolean, PaymentStatus[], string]>([
      ["uses the new payment if the earlier payment under the key is free", true, [free], "mine"],
      [
        "uses the new payment if the earlier payment under the key is reserved for another request",
        true,
        [{ status: "reserved" }],
        "mine",
      ],
      [
        "uses the new payment if the earlier payment under the key was refused",
        true,
        [{ status: "failed", failure: { reason: "why" } }],
        "mine",
      ],
      [
        "reports the failed work of the earlier payment under the key",
        true,
        [{ status: "failed", failure: { error: "damaged" } }],
        "damaged",
      ],
      [
        "looks up the earlier payment under the key again if another call has claimed it meanwhile",
        false,
        [free, sold],
        "theirs",
      ],
      [
        "rejects the key of an earlier payment whose link was revoked",
        false,
        [{ status: "spent" }],
        "payment_already_used",
      ],
    ])("a sale %s", async (_, canInvalidate, statuses, expected) => {
      expect(await outcomeOf(canInvalidate, ...statuses)).toBe(expected);
    });
  });

  test.each<[string, PaymentStatus, boolean, boolean]>([
    ["assigns a key to a keyless call whose payment is in use", { status: "in_progress" }, true, true],
    ["assigns a key to a keyless call whose payment is being settled", { status: "pending" }, true, true],
    [
      "assigns no key to a keyless call whose payment is reserved for another request",
      { status: "reserved" },
      true,
      false,
    ],
    ["assigns no key to a keyless call if the key cannot be bound", { status: "in_progress" }, false, false],
  ])("a sale %s", async (_, status, canBind, isGiven) => {
    const found = ledgerThatFinds(
      status,
      canBind ? {} : { bind: async () => Promise.reject(new Error("unreachable")) },
    );
    const { outcome } = await sale("good", await paymentFrom(), { ledger: found });
    expect((outcome as PaymentError).idempotencyKey !== undefined).toBe(isGiven);
  });
});
