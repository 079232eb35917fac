import { expect, test } from "vitest";
import { REPEAT_MS } from "../../src/payments/sale/defaultKey.ts";
import { allCases } from "../support/allCases.ts";
import { paymentFrom } from "./payments.ts";
import { type History, hasPaid, isSettledFor, type PaymentHistory, Simulation } from "./simulation.ts";

const SCHEDULES = allCases ? 2000 : 600;

/** Returns the names of the rules that a schedule of calls has violated. */
function broken(history: History): string[] {
  const { payments, answers, strangers, runs, repeats, kept, node, trusted } = history;
  const sold = answers.filter(({ outcome }) => outcome === "sold");
  const runOf = (output: string) => runs.find((run) => run.output === output)!;
  const stored = runs.filter(({ fate }) => fate === "stored");
  const orphaned = runs.filter(({ fate }) => fate === "died" || fate === "cut off").map(({ output }) => output);
  /** Returns the distinct results that any caller got for a payment. */
  const given = (payment: PaymentHistory) =>
    new Set(sold.map(({ value }) => value!).filter((value) => runOf(value).payment === payment));
  const elsewhere = ({ consumed }: PaymentHistory) => (consumed?.by === "another service" ? 1 : 0);
  /**
   * Returns whether the ledger must sell the payment: its money has arrived, and the facilitator's answer did not deny
   * the transfer. Without a node, the ledger must also sell without proof of settlement (`trusted`), and no alarm of
   * the payment may have been lost.
   */
  const isKnownPaid = (payment: PaymentHistory) =>
    hasPaid(payment, history) && !payment.doubled && (node || (trusted && !payment.forgotten));
  const repeated = payments[0]!;
  const finals = answers.filter(({ final, key, isNewPayment }) => final && key === null && !isNewPayment);
  const underKey = (["K", "L"] as const).flatMap((key) => (["A", "B"] as const).map((request) => ({ key, request })));
  const movedUnder = (asked: (typeof underKey)[number]) =>
    payments.filter((one) => hasPaid(one, history) && !one.doubled && isSettledFor(one, asked));

  const rules: Record<string, boolean> = {
    "a payment is settled at most once": payments.every(({ moved }) => moved <= 1),
    "no more results are delivered than payments were transferred or accepted without proof": payments.every(
      (one) => given(one).size <= one.moved || one.unproved === 1,
    ),
    "at most one payment settles for a request under a key": underKey.every((asked) => movedUnder(asked).length <= 1),
    "without a key, at most one payment settles for a request within ten minutes": (["A", "B"] as const).every(
      (request) => {
        const settled = payments.filter(({ settledFor }) => settledFor?.key === null && settledFor.request === request);
        const paid = settled.filter((one) => hasPaid(one, history) && !one.doubled);
        const times = paid.map(({ consumed }) => consumed!.at).toSorted((a, b) => a - b);
        return times.every((at, i) => i === 0 || at - times[i - 1]! >= REPEAT_MS);
      },
    ),
    "a request under a key has at most one result": underKey.every(
      ({ key, request }) =>
        new Set(sold.filter((one) => one.key === key && one.request === request).map(({ value }) => value)).size <= 1,
    ),
    "a payment is sold without proof only if its settlement is in doubt and no node can be asked": payments.every(
      ({ unproved, doubts }) => unproved === 0 || (doubts > 0 && !node),
    ),
    "a payment has at most one result, unless an answer was lost": payments.every(
      (one) => given(one).size + elsewhere(one) <= 1 || one.doubts > 0,
    ),
    "a result is delivered only after it is paid for": sold.every(({ value }) => {
      const { payment } = runOf(value!);
      return payment.unproved === 1 || elsewhere(payment) === 1 || hasPaid(payment, history);
    }),
    "a payment buys at most one result": payments.every((one) => given(one).size <= 1),
    "a delivered result belongs to the request": sold.every(({ request, value }) => runOf(value!).request === request),
    "repeating a paid call returns its result": !isKnownPaid(repeated) || sold.some(({ final }) => final),
    "a new payment under the key of a paid call returns its result": answers.every(
      (one) =>
        !one.final ||
        one.key === null ||
        one.outcome === "sold" ||
        !movedUnder({ key: one.key, request: one.request }).some(isKnownPaid),
    ),
    "with a node, a payment that a stranger submitted is sold": payments.every(
      ({ consumed, sold, forgotten }) => !node || consumed?.by !== "a stranger" || sold || forgotten,
    ),
    "the daybooks contain each sale at most once": payments.every(({ booked }) => booked.size <= 1),
    "the daybooks contain only sales": payments.every(({ booked, sold }) => booked.size === 0 || sold),
    "the daybooks contain every sale": payments.every(
      ({ booked, sold, forgotten }) => !sold || booked.size === 1 || forgotten,
    ),
    "a paid payment is never answered with a 402": answers.every(
      ({ outcome, paid, payment }) => payment.doubled || !(paid && outcome === "402"),
    ),
    "a paid request is never answered with a 402 under its key": answers.every(
      ({ outcome, paidBefore }) => !(paidBefore && outcome === "402"),
    ),
    "a paid payment asks for a new one only if it has paid for another request": answers.every(
      ({ outcome, request, payment }) =>
        outcome !== "402 already used" ||
        (payment.sold && !stored.some((run) => run.payment === payment && run.request === request)),
    ),
    "at the end, each request either gets the result or is refused because its payment is used":
      !isKnownPaid(repeated) ||
      finals.every(({ outcome }) => ["sold", "payment_already_used", "402 already used"].includes(outcome)),
    "with a node, no payment stays in doubt": !node || finals.at(-1)?.outcome !== "settlement_pending",
    "no work is repeated while an earlier run is active or stored": repeats === 0,
    "every run of the work has ended": runs.every(({ fate }) => fate !== "running"),
    "at most one output is stored for a payment": new Set(stored.map(({ payment }) => payment)).size === stored.length,
    "the stored output is the delivered result": stored.every(
      ({ payment, output }) => payment !== repeated || !isKnownPaid(repeated) || given(repeated).has(output),
    ),
    "no other output is stored, except the output of a Worker that died": [...kept].every(
      (o) => stored.some(({ output }) => output === o) || orphaned.includes(o),
    ),
    "a stranger gets a result only if the facilitator denied a transfer that took place": strangers.every(
      ({ outcome, payment }) => outcome !== "sold" || payment.doubled,
    ),
    "no work is done or stored for a forged payment": runs.every((run) => !run.payment.forged),
    "every failed call ends with one of the expected errors": answers.every(({ outcome }) =>
      OUTCOMES.includes(outcome),
    ),
  };
  return Object.keys(rules).filter((rule) => !rules[rule]);
}

