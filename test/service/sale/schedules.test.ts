import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { facilitatorNamed } from "../../../src/payments/facilitators/facilitators.ts";
import { daybookOf, dayOf } from "../../../src/payments/ledger/daybook.ts";
import { type PaymentPayload, paymentKey } from "../../../src/payments/wire/paymentPayload.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { storeResult } from "../../../src/storage/results.ts";
import { BARE, ERRORS, OFFER, paymentFrom, SILENT, sell } from "../../payments/payments.ts";
import { inOne } from "../../support/bytes.ts";
import { bucket } from "../../support/storage.ts";

const SCHEDULES = 16;

/**
 * Sends one request of one payer through the real ledger and through facilitators with the faults of `seed`. Several
 * callers send this request and retry until it succeeds. Callers without an idempotency key repeat one payment. Callers
 * with a key sign a new payment each time.
 */
async function schedule(seed: number) {
  const from = `0x${seed.toString(16).padStart(40, "0")}`;
  /** Payments, and URLs of their facilitators. Each facilitator has different faults. */
  const payments = new Map<PaymentPayload, string>();
  const sign = async () => {
    const payment = await paymentFrom({ from });
    const faults = seed + payments.size * SCHEDULES;
    payments.set(payment, `https://facilitator.example.com/faulty-${faults}-${payment.authorization.nonce}`);
    return payment;
  };
  const sentAgain = await sign();
  const history = { runs: 0, refusals: 0, keyed: new Set<string>(), keyless: new Set<string>(), lapsed: 0 };
  const call = async (
    payment: PaymentPayload,
    shown = BARE as { key: string | null; isSignedIn(): Promise<boolean> },
  ) => {
    const { value, isPaidEarlier } = await sell({
      payment,
      ...shown,
      hasDefaultKey: false,
      offer: OFFER,
      facilitators: [facilitatorNamed(payments.get(payment)!, readConfig({}), SILENT)],
      ledger: env.LEDGER,
      fingerprint: "request",
      operation: "test",
      ...SILENT,
      errors: ERRORS,
      workMs: 60_000,
      linkTtlMs: 3_600_000,
      now: () => Date.now(),
      work: async () => {
        const value = `run ${++history.runs}`;
        const pdf = { length: 4, chunks: () => inOne(new TextEncoder().encode("%PDF")) };
        const { id, expiresAt } = await storeResult(bucket, pdf, { filename: "a.pdf", ttlSeconds: 600 });
        return { value, output: id, expiresAt, facts: {} };
      },
    });
    (shown.key === null ? history.keyless : history.keyed).add(value);
    if (isPaidEarlier) history.lapsed++;
  };
  const caller = async (attempt: () => Promise<void>, patience: number): Promise<void> => {
    const refused = await attempt().catch((error: Error) => error);
    if (!refused) return;
    history.refusals++;
    if (patience > 0) return caller(attempt, patience - 1);
    throw refused;
  };

  const again = () => call(sentAgain, { ...BARE, isSignedIn: async () => true });
  const anew = async () => call(await sign(), { ...BARE, key: "key" });
  const callers = 1 + (seed % 4);
  await Promise.all(Array.from({ length: callers }, (_, i) => caller((seed + i) % 3 === 0 ? again : anew, 12)));
  await caller(anew, 12);
  const moved = await Promise.all(
    [...payments].map(async ([payment, facilitator]) => {
      const answer = await fetch(`${facilitator}/moved`, { method: "POST", body: "{}" });
      return { payment, moved: await answer.json<number>() };
    }),
  );
  const of = (ours: (payment: PaymentPayload) => boolean) =>
    moved.filter(({ payment }) => ours(payment)).reduce((sum, one) => sum + one.moved, 0);
  await vi.waitFor(
    async () => {
      const days = [dayOf(Date.now() - 86_400_000), dayOf(Date.now())];
      const books = await Promise.all(
        days.map((day) => env.LEDGER.getByName(daybookOf(day)).bookedSales(undefined, 1000)),
      );
      const booked = books.flat().filter(({ payer }) => payer === from);
      expect(booked.map(({ payment }) => payment).toSorted(), "the daybook lists each sale").toEqual(
        moved.flatMap(({ payment, moved }) => (moved > 0 ? [paymentKey(payment)] : [])).toSorted(),
      );
    },
    { timeout: 20_000, interval: 500 },
  );
  return { ...history, movedAgain: of((p) => p === sentAgain), movedAnew: of((p) => p !== sentAgain) };
}

test(`an idempotency key gets one result and a repeated payment gets at most one, in ${SCHEDULES} random schedules over HTTP`, {
  timeout: 60_000,
}, async () => {
  const histories = await Promise.all(Array.from({ length: SCHEDULES }, (_, seed) => schedule(seed)));
  for (const { runs, refusals, keyed, keyless, movedAgain, movedAnew } of histories) {
    expect([movedAnew, keyed.size]).toEqual([1, 1]);
    expect(keyless.size).toBe(movedAgain);
    expect(movedAgain).toBeLessThanOrEqual(1);
    expect(runs).toBeLessThanOrEqual(2 + refusals);
  }
  expect(histories.filter(({ refusals }) => refusals > 0).length).toBeGreaterThan(SCHEDULES / 10);
  expect(histories.filter(({ lapsed }) => lapsed > 0).length).toBeGreaterThan(SCHEDULES / 2);
  expect(histories.filter(({ movedAgain }) => movedAgain > 0).length).toBeGreaterThan(SCHEDULES / 4);
});
