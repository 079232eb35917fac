import { expect, test } from "vitest";
import { allCases } from "../support/allCases.ts";
import { brokenChannelRules } from "./channelInvariants.ts";
import { ANSWERS, brokenRules } from "./invariants.ts";
import { Simulation } from "./simulation.ts";

const SCHEDULES = allCases ? 5000 : 1000;

/**
 * The outcomes that the {@link SCHEDULES} schedules must reach. Throttling is omitted, because it needs many more
 * callers.
 */
const OFTEN = ["none", ...ANSWERS].filter((answer) => answer !== "429 too_many_requests");

test(`the Worker breaks no rule in ${SCHEDULES} random schedules with faults in all parts`, {
  timeout: 300_000,
}, async () => {
  const simulation = await Simulation.start();
  const { stackTraceLimit } = Error;
  // Omitting stack traces of errors saves a sixth of the time. The command `npm run simulate` shows the stack traces of
  // a failing seed.
  Error.stackTraceLimit = 0;
  const failures: string[] = [];
  const answered = new Set<string>();
  const channelAnswers = new Set<string>();
  const looked = new Set<number>();
  let undisturbed = 0;
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    const schedule = await simulation.play(seed);
    for (const rule of [...brokenRules(schedule), ...brokenChannelRules(schedule)])
      failures.push(`seed ${seed}: ${rule}`);
    const { orders, refunds, strangers, withdrawing } = schedule.channelPayers;
    const statuses = orders.flatMap(({ answers }) => answers.map(({ status }) => `call ${status}`));
    for (const what of [...statuses, ...refunds.map((one) => `refund ${one}`)]) channelAnswers.add(what);
    if (strangers.length > 0) channelAnswers.add("stranger");
    if (withdrawing.size > 0) channelAnswers.add("withdrawal");
    for (const { lost, status, code, isUndisturbed } of schedule.callers.orders.flatMap(({ answers }) => answers)) {
      answered.add(lost ? "none" : `${status} ${code}`.trim());
      if (isUndisturbed) undisturbed++;
    }
    for (const { looks } of schedule.callers.links.all) for (const { status } of looks) looked.add(status);
  }
  Error.stackTraceLimit = stackTraceLimit;
  expect(failures).toEqual([]);
  expect([...answered], "the schedules reach every outcome").toEqual(expect.arrayContaining(OFTEN));
  expect([...channelAnswers], "the schedules reach every state of channels").toEqual(
    expect.arrayContaining(["call 0", "call 200", "call 402", "call 503", "refund 200", "stranger", "withdrawal"]),
  );
  expect(undisturbed, "many calls are undisturbed").toBeGreaterThan(SCHEDULES / 2);
  expect([...looked].toSorted(), "the schedules reach links in every state").toEqual([200, 410, 500]);
});

test("the simulation plays the same schedule for the same seed, regardless of earlier schedules", async () => {
  const simulation = await Simulation.start();
  const seeds = Array.from({ length: 30 }, (_, at) => 100 + at);
  const logsOf = async (order: readonly number[]) => {
    const logs = new Map<number, string>();
    for (const seed of order) {
      const { log } = (await simulation.play(seed)).world;
      // Removes the stack trace from the line.
      logs.set(seed, log.map((line) => line.split("\\n    at ")[0]).join("\n"));
    }
    return seeds.map((seed) => logs.get(seed));
  };
  const logs = await logsOf(seeds);
  expect(await logsOf(seeds.toReversed())).toEqual(logs);
});
