/**
 * Damages small PDFs in many ways, and marks each with an image or a text, once in memory and once by ranges. `npm run
 * fuzz -- 20000 7` runs 20,000 files from seed 7. A file passes if the engine rejects it, or if the engine, MuPDF and
 * PDFium find the mark on every page that they show. The engine must also stay within its limits of work. Files that do
 * not pass are saved to `out/fuzz/`, and the run fails.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import fc from "fast-check";
import { type Damaged, damaged } from "../test/support/mutate.ts";
import { MUPDF, PDFIUM } from "../test/support/onlookers.ts";
import { marksOrRefuses, type Trial } from "../test/support/property.ts";
import { DRAFTS } from "../test/support/seeds.ts";
import { CORNER, textMarks } from "../test/support/trialMarks.ts";

/** Number of files made from one seed. */
const BATCH = 2000;
/** Limit of CPU time for a file. An engine that exceeds the limit counts as hanging. */
const MOST_MS = 5000;
/** Time limit for a reader. A reader that exceeds the limit counts as hanging. */
const PATIENCE_MS = 30_000;
/** Interval, in files, between checks that marking a file twice produces the same output. */
const TWICE = 20;
const FOLDER = "out/fuzz";
const fonts = new Map<string, Promise<Uint8Array>>();
const MARKS = [
  CORNER,
  ...textMarks((path) => {
    const font = fonts.get(path) ?? readFile(join(import.meta.dirname, "../fonts", path));
    fonts.set(path, font);
    return font;
  }),
];

/**
 * The readers that check a file, by the number of times that a reader has crashed on this file: both readers at first,
 * one reader after one or two crashes, and no reader after three.
 */
const ONLOOKERS = [[MUPDF, PDFIUM], [PDFIUM], [MUPDF], []];

/** A batch of files made from one seed. The numbers of the files go from `from` up to, but not including, `to`. */
interface Batch {
  seed: number;
  from: number;
  to: number;
  /** Number of crashes and hangs of readers on the first file of the batch. */
  crashes: number;
}

/** The outcome for one file. */
interface Report {
  outcome: string;
  /** Path of the saved file and description of the fault, if the file did not pass. */
  fault?: string;
}

/**
 * Marks and checks the files of a batch. If a file other than the first shows a fault, the function stops before that
 * file. An earlier file may have damaged the state of a reader, so a new thread must check the file again.
 */
async function runBatch({ seed, from, to, crashes }: Batch, report: (report: Report) => void): Promise<void> {
  const files = fc.sample(damaged(DRAFTS), { numRuns: to, seed });
  for (let index = from; index < to; index++) {
    const file = files[index]!;
    const onlookers = ONLOOKERS[index === from ? crashes : 0]!;
    try {
      const outcome = await marksOrRefuses(file.bytes, {
        mark: MARKS[index % MARKS.length]!,
        thorough: index % (2 * MARKS.length) >= MARKS.length,
        onlookers,
        isRepeated: index % TWICE === 0,
        mostMs: MOST_MS,
      } satisfies Trial);
      const isSeen = onlookers.length === ONLOOKERS[0]!.length;
      report({ outcome: isSeen ? outcome : `${outcome} (checked only by ${onlookers[0]?.name ?? "no reader"})` });
    } catch (error) {
      if (isCrash(error)) throw error;
      if (index !== from) return;
      report({ outcome: "faulty", fault: keep(`${seed}-${index}.pdf`, file, (error as Error).stack ?? String(error)) });
    }
  }
}

/**
 * Returns whether an error is a crash of a reader. A reader that has crashed on a damaged file gives unreliable answers
 * afterwards.
 */
function isCrash(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || String(error).includes("RuntimeError");
}

function keep(name: string, { seed, changes, mutations, bytes }: Damaged, fault: string): string {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/${name}`, bytes);
  const damage = [...changes, ...mutations].map(({ kind }) => kind).join(", ");
  return `${FOLDER}/${name} (${seed}: ${damage})\n  ${fault}`;
}

/** Runs each batch in a separate thread. If the thread ends before the batch, a new thread continues the batch. */
async function runAll(batches: Iterator<Batch>, report: (report: Report) => void): Promise<void> {
  for (let batch = batches.next().value; batch; ) {
    const { from, to } = batch;
    let done = from;
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: batch });
    const end = new Promise<unknown>((resolve) => worker.on("exit", resolve).on("error", resolve));
    const watch = setTimeout(() => worker.terminate(), PATIENCE_MS);
    worker.on("message", (each: Report) => {
      done++;
      watch.refresh();
      report(each);
    });
    const cause = await end;
    clearTimeout(watch);
    const crashes = done === from ? batch.crashes + 1 : 0;
    const isReader = isCrash(cause) || typeof cause === "number"; // a number is the exit code of a thread that was terminated, because it exceeded a time limit
    if (done < to && !(isReader && ONLOOKERS[crashes])) throw cause;
    batch = done < to ? { ...batch, from: done, crashes } : batches.next().value;
  }
}

function* batchesOf(count: number, seed: number): Generator<Batch, undefined> {
  for (let first = 0; first < count; first += BATCH)
    yield { seed: seed + first, from: 0, to: Math.min(BATCH, count - first), crashes: 0 };
}

if (isMainThread) {
  const count = Number(process.argv[2] ?? 20_000);
  const seed = Number(process.argv[3] ?? Date.now() % 1e9);
  const outcomes = new Map<string, number>();
  const batches = batchesOf(count, seed);
  const report = ({ outcome, fault }: Report) => {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (fault) console.log(fault);
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: availableParallelism() }, () => runAll(batches, report)));
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  const tally = [...outcomes].sort(([, a], [, b]) => b - a).map(([outcome, files]) => `${files} ${outcome}`);
  console.log(`seed ${seed}: ${count} files in ${seconds} s, ${tally.join(", ")}`);
  process.exitCode = outcomes.has("faulty") ? 1 : 0;
} else await runBatch(workerData as Batch, (report) => parentPort!.postMessage(report));
