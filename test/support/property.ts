/** What must hold for any bytes at all: every page of the output has the mark, or the file is refused. */

import { readImage } from "../../src/engine/images/readImage.ts";
import { EngineError, PlanOutdated } from "../../src/engine/index.ts";
import { markWithImage } from "../../src/engine/marks/imageMark.ts";
import { type ByteSource, MemorySource, RangeSource } from "../../src/engine/pdf/byteSource.ts";
import { openPdf, type PdfDocument } from "../../src/engine/pdf/document.ts";
import { WORK_LIMITS } from "../../src/engine/pdf/meter.ts";
import { planOutput } from "../../src/engine/pdf/outputPlan.ts";
import type { PageTarget } from "../../src/engine/pdf/pageTree.ts";
import { readStream } from "../../src/engine/pdf/streams.ts";
import { parseValue } from "../../src/engine/pdf/values.ts";
import { findOrigin } from "../../src/engine/pdf/xref.ts";
import { isEqual, joined } from "./bytes.ts";
import { readerBy } from "./ranges.ts";
import { MAGENTA } from "./stamp.ts";

/** A program that shows PDFs. */
export interface Reader {
  name: string;
  /** Returns for each page that it shows whether the mark is on it. */
  look(pdf: Uint8Array): readonly boolean[];
}

/** A marked file, and what the engine took for its source. */
interface Stamped {
  output: Uint8Array;
  document: PdfDocument;
}

const MAX_PAGES = 10_000;
/** An opaque magenta square, a fifth of the page wide, in the lower right corner of every page. */
const MARK = { position: "bottom-right", scale: 0.2, opacity: 1 } as const;

/**
 * Lays the mark over a file, in memory and by ranges, and looks at all pages of the outputs.
 * @param isRepeated does it twice, to see that the output is the same
 * @returns what became of the file: "stamped", "swallowed" if a page's content hides the mark in a reader, or the code
 * of its refusal
 * @throws Error if a page lacks the mark in the eyes of the engine or of a reader, if a reader shows fewer pages than of
 * the source, or if an output took more work or has more bytes than any may
 */
export async function stampsOrRefuses(
  source: Uint8Array,
  { readers = [], isRepeated = false }: { readers?: readonly Reader[]; isRepeated?: boolean } = {},
): Promise<string> {
  const inMemory = await orRefusal(stampIn(new MemorySource(source), false));
  const byRanges = await orRefusal(stampByRanges(source));
  const isSame = !isRefusal(inMemory) && !isRefusal(byRanges) && isEqual(inMemory.output, byRanges.output);
  if (isRepeated && !isRefusal(inMemory)) {
    const again = await stampIn(new MemorySource(source), false);
    if (!isEqual(again.output, inMemory.output)) throw new Error("the output differs from one time to the other");
  }
  const outcomes = [
    isRefusal(inMemory) ? inMemory.code : await checkPages(source, inMemory, readers),
    isRefusal(byRanges) || isSame ? "" : await checkPages(source, byRanges, readers),
  ];
  return outcomes.includes("swallowed") ? "swallowed" : outcomes[0]!;
}

const isRefusal = (outcome: Stamped | EngineError) => outcome instanceof EngineError;

async function orRefusal(stamped: Promise<Stamped>): Promise<Stamped | EngineError> {
  return stamped.catch((error: unknown) => {
    if (error instanceof EngineError) return error;
    throw error;
  });
}

async function stampByRanges(bytes: Uint8Array): Promise<Stamped> {
  const source = () => new RangeSource(readerBy(bytes.length, async (start, end) => bytes.slice(start, end)));
  return stampIn(source(), false).catch((error: unknown) => {
    if (error instanceof PlanOutdated) return stampIn(source(), true);
    throw error;
  });
}

async function stampIn(source: ByteSource, thorough: boolean): Promise<Stamped> {
  const document = await openPdf(source, { maxPages: MAX_PAGES, thorough });
  await markWithImage(document, await readImage(MAGENTA, { maxPixels: 64 }), MARK);
  const plan = await planOutput(document);
  const output = await joined(plan.chunks());
  if (output.length !== plan.length) throw new Error(`planned ${plan.length} bytes, wrote ${output.length}`);
  checkWork(document, output.length);
  return { output, document };
}

