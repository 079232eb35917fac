/**
 * Measures one engine on one input in a separate process: `node bench/measure.ts ENGINE INPUT.pdf`. Prints JSON: the
 * median time of the first runs and of later runs (ms), the growth of peak memory during the first runs (MB), and the
 * length of the output.
 */
import { readFileSync } from "node:fs";
import { FLOOR, OURS, PACKED, PEERS } from "./engines.ts";

/**
 * Time limit of the measurement. Fast engines run many times, which makes the median stable. Slow engines run once or
 * twice.
 */
const TIME_BUDGET_MS = 4000;
const MAX_RUNS = 30;
/** Number of runs after which V8 has compiled the hot code. */
const WARM_UP_RUNS = 1000;
/** Time limit of the warm-up. Engines that would exceed the limit skip the warm-up. */
const WARM_UP_BUDGET_MS = 10_000;

const [name, file] = process.argv.slice(2) as [string, string];
const engine = [FLOOR, OURS, PACKED, ...PEERS].find((candidate) => candidate.name === name)!;
const run = await engine.prepare();
const input = new Uint8Array(readFileSync(file));
const before = process.memoryUsage.rss();

let length = 0;
async function timed(): Promise<number> {
  const began = performance.now();
  length = await run(input);
  return performance.now() - began;
}
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

const times: number[] = [];
const start = performance.now();
for (let runs = 0; runs < 2 || (runs < MAX_RUNS && performance.now() - start < TIME_BUDGET_MS); runs++) {
  times.push(await timed());
  if (times[0]! > TIME_BUDGET_MS) break;
}
const ms = median(times.length > 2 ? times.slice(1) : times);
const peakMb = Math.max(0, process.resourceUsage().maxRSS * 1024 - before) / 1e6;

let laterMs: number | null = null;
if (!engine.native && ms * WARM_UP_RUNS < WARM_UP_BUDGET_MS) {
  for (let runs = 0; runs < WARM_UP_RUNS; runs++) await timed();
  const later: number[] = [];
  for (let runs = 0; runs < MAX_RUNS; runs++) later.push(await timed());
  laterMs = median(later);
}
console.log(JSON.stringify({ ms, laterMs, peakMb, length }));
