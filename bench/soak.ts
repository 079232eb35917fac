/**
 * `npm run bench:soak` marks files of 10 pages for eight concurrent callers for 20 minutes. All calls go through one
 * workerd with the memory limit of an isolate. After every `ROUND.calls` calls, the benchmark pauses and measures the
 * isolate's live memory. `-- --minutes 2` makes a short run. `-- --save` saves the results for `docs/performance.md`.
 * The benchmark fails if a call fails or is refused, if a settled payment has no result, or if the live memory grows by
 * more than the limits below.
 */
import { parseArgs } from "node:util";
import { drive } from "./drive.ts";
import { startLimitedWorker } from "./limitedWorker.ts";
import { counted } from "./report.ts";
import type { Results } from "./results.ts";
import { saveResults } from "./saveResults.ts";
import { slopeOf } from "./slope.ts";
import { startFacilitator } from "./startFacilitator.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "20" }, save: { type: "boolean" } } });
const ROUND = { connections: 8, calls: 240 };
/** Maximum growth of the isolate's live memory per 1,000 calls, and the total growth below which it counts as noise. */
const [MOST_MB, NOISE_MB] = [0.25, 2];

const row = (cells: (string | number)[]) => console.log(`| ${cells.join(" | ")} |`);
const rounds: Results["soak"]["rounds"] = [];
let [calls, failures] = [0, 0];
const facilitator = await startFacilitator();
const worker = await startLimitedWorker({ FACILITATOR_URL: facilitator.url, PAY_TO: `0x${"aa".repeat(20)}` });
try {
  await drive(worker, facilitator, ROUND); // warm up
  row(["calls", "a second", "p50, ms", "p99, ms", "failed", "alive, MB", "workerd, MB"]);
  row(Array(7).fill("---"));
  const ends = Date.now() + Number(values.minutes) * 60_000;
  while (Date.now() < ends || rounds.length < 3) {
    const { perSecond, p50Ms, p99Ms, busy, failed, lost } = await drive(worker, facilitator, ROUND);
    calls += ROUND.calls;
    const aliveMb = await worker.aliveMb();
    const residentMb = await worker.residentMb();
    rounds.push({ calls, perSecond, p50Ms, p99Ms, aliveMb, residentMb });
    const faults = { ...busy, ...failed, ...(lost > 0 && { "payment that bought nothing": lost }) };
    if (Object.keys(faults).length > 0) failures++;
    row([
      ...[calls, perSecond.toFixed(1), p50Ms?.toFixed(0) ?? "-", p99Ms?.toFixed(0) ?? "-", counted(faults)],
      ...[aliveMb.toFixed(1), residentMb.toFixed(0)],
    ]);
  }
} finally {
  await worker.stop();
  facilitator.stop();
}

const slopes = (of: "aliveMb" | "residentMb") => 1000 * slopeOf(rounds.map((round) => [round.calls, round[of]]));
const [alive, resident] = [slopes("aliveMb"), slopes("residentMb")];
console.log(`\nGrowth per 1,000 calls: isolate ${alive.toFixed(2)} MB, workerd ${resident.toFixed(1)} MB`);
const isFlat = alive <= MOST_MB || rounds.at(-1)!.aliveMb - rounds[0]!.aliveMb < NOISE_MB;
if (values.save)
  await saveResults("soak", {
    ...{ minutes: Number(values.minutes), connections: ROUND.connections, failedRounds: failures, rounds },
    ...{ aliveMbPer1000: alive, residentMbPer1000: resident },
  });
process.exitCode = failures > 0 || !isFlat ? 1 : 0;
