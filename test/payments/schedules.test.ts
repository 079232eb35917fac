import { expect, test } from "vitest";
import { paymentFrom } from "./payments.ts";
import { type History, hasPaid, isSettledFor, type PaymentHistory, Simulation } from "./simulation.ts";

const SCHEDULES = 2000;

/** What must hold of every schedule; says what does not. */
function broken(history: History): string[] {
  const { payments, answers, strangers, runs, repeats, kept, node, trusted } = history;
  const sold = answers.filter(({ outcome }) => outcome === "sold");
  const runOf = (output: string) => runs.find((run) => run.output === output)!;
  const stored = runs.filter(({ fate }) => fate === "stored");
  const dead = runs.filter(({ fate }) => fate === "died" || fate === "cut off").map(({ output }) => output);
  /** The results that were given for a payment, whoever's call brought it. */
  const given = (payment: PaymentHistory) =>
    new Set(sold.map(({ value }) => value!).filter((value) => runOf(value).payment === payment));
  const elsewhere = ({ consumed }: PaymentHistory) => (consumed?.by === "another service" ? 1 : 0);
  /**
   * The money moved for us, and this can be known: the answer that told of it did not say the opposite, and there is a node,
   * or else the facilitator was asked again before the authorization had run out, of which alone it tells then.
   */
  const ours = (payment: PaymentHistory) =>
    hasPaid(payment, history) && !payment.doubled && (node || (trusted && !payment.forgotten));
  const again = payments[0]!;
  const finals = answers.filter(({ final, key }) => final && key === null);
  const underKey = (["K", "L"] as const).flatMap((key) => (["A", "B"] as const).map((request) => ({ key, request })));
  const movedUnder = (asked: (typeof underKey)[number]) =>
    payments.filter((one) => hasPaid(one, history) && !one.doubled && isSettledFor(one, asked));

  const rules: Record<string, boolean> = {
    "a payment is settled at most once": payments.every(({ moved }) => moved <= 1),
    "results given <= payments moved": payments.every((one) => given(one).size <= one.moved || one.unproved === 1),
    "never two payments moved under one key for one request": underKey.every((asked) => movedUnder(asked).length <= 1),
    "under one key, one request has one result": underKey.every(
      ({ key, request }) =>
        new Set(sold.filter((one) => one.key === key && one.request === request).map(({ value }) => value)).size <= 1,
    ),
    "what is sold without proof is sold in doubt, where there is no node": payments.every(
      ({ unproved, doubts }) => unproved === 0 || (doubts > 0 && !node),
    ),
    "never two results for one payment, but where an answer was lost": payments.every(
      (one) => given(one).size + elsewhere(one) <= 1 || one.doubts > 0,
    ),
    "no result is given before it is paid for": sold.every(({ value }) => {
      const { payment } = runOf(value!);
      return payment.unproved === 1 || elsewhere(payment) === 1 || hasPaid(payment, history);
    }),
    "one payment buys one result": payments.every((one) => given(one).size <= 1),
    "which is what was asked for": sold.every(({ request, value }) => runOf(value!).request === request),
    "what is paid for can be had by repeating the call": !ours(again) || sold.some(({ final }) => final),
    "and under its key, with a payment signed anew": answers.every(
      (one) =>
        !one.final ||
        one.key === null ||
        one.outcome === "sold" ||
        !movedUnder({ key: one.key, request: one.request }).some(ours),
    ),
    "with a node, what a stranger has moved is sold": payments.every(
      ({ consumed, sold, forgotten }) => !node || consumed?.by !== "a stranger" || sold || forgotten,
    ),
    "the books have each sale once": payments.every(({ booked }) => booked.size <= 1),
    "and no other": payments.every(({ booked, sold }) => booked.size === 0 || sold),
    "and lack none": payments.every(({ booked, sold, forgotten }) => !sold || booked.size === 1 || forgotten),
    "once it is paid for, nobody is asked to pay": answers.every(
      ({ outcome, paid, payment }) => payment.doubled || !(paid && outcome === "402"),
    ),
    "nor anybody with its key": answers.every(({ outcome, paidBefore }) => !(paidBefore && outcome === "402")),
    "in the end, one request has the result and the other is refused":
      !ours(again) || finals.every(({ outcome }) => outcome === "sold" || outcome === "payment_already_used"),
    "with a node, nothing is left in doubt": !node || finals.at(-1)?.outcome !== "settlement_pending",
    "no work is run again while an earlier run is under way or stored": repeats === 0,
    "each run of the work is accounted for": runs.every(({ fate }) => fate !== "running"),
    "one output is stored for a payment": new Set(stored.map(({ payment }) => payment)).size === stored.length,
    "and it is the result": stored.every(
      ({ payment, output }) => payment !== again || !ours(again) || given(again).has(output),
    ),
    "nothing else is kept, but what died with its Worker": [...kept].every(
      (o) => stored.some(({ output }) => output === o) || dead.includes(o),
    ),
    "strangers get nothing, but of a payment that was said not to have moved": strangers.every(
      ({ outcome, payment }) => outcome !== "sold" || payment.doubled,
    ),
    "and nothing is done or kept for them": runs.every((run) => !run.payment.forged),
    "no failure is an unexpected one": answers.every(({ outcome }) => OUTCOMES.includes(outcome)),
  };
  return Object.keys(rules).filter((rule) => !rules[rule]);
}

const OUTCOMES = [
  "402",
  "damaged",
  "facilitator_unavailable",
  "idempotency_key_reused",
  "payment_already_used",
  "payment_in_progress",
  "settlement_pending",
  "sold",
];

test(`${SCHEDULES} schedules of calls, faults and deaths: results given = payments settled`, async () => {
  const payment = await paymentFrom();
  const failures: string[] = [];
  const outcomes = new Set<string>();
  const fates = new Set<string>();
  const told = { lapsed: 0, moved: 0, strangers: new Set<string>() };
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    const history = await new Simulation(seed, payment).play();
    for (const { outcome, anew, paid } of history.answers) {
      outcomes.add(outcome);
      if (outcome === "sold" && anew && !paid) told.lapsed++;
    }
    for (const { consumed, sold } of history.payments) if (consumed?.by === "a stranger" && sold) told.moved++;
    for (const { fate } of history.runs) fates.add(fate);
    for (const { outcome } of history.strangers) told.strangers.add(outcome);
    for (const rule of broken(history)) failures.push(`schedule ${seed}: ${rule}`);
  }
  expect(failures).toEqual([]);
  expect([...outcomes].toSorted(), "the schedules reach every outcome").toEqual(OUTCOMES);
  expect([...fates].toSorted(), "and every fate").toEqual(["cut off", "deleted", "died", "failed", "stored"]);
  expect([...told.strangers], "strangers are refused in both ways").toEqual(
    expect.arrayContaining(["402", "payment_already_used"]),
  );
  expect(told.moved, "and what they move themselves is sold").toBeGreaterThan(SCHEDULES / 20);
  expect(told.lapsed, "and results that an earlier payment had bought").toBeGreaterThan(SCHEDULES / 10);
});
