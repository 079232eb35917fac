import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { facilitatorNamed } from "../../src/payments/facilitators.ts";
import { storeResult } from "../../src/storage/results.ts";
import { ERRORS, OFFER, paymentFrom, SILENT, sell } from "../payments/payments.ts";
import { inOne } from "../support/bytes.ts";
import { bucket } from "../support/storage.ts";

const SCHEDULES = 150;

/** One payment through the real ledger and a facilitator with the faults of `seed`, by several callers who do not give up. */
async function schedule(seed: number) {
  const payment = await paymentFrom({ from: `0x${seed.toString(16).padStart(40, "0")}` });
  const url = `https://facilitator.example.com/faulty-${seed}-${payment.authorization.nonce}`;
  const history = { runs: 0, refusals: 0, values: new Set<string>(), moved: 0 };
  const call = async () => {
    const { value } = await sell({
      payment,
      offer: OFFER,
      facilitators: [facilitatorNamed(url, readConfig({}), SILENT)],
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
        const { id, expiresAt } = await storeResult(bucket, pdf, { filename: "a.pdf", ttlSeconds: 60 });
        return { value, output: id, expiresAt, facts: {} };
      },
    });
    history.values.add(value);
  };
  const caller = async (patience: number): Promise<void> => {
    const refused = await call().catch((error: Error) => error);
    if (!refused) return;
    history.refusals++;
    if (patience > 0) return caller(patience - 1);
    throw refused;
  };

  await Promise.all(Array.from({ length: 1 + (seed % 4) }, () => caller(12)));
  await call();
  history.moved = await (await fetch(`${url}/moved`, { method: "POST", body: "{}" })).json<number>();
  return history;
}

test(`${SCHEDULES} schedules on the real ledger, over HTTP: one payment, one result`, { timeout: 60_000 }, async () => {
  const histories = await Promise.all(Array.from({ length: SCHEDULES }, (_, seed) => schedule(seed)));
  for (const { runs, refusals, values, moved } of histories) {
    expect(moved).toBe(1);
    expect(values.size).toBe(1);
    expect(runs).toBeLessThanOrEqual(1 + refusals);
  }
  expect(histories.filter(({ refusals }) => refusals > 0).length).toBeGreaterThan(SCHEDULES / 10);
});
