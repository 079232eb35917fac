/**
 * `npm run check:pairs -- 3000 7` applies 3,000 random pairs of defects to a file, with the random seed 7. The engine
 * tolerates each defect alone. If PDFium, MuPDF or Poppler shows the pages of a file with two defects, the engine must
 * mark the file, and all three readers must show the mark on every page. Poppler is skipped if it is not installed. The
 * script saves files that fail to `out/pairs/`, and exits with 1.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import fc from "fast-check";
import { encode } from "../test/support/bytes.ts";
import { MUPDF, PDFIUM } from "../test/support/onlookers.ts";
import { INSTALLED_POPPLER } from "../test/support/poppler.ts";
import { marksOrRefuses } from "../test/support/property.ts";
import { CORNER } from "../test/support/trialMarks.ts";
import { DEFECTS, SOUND } from "./lib/defects.ts";

const FOLDER = "out/pairs";
const ONLOOKERS = [PDFIUM, MUPDF, ...INSTALLED_POPPLER];
/** Number of files that one thread checks. After these files, a new thread with restarted readers continues. */
const BATCH = 200;
/** Time limit for a file. A reader that exceeds the limit counts as hanging. */
const PATIENCE_MS = 60_000;

/**
 * Accepted exceptions: pairs of defects with which a reader shows the file although the engine rejects it. The value is
 * the reason.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "a kid that is a dictionary + a page whose dictionary opens twice":
    "The second defect is within the array of kids, whose brackets then do not balance. Only PDFium finds the pages.",
};

/** The defects of one file, as one or two names. */
type Case = readonly string[];

const fileOf = (defects: Case) => defects.reduce((file, name) => DEFECTS[name]!(file), SOUND);

/** Returns the fault of a file with these defects, or "" without a fault. */
async function faultOf(defects: Case): Promise<string> {
  const file = encode(fileOf(defects));
  try {
    const outcome = await marksOrRefuses(file, { mark: CORNER, onlookers: ONLOOKERS });
    if (outcome === "marked") return "";
    const showing = ONLOOKERS.filter(({ look }) => look(file, CORNER).length > 0);
    return showing.length > 0 ? `${outcome}, although ${showing.map(({ name }) => name).join(" and ")} shows it` : "";
  } catch (error) {
    // after this error, the reader's WebAssembly instance is unusable
    if (error instanceof WebAssembly.RuntimeError) throw error;
    return String(error);
  }
}

/** Checks files in threads. A file at which a reader crashes or hangs counts as unchecked. */
async function check(cases: readonly Case[], report: (defects: Case, fault: string) => void): Promise<number> {
  let crashes = 0;
  for (let done = 0; done < cases.length; ) {
    const batch = cases.slice(done, done + BATCH);
    let checked = 0;
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: batch });
    const watch = setTimeout(() => worker.terminate(), PATIENCE_MS);
    worker.on("message", (fault: string) => {
      watch.refresh();
      report(batch[checked++]!, fault);
    });
    await new Promise<unknown>((resolve) => worker.on("exit", resolve).on("error", resolve));
    clearTimeout(watch);
    if (checked < batch.length) crashes++;
    done += checked < batch.length ? checked + 1 : checked;
  }
  return crashes;
}

if (isMainThread) {
  const names = Object.keys(DEFECTS);
  const useless = names.filter((name) => fileOf([name]) === SOUND);
  if (useless.length > 0) throw new Error(`these defects change nothing: ${useless.join(", ")}`);
  const tolerated: string[] = [];
  await check(
    names.map((name) => [name]),
    ([name], fault) => (fault ? console.log(`alone: ${name}: ${fault}`) : tolerated.push(name!)),
  );

  const count = Number(process.argv[2] ?? 3000);
  const seed = Number(process.argv[3] ?? Date.now() % 1e9);
  const one = fc.constantFrom(...tolerated);
  const pairs = fc.sample(fc.tuple(one, one), { numRuns: count, seed }).filter(([first, second]) => first !== second);
  let failed = 0;
  const crashes = await check(pairs, (defects, fault) => {
    const name = defects.join(" + ");
    if (!fault || Object.hasOwn(EXCEPTIONS, name)) return;
    failed++;
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(`${FOLDER}/${name.replaceAll(/[^\w]+/g, "-")}.pdf`, encode(fileOf(defects)));
    console.log(`${name}: ${fault}`);
  });
  console.log(
    `seed ${seed}: ${tolerated.length} of ${names.length} defects alone, ${pairs.length} pairs, ${failed} failed, ` +
      `${crashes} at which a reader crashed`,
  );
  if (failed > 0 || tolerated.length < names.length) process.exitCode = 1;
} else for (const defects of workerData as Case[]) parentPort!.postMessage(await faultOf(defects));
