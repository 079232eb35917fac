/**
 * Damages small PDFs in many ways and marks them, in memory and by ranges: `npm run fuzz -- 20000 7` for 20,000 files from
 * seed 7. Each is refused, or the engine and two readers find the mark on every page, and what it took is within its
 * bounds. Files that are neither are left in `out/fuzz/`, and the run fails. One that takes seconds counts as a hang.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import fc from "fast-check";
import { type Damaged, damaged } from "../test/support/mutate.ts";
import { stampsOrRefuses } from "../test/support/property.ts";
import { MUPDF, PDFIUM } from "../test/support/readers.ts";
import { DRAFTS } from "../test/support/seeds.ts";

/** Files that are made from one seed. */
const BATCH = 500;
const HANG_MS = 5000;
/** Every so many files are marked twice, to see that the output is the same. */
const TWICE = 20;
const FOLDER = "out/fuzz";

/** The files [from, to) that are made from a seed. */
interface Batch {
  seed: number;
  from: number;
  to: number;
  /** MuPDF has crashed at the first of them. */
  isAgain: boolean;
}

/** What became of a file. */
interface Report {
  outcome: string;
  ms: number;
  /** What went wrong, with the name of the file. */
  fault?: string;
}

async function runBatch({ seed, from, to, isAgain }: Batch, report: (report: Report) => void): Promise<void> {
  const files = fc.sample(damaged(DRAFTS), { numRuns: to, seed });
  for (let index = from; index < to; index++) {
    const file = files[index]!;
    const readers = isAgain && index === from ? [PDFIUM] : [MUPDF, PDFIUM];
    const start = performance.now();
    const outcome = await outcomeOf(file, { readers, isRepeated: index % TWICE === 0 });
    const ms = performance.now() - start;
    const fault = outcome instanceof Error ? outcome.stack : ms > HANG_MS ? `took ${ms.toFixed(0)} ms` : undefined;
    if (fault === undefined) report({ outcome: String(outcome), ms });
    else report({ outcome: "faulty", ms, fault: keep(`${seed}-${index}.pdf`, file, fault) });
  }
}

async function outcomeOf({ bytes }: Damaged, options: Parameters<typeof stampsOrRefuses>[1]): Promise<string | Error> {
  try {
    return await stampsOrRefuses(bytes, options);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error;
    return error instanceof Error ? error : new Error(String(error));
  }
}

function keep(name: string, { seed, changes, mutations, bytes }: Damaged, fault: string): string {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/${name}`, bytes);
  const damage = [...changes, ...mutations].map(({ kind }) => kind).join(", ");
  return `${FOLDER}/${name} (${seed}: ${damage})\n  ${fault}`;
}

/** Runs batches in a thread of their own; another goes on where a reader has crashed, which it may do at damaged files. */
async function runAll(batches: Iterator<Batch>, report: (report: Report) => void): Promise<void> {
  for (let batch = batches.next().value; batch; ) {
    const { from, to } = batch;
    let done = from;
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: batch });
    worker.on("message", (each: Report) => {
      done++;
      report(each);
    });
    const crash = await new Promise<unknown>((resolve) => worker.on("exit", resolve).on("error", resolve));
    if (done < to && !(crash instanceof WebAssembly.RuntimeError || String(crash).includes("RuntimeError")))
      throw crash;
    batch = done < to ? { ...batch, from: done, isAgain: done === from } : batches.next().value;
  }
}

function* batchesOf(count: number, seed: number): Generator<Batch, undefined> {
  for (let first = 0; first < count; first += BATCH)
    yield { seed: seed + first, from: 0, to: Math.min(BATCH, count - first), isAgain: false };
}

if (isMainThread) {
  const count = Number(process.argv[2] ?? 20_000);
  const seed = Number(process.argv[3] ?? Date.now() % 1e9);
  const outcomes = new Map<string, number>();
  let slowestMs = 0;
  const batches = batchesOf(count, seed);
  const report = ({ outcome, ms, fault }: Report) => {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    slowestMs = Math.max(slowestMs, ms);
    if (fault) console.log(fault);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, () => runAll(batches, report)));
  const tally = [...outcomes].sort(([, a], [, b]) => b - a).map(([outcome, files]) => `${files} ${outcome}`);
  console.log(`seed ${seed}: ${count} files, ${tally.join(", ")}; slowest ${slowestMs.toFixed(0)} ms`);
  process.exitCode = outcomes.has("faulty") ? 1 : 0;
} else await runBatch(workerData as Batch, (report) => parentPort!.postMessage(report));