function checkWork({ objects, pages, added, repairedBytes }: PdfDocument, written: number): void {
  const { length, meter } = objects.source;
  const { scanned, decoded, kept } = meter.used;
  const mark = added.reduce((sum, { object }) => sum + (typeof object === "string" ? object : object.data).length, 0);
  const amounts: [string, number, number][] = [
    ["scanned", scanned, WORK_LIMITS.scannedTimes * length + WORK_LIMITS.scanned],
    ["decoded", decoded, WORK_LIMITS.decoded],
    ["kept", kept, WORK_LIMITS.kept],
    ["written", written, length + repairedBytes + mark + WORK_LIMITS.output + pages.length * WORK_LIMITS.outputPerPage],
  ];
  for (const [what, used, most] of amounts) if (used > most) throw new Error(`${what}: ${used} of ${most} bytes`);
}

async function checkPages(
  source: Uint8Array,
  { output, document }: Stamped,
  readers: readonly Reader[],
): Promise<"stamped" | "swallowed"> {
  const { length } = document.pages;
  const after = await openPdf(new MemorySource(output), { maxPages: MAX_PAGES });
  if (after.pages.length !== length) throw new Error(`${length} pages became ${after.pages.length}`);
  for (const { target, repeated, index } of after.pages)
    if (target && !repeated && !isMarked(after, target)) throw new Error(`page ${index + 1} of ${length} has no mark`);

  let outcome: "stamped" | "swallowed" = "stamped";
  // Where something precedes the header, readers may take the whole file for damaged.
  const isWhole = findOrigin(new MemorySource(source)) === 0;
  const before = isWhole && readers.length > 0 ? Math.min(...readers.map(({ look }) => look(source).length)) : 0;
  for (const reader of readers) {
    const shown = reader.look(output);
    if (before > Math.max(length, shown.length))
      throw new Error(`${before} pages were shown, and ${length} are marked`);
    if (shown.length === 0 && before > 0) throw new Error(`${reader.name} shows no page any more`);
    if (!shown.includes(false)) continue;
    if (reader.look(await withoutContents(output)).includes(false))
      throw new Error(`${reader.name} shows a page without its mark`);
    outcome = "swallowed";
  }
  return outcome;
}

/** Lays the mark over an output's pages again, without any other contents. */
async function withoutContents(output: Uint8Array): Promise<Uint8Array> {
  const document = await openPdf(new MemorySource(output), { maxPages: MAX_PAGES });
  for (const page of document.pages)
    if (page.target) page.target = { ...page.target, contents: { items: "", shared: undefined } };
  await markWithImage(document, await readImage(MAGENTA, { maxPixels: 64 }), MARK);
  return joined((await planOutput(document)).chunks());
}

/** Returns whether the last of a page's contents draws a form that the page's resources have. */
function isMarked({ objects }: PdfDocument, { contents, slot }: PageTarget): boolean {
  const last = /(\d+) 0 R\s*$/.exec(contents.items)?.[1];
  const row = last === undefined ? -1 : objects.table.live(Number(last));
  if (row < 0 || !objects.table.isInFile(Number(last))) return false;
  const lengthOf = objects.streamLength.bind(objects);
  const { num, gen, data } = readStream(objects.source, objects.table.place(row), lengthOf);
  const content = Buffer.from(objects.cipher?.decryptStream(num, gen, data) ?? data).toString("latin1");
  const name = /^\/Artifact<<\/Type\/Pagination\/Subtype\/Watermark>>BDC\nq .* \/(\w+) Do Q\nEMC (Q )+\n$/.exec(
    content,
  )?.[1];
  const names = parseValue(slot.rewrite.text, slot.place.start - 2);
  const form = name !== undefined && names instanceof Map ? objects.dictionary(names.get(name)) : undefined;
  return form?.get("Subtype") === "Form";
}
