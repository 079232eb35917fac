/** Checks the property that holds for every input: each output page has the mark, or the engine rejects the file. */
import { inflateSync } from "node:zlib";
import { plain } from "../../src/engine/bytes.ts";
import { EngineError, PlanOutdated } from "../../src/engine/index.ts";
import { openPdf } from "../../src/engine/pdf/document/openPdf.ts";
import type { PdfDocument } from "../../src/engine/pdf/document/pdfDocument.ts";
import { readStream } from "../../src/engine/pdf/objects/streams.ts";
import { planOutput } from "../../src/engine/pdf/output/outputPlan.ts";
import type { PageEntry } from "../../src/engine/pdf/pages/page.ts";
import { type ByteSource, MemorySource, RangeSource } from "../../src/engine/pdf/source/byteSource.ts";
import { WORK_LIMITS } from "../../src/engine/pdf/source/meter.ts";
import { parseValue } from "../../src/engine/pdf/syntax/values.ts";
import { findOrigin } from "../../src/engine/pdf/xref/xref.ts";
import { isEqual, joined } from "./bytes.ts";
import type { Onlooker } from "./onlookers.ts";
import { readerBy } from "./ranges.ts";
import type { TrialMark } from "./trialMarks.ts";

/** Settings for marking one file. */
export interface Trial {
  mark: TrialMark;
  /** Whether the engine must read the whole file before it plans the output. */
  thorough?: boolean;
  /** Renderers that must show the mark on every output page. */
  onlookers?: readonly Onlooker[];
  /** Whether to mark the file twice and compare both outputs. */
  isRepeated?: boolean;
  /** Maximum CPU time in milliseconds that the engine may spend on a file in Node.js. */
  mostMs?: number;
}

/** A marked file, its source document, and the cost of marking. */
interface Marked {
  output: Uint8Array;
  document: PdfDocument;
}

const MAX_PAGES = 10_000;

/**
 * Marks a file in memory and by reading it in byte ranges, and checks all pages of both outputs.
 * @returns "marked", or the error code if the engine rejects the file
 * @throws Error if a page lacks the mark according to the engine or a renderer, if all renderers show more source pages
 * than are marked, or if an output exceeds the limits of work, time or size
 */
export async function marksOrRefuses(file: Uint8Array, trial: Trial): Promise<string> {
  const source = plain(file);
  const { thorough = false, onlookers = [] } = trial;
  // If bytes precede the file header, renderers may treat the whole file as damaged. The test then ignores the number
  // of pages that they show.
  const isWhole = onlookers.length > 0 && findOrigin(new MemorySource(source)) === 0;
  const shown = isWhole ? Math.min(...onlookers.map(({ look }) => look(source, trial.mark).length)) : 0;

  const inMemory = await orRefusal(markIn(new MemorySource(source), thorough, trial));
  const byRanges = await orRefusal(markByRanges(source, trial));
  const isSame = !isRefusal(inMemory) && !isRefusal(byRanges) && isEqual(inMemory.output, byRanges.output);
  if (trial.isRepeated && !isRefusal(inMemory)) {
    const again = await markIn(new MemorySource(source), thorough, trial);
    if (!isEqual(again.output, inMemory.output)) throw new Error("two outputs of the same file differ");
  }
  if (!isRefusal(inMemory)) await checkPages(inMemory, shown, trial);
  if (!isRefusal(byRanges) && !isSame) await checkPages(byRanges, shown, trial);
  return isRefusal(inMemory) ? inMemory.code : "marked";
}

const isRefusal = (outcome: Marked | EngineError) => outcome instanceof EngineError;

async function orRefusal(marked: Promise<Marked>): Promise<Marked | EngineError> {
  return marked.catch((error: unknown) => {
    if (error instanceof EngineError) return error;
    throw error;
  });
}

async function markByRanges(bytes: Uint8Array, trial: Trial): Promise<Marked> {
  const source = () => new RangeSource(readerBy(bytes.length, async (start, end) => bytes.slice(start, end)));
  return markIn(source(), trial.thorough === true, trial).catch((error: unknown) => {
    if (error instanceof PlanOutdated) return markIn(source(), true, trial);
    throw error;
  });
}

