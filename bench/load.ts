/**
 * `npm run bench:load` marks files of 10 pages for an increasing number of concurrent callers. All calls go through one
 * workerd with the memory limit of an isolate. The benchmark prints results per second, waiting times, errors and
 * memory. It then repeats the calls while other senders upload large files or attack, and with a slow facilitator.
 * `-- --calls 50` makes a short run. `-- --save` saves the results for `docs/performance.md`. The benchmark fails if a
 * call fails without Retry-After, if a settled payment has no result, or if the memory exceeds the limit at the edge.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Company } from "./company.ts";
import { drive, type Load } from "./drive.ts";
import { type LimitedWorker, MEMORY_MB, startLimitedWorker } from "./limitedWorker.ts";
import { counted, loadCells, loadHead } from "./report.ts";
import { saveResults } from "./saveResults.ts";
import { startFacilitator } from "./startFacilitator.ts";

const { values } = parseArgs({ options: { calls: { type: "string", default: "400" }, save: { type: "boolean" } } });
const CALLS = Number(values.calls);
const CONNECTIONS = [1, 2, 4, 8, 16, 32, 64];
/** Number of concurrent callers during background load, and number of their calls. */
const BESIDE = { connections: 8, calls: Math.ceil(CALLS / 2) };
/** Time for which the background load runs before the measurement begins. */
const WARM_UP_MS = 5000;
const AT_ONCE = { verifyMs: 0, settleMs: 0 };
const SLOW = { verifyMs: 500, settleMs: 3000 };

const ATTACKERS: Company[] = ["slow bodies", "broken PDFs", "unsigned payments"];
const SITUATIONS: Record<string, { company: Company[]; delays?: typeof SLOW }> = {
  alone: { company: [] },
  ...Object.fromEntries((["files of 50 MB", ...ATTACKERS] as Company[]).map((kind) => [kind, { company: [kind] }])),
  "a slow facilitator": { company: [], delays: SLOW },
  "all loads, slow facilitator": { company: ["files of 50 MB", ...ATTACKERS], delays: SLOW },
};

/**
 * Runs `act` while other senders create background load, each kind in a separate process. Returns the result of `act`,
 * and how often each kind of sender received each answer.
 */
async function amid<T>(worker: LimitedWorker, company: Company[], act: () => Promise<T>) {
  const others = company.map((kind) => fork(join(import.meta.dirname, "company.ts"), [kind, worker.url]));
  if (others.length > 0) await sleep(WARM_UP_MS);
  const result = await act();
  const answers: Record<string, Record<string, number>> = {};
  for (const [index, other] of others.entries()) {
    const answer = once(other, "message");
    other.send("end");
    answers[company[index]!] = (await answer)[0] as Record<string, number>;
    other.disconnect();
  }
  return { ...result, answers };
}

let failures = 0;
const row = (cells: string[]) => console.log(`| ${cells.join(" | ")} |`);
function tell(name: string, load: Load): void {
  row([name, ...loadCells(load)]);
  if (Object.keys(load.failed).length > 0 || load.lost > 0 || load.heapMb > MEMORY_MB) failures++;
}

const facilitator = await startFacilitator();
const worker = await startLimitedWorker({ FACILITATOR_URL: facilitator.url, PAY_TO: `0x${"aa".repeat(20)}` });
try {
  await drive(worker, facilitator, { connections: 4, calls: Math.min(100, CALLS) }); // warm up
  console.log(`Calls with a file of 10 pages, ${CALLS} at each number of callers\n`);
  row(["concurrent callers", ...loadHead]);
  row(Array(loadHead.length + 1).fill("---"));
  const levels: Load[] = [];
  for (const connections of CONNECTIONS) {
    levels.push(await drive(worker, facilitator, { connections, calls: Math.max(CALLS, 2 * connections) }));
    tell(String(connections), levels.at(-1)!);
  }

  console.log(`\nThe same calls beside other load, ${BESIDE.calls} by ${BESIDE.connections} concurrent callers\n`);
  row(["beside", ...loadHead]);
  row(Array(loadHead.length + 1).fill("---"));
  const beside: (Load & { name: string; answers: Record<string, Record<string, number>> })[] = [];
  for (const [name, { company, delays = AT_ONCE }] of Object.entries(SITUATIONS)) {
    facilitator.delay(delays);
    const load = await amid(worker, company, () => drive(worker, facilitator, BESIDE));
    facilitator.delay(AT_ONCE);
    beside.push({ name, ...load });
    tell(name, load);
    for (const [kind, counts] of Object.entries(load.answers)) console.log(`${kind}: ${counted(counts)}`);
  }
  if (values.save)
    await saveResults("load", { calls: CALLS, levels, ...{ besideCalls: BESIDE.calls, beside, slow: SLOW } });
} finally {
  await worker.stop();
  facilitator.stop();
}
process.exitCode = failures > 0 ? 1 : 0;
