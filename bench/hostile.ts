/**
 * `node bench/hostile.ts [N]` sends malicious files through the running Worker. The files are made to cause more work
 * than ordinary files of their size. For each kind of file, the benchmark sends a file with N parts, and then a file
 * with twice as many parts. It prints CPU, memory and output for both files, and how long another client waits
 * meanwhile. The benchmark fails if the larger file takes much more than twice the CPU, memory or output of the smaller
 * file. It also fails if the other client waits for more than half a second.
 */
import { watchHeap } from "../scripts/lib/heap.ts";
import { callPaid } from "../scripts/lib/pay.ts";
import { startWorker } from "../scripts/lib/worker.ts";
import { HOSTILE_FILES } from "../test/support/hostileFiles.ts";

const parts = Number(process.argv[2] ?? 2000);
const LONGEST_WAIT_MS = 500;
/**
 * Maximum ratio of the costs of two files if one file has twice as many parts: 2, plus 25 % for variations between
 * runs.
 */
const MOST_GROWTH = 2.5;
/** Differences in milliseconds and megabytes that count as noise. */
const [NOISE_MS, NOISE_MB] = [150, 30];

process.env.MINIFLARE_WORKERD_V8_FLAGS = "--max-heap-size=96";
const worker = await startWorker({ MAX_BODY_BYTES: "100000000", MAX_SOURCE_BYTES: "100000000" });
const heap = await watchHeap(worker.inspectorPort);

/**
 * Sends small requests in a loop. Returns a function that ends the loop and returns the duration of the slowest answer
 * in milliseconds.
 */
function watchAnswers(): () => Promise<number> {
  let [slowest, isOver] = [0, false];
  const watching = (async () => {
    while (!isOver) {
      const start = performance.now();
      await (await fetch(`${worker.url}/v1/limits`)).arrayBuffer();
      slowest = Math.max(slowest, performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return slowest;
  };
}

async function measure(pdf: Uint8Array<ArrayBuffer>) {
  const form = new FormData();
  form.set("file", new File([pdf], "hostile.pdf"));
  form.set("text", "CONFIDENTIAL");
  const before = await worker.cpuMs();
  heap.peakMb();
  const answers = watchAnswers();
  const response = await callPaid(`${worker.url}/v1/watermark/text`, form);
  const answer = (await response.json()) as { code?: string; output?: { bytes: number } };
  const waitedMs = await answers();
  return {
    outcome: answer.code ?? "marked",
    cpuMs: (await worker.cpuMs()) - before,
    mb: heap.peakMb(),
    bytes: answer.output?.bytes ?? 0,
    waitedMs,
  };
}

let failures = 0;
try {
  await measure(new Uint8Array(HOSTILE_FILES["objects that overlap"]!(10))); // warm up
  for (const [name, make] of Object.entries(HOSTILE_FILES)) {
    const files = [parts, 2 * parts].map((count) => new Uint8Array(make(count)));
    const [one, two] = [await measure(files[0]!), await measure(files[1]!)];
    const faults = [
      two.cpuMs > MOST_GROWTH * one.cpuMs + NOISE_MS && "CPU",
      two.mb > MOST_GROWTH * one.mb + NOISE_MB && "memory",
      one.bytes > 0 && two.bytes > MOST_GROWTH * one.bytes && "output",
      Math.max(one.waitedMs, two.waitedMs) > LONGEST_WAIT_MS && "another client's wait",
    ].filter(Boolean);
    failures += faults.length;
    for (const [i, { outcome, cpuMs, mb, bytes, waitedMs }] of [one, two].entries()) {
      console.log(
        `${(i === 0 ? name : "").padEnd(52)} ${(files[i]!.length / 1024).toFixed(0).padStart(5)} KB  ${cpuMs.toFixed(0).padStart(5)} ms CPU  ${mb.toFixed(0).padStart(4)} MB  ${(bytes / 1024).toFixed(0).padStart(6)} KB out  ${waitedMs.toFixed(0).padStart(4)} ms waited  ${outcome}`,
      );
    }
    if (faults.length > 0) console.log(`  ^ too much ${faults.join(", ")}`);
  }
} finally {
  heap.stop();
  await worker.stop();
}
process.exitCode = failures > 0 ? 1 : 0;