const OUTCOMES = [
  "402",
  "402 already used",
  "damaged",
  "facilitator_unavailable",
  "idempotency_key_reused",
  "payment_already_used",
  "payment_in_progress",
  "settlement_pending",
  "sold",
];

test(`payments obey every rule in ${SCHEDULES} random schedules of calls, faults and crashes`, async () => {
  const payment = await paymentFrom();
  const failures: string[] = [];
  const outcomes = new Set<string>();
  const fates = new Set<string>();
  const seen = { lapsed: 0, moved: 0, strangers: new Set<string>() };
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    const history = await new Simulation(seed, payment).play();
    for (const { outcome, isNewPayment, paid } of history.answers) {
      outcomes.add(outcome);
      if (outcome === "sold" && isNewPayment && !paid) seen.lapsed++;
    }
    for (const { consumed, sold } of history.payments) if (consumed?.by === "a stranger" && sold) seen.moved++;
    for (const { fate } of history.runs) fates.add(fate);
    for (const { outcome } of history.strangers) seen.strangers.add(outcome);
    for (const rule of broken(history)) failures.push(`schedule ${seed}: ${rule}`);
  }
  expect(failures).toEqual([]);
  expect([...outcomes].toSorted(), "the schedules reach every outcome").toEqual(OUTCOMES);
  expect([...fates].toSorted(), "the work of the schedules ends in every possible state").toEqual([
    "cut off",
    "deleted",
    "died",
    "failed",
    "stored",
    "yielded",
  ]);
  expect([...seen.strangers], "strangers are refused with both of these codes").toEqual(
    expect.arrayContaining(["402", "payment_already_used"]),
  );
  expect(seen.moved, "payments that strangers submit are sold").toBeGreaterThan(SCHEDULES / 20);
  expect(seen.lapsed, "calls with a new payment get the result of an earlier payment under the key").toBeGreaterThan(
    SCHEDULES / 10,
  );
});
