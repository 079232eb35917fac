/**
 * Plays schedules of the whole service with all kinds of faults. `npm run -s simulate -- 100000 7` plays 100,000
 * schedules from seed 7. If a schedule breaks a rule, its seed and the rule are printed, and the run fails. `npm run -s
 * simulate -- 1 SEED` plays that schedule again and shows the Worker's log. The program uses one core. Start it twice
 * with different seeds to use two cores.
 */
import { brokenChannelRules } from "../test/simulation/channelInvariants.ts";
import { brokenRules } from "../test/simulation/invariants.ts";
import { Simulation } from "../test/simulation/simulation.ts";

/** Interval between two progress reports. */
const TELL_MS = 60_000;

const count = Number(process.argv[2] ?? 10_000);
const first = Number(process.argv[3] ?? Date.now() % 1e9);
const simulation = await Simulation.start();
if (count > 1) Error.stackTraceLimit = 0; // without stack traces of errors, the run takes a sixth less time
const start = performance.now();
const seconds = () => (performance.now() - start) / 1000;
let told = start;
let faulty = 0;
const outcomes = new Map<string, number>();
for (let seed = first; seed < first + count; seed++) {
  const schedule = await simulation.play(seed);
  const broken = [...brokenRules(schedule), ...brokenChannelRules(schedule)];
  if (count === 1) console.log(schedule.world.log.join("\n"));
  for (const rule of broken) console.log(`seed ${seed}: ${rule}`);
  if (broken.length > 0) faulty++;
  for (const { status } of schedule.callers.orders.flatMap(({ answers }) => answers))
    outcomes.set(String(status || "none"), (outcomes.get(String(status || "none")) ?? 0) + 1);
  if (performance.now() - told < TELL_MS) continue;
  told = performance.now();
  console.error(`${seed + 1 - first} of ${count} in ${seconds().toFixed(0)} s, ${faulty} faulty`);
}
const answers = [...outcomes].toSorted(([, a], [, b]) => b - a).map(([status, times]) => `${status}: ${times}`);
console.log(
  `seeds ${first} to ${first + count - 1}: ${faulty} faulty; ${seconds().toFixed(0)} s, ${(count / seconds()).toFixed(0)} a second; answers ${answers.join(", ")}`,
);
process.exitCode = faulty > 0 ? 1 : 0;
