import { expect, test } from "vitest";
import { ANSWERS, brokenRules } from "./invariants.ts";
import { Simulation } from "./simulation.ts";

const SCHEDULES = 5000;

/** What callers come to in so many schedules: all there is, but to be kept away, which takes a crowd. */
const OFTEN = ["none", ...ANSWERS].filter((answer) => answer !== "429 too_many_requests");

test(`${SCHEDULES} schedules of the whole service, with faults everywhere`, { timeout: 300_000 }, async () => {
  const simulation = await Simulation.start();
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0; // a sixth of the time; `npm run simulate` shows the traces of a seed that fails
  const failures: string[] = [];
  const answered = new Set<string>();
  const looked = new Set<number>();
  let undisturbed = 0;
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    const schedule = await simulation.play(seed);
    for (const rule of brokenRules(schedule)) failures.push(`seed ${seed}: ${rule}`);
    for (const { lost, status, code, isUndisturbed } of schedule.callers.orders.flatMap(({ answers }) => answers)) {
      answered.add(lost ? "none" : `${status} ${code}`.trim());
      if (isUndisturbed) undisturbed++;
    }
    for (const { looks } of schedule.callers.links.values()) for (const { status } of looks) looked.add(status);
  }
  Error.stackTraceLimit = stackTraceLimit;
  expect(failures).toEqual([]);
  expect([...answered], "the schedules reach every outcome").toEqual(expect.arrayContaining(OFTEN));
  expect(undisturbed, "and calls that nothing disturbs").toBeGreaterThan(SCHEDULES / 2);
  expect([...looked].toSorted(), "and links in every state").toEqual([200, 410, 500]);
});

test("a seed gives the same schedule again, whatever was played before it", async () => {
  const simulation = await Simulation.start();
  const seeds = Array.from({ length: 30 }, (_, at) => 100 + at);
  const logsOf = async (order: readonly number[]) => {
    const logs = new Map<number, string>();
    for (const seed of order) {
      const { log } = (await simulation.play(seed)).world;
      logs.set(seed, log.map((line) => line.split("\\n    at ")[0]).join("\n")); // who has called is no part of it
    }
    return seeds.map((seed) => logs.get(seed));
  };
  const logs = await logsOf(seeds);
  expect(await logsOf(seeds.toReversed())).toEqual(logs);
});
