import { expect, test } from "vitest";
import { paymentFrom } from "./payments.ts";
import { type History, Simulation } from "./simulation.ts";

const SCHEDULES = 2000;

/** What must hold of every schedule; says what does not. */
function broken({ moved, consumed, answers, runs, repeats, kept, ...history }: History): string[] {
  const sold = answers.filter(({ outcome }) => outcome === "sold");
  const results = new Set(sold.map(({ value }) => value!));
  const stored = runs.filter(({ fate }) => fate === "stored").map(({ output }) => output);
  const dead = runs.filter(({ fate }) => fate === "died" || fate === "cut off").map(({ output }) => output);
  const { doubts, doubled, node, trusted, unproved } = history;
  const elsewhere = consumed?.by === "another service" ? 1 : 0;
  /** The money moved for us, and this can be known. */
  const ours = consumed?.by === "us" && !doubled && (node || trusted);
  const rules: Record<string, boolean> = {
    "a payment is settled at most once": moved <= 1,
    "results given <= payments moved": results.size <= moved || unproved === 1,
    "what is sold without proof is sold in doubt, where there is no node": unproved === 0 || (doubts > 0 && !node),
    "never two results for one payment, but where an answer was lost": results.size + elsewhere <= 1 || doubts > 0,
    "no result is given before it is paid for": unproved === 1 || elsewhere === 1 || sold.every(({ paid }) => paid),
    "one payment buys one result": results.size <= 1,
    "which is what was asked for": sold.every(
      ({ request, value }) => runs.find(({ output }) => output === value)?.request === request,
    ),
    "what is paid for can be had by repeating the call": !ours || sold.some(({ final }) => final),
    "once it is paid for, nobody is asked to pay":
      doubled || answers.every(({ outcome, paid }) => !(paid && outcome === "402")),
    "in the end, one request has the result and the other is refused":
      !ours ||
      answers
        .filter(({ final }) => final)
        .every(({ outcome }) => outcome === "sold" || outcome === "payment_already_used"),
    "with a node, nothing is left in doubt": !node || answers.at(-1)?.outcome !== "settlement_pending",
    "no work is run again while an earlier run is under way or stored": repeats === 0,
    "each run of the work is accounted for": runs.every(({ fate }) => fate !== "running"),
    "one output is stored": stored.length <= 1,
    "and it is the result": !ours || stored.every((output) => results.has(output)),
    "nothing else is kept, but what died with its Worker": [...kept].every(
      (o) => stored.includes(o) || dead.includes(o),
    ),
    "no failure is an unexpected one": answers.every(({ outcome }) => OUTCOMES.includes(outcome)),
  };
  return Object.keys(rules).filter((rule) => !rules[rule]);
}

const OUTCOMES = [
  "402",
  "damaged",
  "facilitator_unavailable",
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
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    const history = await new Simulation(seed, payment).play();
    for (const { outcome } of history.answers) outcomes.add(outcome);
    for (const { fate } of history.runs) fates.add(fate);
    for (const rule of broken(history)) failures.push(`schedule ${seed}: ${rule}`);
  }
  expect(failures).toEqual([]);
  expect([...outcomes].toSorted(), "the schedules reach every outcome").toEqual(OUTCOMES);
  expect([...fates].toSorted(), "and every fate").toEqual(["cut off", "deleted", "died", "failed", "stored"]);
});
