/**
 * Measures one engine on one input, in its own process: `node bench/measure.ts ENGINE INPUT.pdf`. Prints JSON with the
 * median time in milliseconds, the peak memory of the process less what it held before the first run, in MB, the length
 * of the output and the number of runs.
 */
import { readFileSync } from "node:fs";
import { FLOOR, OURS, PEERS } from "./engines.ts";

/** Fast engines run many times, for a stable median; slow ones once or twice. */
const TIME_BUDGET_MS = 4000;
const MAX_RUNS = 30;

const [name, file] = process.argv.slice(2) as [string, string];
const engine = [FLOOR, OURS, ...PEERS].find((candidate) => candidate.name === name)!;
const run = await engine.prepare();
const input = new Uint8Array(readFileSync(file));
const before = process.memoryUsage.rss();

const times: number[] = [];
let length = 0;
const start = performance.now();
for (let runs = 0; runs < 2 || (runs < MAX_RUNS && performance.now() - start < TIME_BUDGET_MS); runs++) {
  const began = performance.now();
  length = await run(input);
  times.push(performance.now() - began);
  if (times[0]! > TIME_BUDGET_MS) break;
}
const warm = times.length > 2 ? times.slice(1) : times;
const ms = warm.toSorted((a, b) => a - b)[Math.floor(warm.length / 2)]!;
const peakMb = Math.max(0, process.resourceUsage().maxRSS * 1024 - before) / 1e6;
console.log(JSON.stringify({ ms, peakMb, length, runs: times.length }));
