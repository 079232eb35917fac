/**
 * `npm run bench:call` measures calls to the running Worker, including upload and storage. For comparison, it
 * alternates these calls with calls to two other Workers. The first is the lower bound: it stores the same body in R2
 * and copies it once. The second marks with pdf-lib. `-- --save` saves the results for `docs/performance.md`.
 */
import { parseArgs } from "node:util";
import { callPaid } from "../scripts/lib/pay.ts";
import { type RunningWorker, startWorker } from "../scripts/lib/worker.ts";
import { INPUTS, type InputName } from "./inputs.ts";
import { MEMORY_MB } from "./limitedWorker.ts";
import { saveResults } from "./saveResults.ts";

const { values } = parseArgs({ options: { save: { type: "boolean" } } });
const CALLS: Record<InputName, number> = { a: 40, b: 7, c: 7, d: 7 };
const WARM_UP = 2;
/** Time limit for a file. A Worker that takes longer counts as failed. */
const TIMEOUT_MS = 60_000;

process.env.MINIFLARE_WORKERD_V8_FLAGS = `--max-heap-size=${MEMORY_MB}`;
const start = () =>
  startWorker({ MAX_BODY_BYTES: "100000000", MAX_SOURCE_BYTES: "100000000" }, { entry: "bench/callWorker.ts" });
/**
 * Returns the mean. A median of CPU times would be too coarse, because CPU times have a resolution of ten milliseconds.
 */
const mean = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** Returns the CPU of workerd for a call in milliseconds, including the simulated R2 and Durable Objects. */
async function cpuOf(worker: RunningWorker, call: () => Promise<Response>): Promise<number> {
  const before = await worker.cpuMs();
  const response = await call();
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  return (await worker.cpuMs()) - before;
}

/** Sends a form to one of the compared Workers. The call has a Content-Length, as curl's calls do. */
async function send(url: string, form: FormData): Promise<Response> {
  const { headers, body } = new Response(form);
  const bytes = await new Response(body).arrayBuffer();
  return fetch(url, { method: "POST", headers, body: bytes, signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** Returns the CPU time of pdf-lib per call in a separate Worker, in milliseconds; undefined if a call fails. */
async function peerCpuMs(form: FormData, calls: number): Promise<number | undefined> {
  const worker = await start();
  try {
    const runs: number[] = [];
    for (let i = 0; i < calls + WARM_UP; i++) runs.push(await cpuOf(worker, () => send(`${worker.url}/pdf-lib`, form)));
    return mean(runs.slice(WARM_UP));
  } catch {
    return undefined;
  } finally {
    await worker.stop();
  }
}

const results = [];
console.log(
  "| file | call, ms of CPU | stored and copied | times | pdf-lib in a Worker |\n| --- | --- | --- | --- | --- |",
);
for (const [name, calls] of Object.entries(CALLS) as [InputName, number][]) {
  const { title, make } = INPUTS[name];
  const pdf = make();
  const form = new FormData();
  form.set("file", new File([pdf], "input.pdf"));
  form.set("text", "CONFIDENTIAL");

  const worker = await start();
  const whole: number[] = [];
  const floor: number[] = [];
  try {
    for (let i = 0; i < calls + WARM_UP; i++) {
      whole.push(await cpuOf(worker, () => callPaid(`${worker.url}/v1/watermark/text`, form)));
      floor.push(await cpuOf(worker, () => send(`${worker.url}/floor`, form)));
    }
  } finally {
    await worker.stop();
  }
  const [callCpuMs, floorCpuMs] = [mean(whole.slice(WARM_UP)), mean(floor.slice(WARM_UP))];
  const peer = await peerCpuMs(form, Math.min(calls, 3));
  const result = { input: title, bytes: pdf.length, callCpuMs, floorCpuMs, ratio: callCpuMs / floorCpuMs };
  results.push({ ...result, peerCpuMs: peer ?? null });
  const cells = [callCpuMs, floorCpuMs].map((ms) => ms.toFixed(0));
  console.log(
    `| (${name}) ${title} | ${cells.join(" | ")} | ${result.ratio.toFixed(2)} | ${peer?.toFixed(0) ?? "failed"} |`,
  );
}
if (values.save) await saveResults("call", { files: results });