async function markIn(source: ByteSource, thorough: boolean, { mark, mostMs }: Trial): Promise<Marked> {
  const before = mostMs === undefined ? undefined : process.threadCpuUsage();
  const document = await openPdf(source, { maxPages: MAX_PAGES, thorough });
  await mark.lay(document);
  const plan = await planOutput(document);
  const output = await joined(plan.chunks());
  if (mostMs !== undefined) {
    const { user, system } = process.threadCpuUsage(before);
    if (user + system > mostMs * 1000) throw new Error(`took ${Math.round((user + system) / 1000)} ms`);
  }
  if (output.length !== plan.length) throw new Error(`planned ${plan.length} bytes, wrote ${output.length}`);
  checkWork(document, output.length);
  return { output, document };
}

function checkWork({ objects, pages }: PdfDocument, written: number): void {
  const { length, meter } = objects.source;
  const { scanned, decoded, retained } = meter.used;
  const amounts: [string, number, number][] = [
    ["scanned", scanned, WORK_LIMITS.scannedTimes * length + WORK_LIMITS.scanned],
    ["decoded", decoded, WORK_LIMITS.decoded],
    ["retained", retained, WORK_LIMITS.retained],
    ["written", written, 2 * length + WORK_LIMITS.output + pages.length * WORK_LIMITS.outputPerPage],
  ];
  for (const [what, used, most] of amounts) if (used > most) throw new Error(`${what}: ${used} of ${most} bytes`);
}

/**
 * Checks that every page of an output has a visible mark.
 * @param before number of pages of the source that all renderers show
 */
async function checkPages({ output, document }: Marked, before: number, trial: Trial): Promise<void> {
  const { mark, onlookers = [] } = trial;
  const { length } = document.pages;
  const after = await openPdf(new MemorySource(output), { maxPages: MAX_PAGES });
  if (after.pages.length !== length) throw new Error(`${length} pages became ${after.pages.length}`);
  for (const page of after.pages)
    if (!isMarked(after, page)) throw new Error(`page ${page.index + 1} of ${length} has no mark`);

  for (const onlooker of onlookers) {
    const shown = onlooker.look(output, mark);
    if (before > Math.max(length, shown.length) && !document.missesPages)
      // If the engine knows that pages are missing, it reports this in a notice.
      throw new Error(`${before} pages are shown, but only ${length} are marked`);
    if (before > 0 && shown.length === 0) throw new Error(`${onlooker.name} shows no pages of the output`);
    if (shown.includes(false)) throw new Error(`${onlooker.name} shows a page without its mark`);
  }
}

/** Returns whether the last content stream of a page draws only forms that the page's resources define. */
function isMarked({ objects }: PdfDocument, { contents, rewrite }: PageEntry): boolean {
  const last = /(\d+) 0 R\s*$/.exec(contents!.items)?.[1];
  const row = last === undefined ? -1 : objects.table.liveRow(Number(last));
  if (row < 0 || !objects.table.isInFile(Number(last))) return false;
  const lengthOf = objects.streamLength.bind(objects);
  const { num, gen, data } = readStream(objects.source, objects.table.offset(row), lengthOf);
  const content = inflateSync(objects.cipher?.decryptStream(num, gen, data) ?? data).toString("latin1");
  const shown = content.replace(/q \/Span<<\/ActualText\(.*\)>>BDC\n(q .* Do Q) .* cm\nEMC Q/, "$1");
  if (!/^\/Artifact<<\/Type\/Pagination\/Subtype\/Watermark>>BDC(\nq .* Do Q)+\nEMC( Q)*\s*$/.test(shown)) return false;
  const resources = objects.dictionary(objects.dictionary(parseValue(rewrite.text, 0))?.get("Resources"));
  const names = objects.dictionary(resources?.get("XObject"));
  const isForm = (name: string) => objects.dictionary(names?.get(name))?.get("Subtype") === "Form";
  return Array.from(content.matchAll(/\/(\w+) Do/g), ([, name]) => name!).every(isForm);
}
