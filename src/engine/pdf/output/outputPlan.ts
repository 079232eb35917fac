/**
 * Plans the output. The output has three parts: the source's bytes with line feeds in place of superseded parts, new
 * and rewritten objects, and one complete cross-reference section. The output is not an incremental update: cutting off
 * its end, at an old `%%EOF` or anywhere else, does not restore the unmarked pages.
 */

import { encodeLatin1 } from "../../bytes.ts";
import type { PdfDocument } from "../document/pdfDocument.ts";
import type { XrefTable } from "../objects/xrefTable.ts";
import { type ByteSource, retry } from "../source/byteSource.ts";
import { CARRIAGE_RETURN, LINE_FEED, PERCENT } from "../syntax/characters.ts";
import { Blending } from "./blending.ts";
import type { Boundaries } from "./boundaries.ts";
import { ContentCheck, WINDOW_CONTEXT, type Window } from "./contentCheck.ts";
import { collectBoundaries, Eraser, endOfCopy } from "./eraser.ts";
import { checkBoundaries } from "./extents.ts";
import { planReplacements, type Replacements } from "./replacements.ts";
import { findSuspects, RevisionWatch } from "./revisions.ts";
import { writeSkeleton } from "./skeleton.ts";
import { SyntaxCheck } from "./syntaxCheck.ts";
import { type Tail, writeTail } from "./tail.ts";
import { raisedVersion, type VersionDigit } from "./version.ts";

/** The plan of an output. Every byte of the output is determined before the first byte is produced. */
export interface OutputPlan {
  readonly length: number;
  /**
   * Yields the output in order. Each chunk is valid until the next chunk is requested.
   * @throws PlanOutdated if a source that is not in memory contradicts an assumption of the plan
   */
  chunks(): AsyncIterable<Uint8Array>;
}

/** Maximum size of a chunk of the output, in bytes. */
const CHUNK = 1 << 20;
/**
 * Maximum size of a window of a file in memory, in bytes. A window is copied only if bytes in it change. With small
 * windows, most data of large images are not copied.
 */
const MEMORY_WINDOW = 128 << 10;

/** Plans the output of a document. Call this function after all changes have been made. */
export async function planOutput(document: PdfDocument): Promise<OutputPlan> {
  const { source } = document.objects;
  const blending = await Blending.of(document);
  const skeleton = await writeSkeleton(document, blending);
  const replacements = await planReplacements(document, skeleton);
  const boundaries = await findBoundaries(document, replacements);
  const { from, newHeader, shift } = document.start;
  const to = Math.max(from, endOfCopy(boundaries, source.length));
  const tail = await writeTail(document, skeleton, replacements, to + shift);
  const added = document.added.map(({ object }) => object);
  const copy = {
    source,
    header: newHeader ? encodeLatin1(newHeader) : undefined,
    boundaries,
    from,
    to,
    version: await retry(source, () =>
      raisedVersion(source, from, document.catalog.get("Version"), added, tail.usesStreams),
    ),
    table: document.xref.table,
    watch: !document.thorough && !source.inMemory,
  };
  return {
    length: to + shift + tail.length,
    chunks: () => {
      const { objects, deferred } = document;
      return chunksOf(copy, [new ContentCheck(objects, deferred), new SyntaxCheck(document)], blending, tail);
    },
  };
}

/** The part of the source to copy, and the data that are needed to erase superseded bytes during copying. */
interface Copy {
  source: ByteSource;
  /** Header to write before the source's bytes. */
  header: Uint8Array | undefined;
  boundaries: Boundaries;
  from: number;
  to: number;
  version: VersionDigit | undefined;
  table: XrefTable;
  /** Whether copying also searches for unknown revisions (see RevisionWatch) and checks the offsets of objects. */
  watch: boolean;
}

/**
 * Finds the parts of the source to erase. Adds unlisted pages, which the page tree does not reach, to `superseded` and
 * `freed`. Repeats the search until it finds no more unlisted pages, because the bytes of an unlisted page may contain
 * another unlisted page.
 * @throws EngineError too_complex
 */
async function findBoundaries(
  document: PdfDocument,
  { superseded, freed }: Pick<Replacements, "superseded" | "freed">,
): Promise<Boundaries> {
  const { xref, objects, rewrites, contentEnds, start } = document;
  const { source } = objects;
  const header = await retry(source, () => endOfHeader(source, start.from));
  for (;;) {
    source.meter.charge("collectBoundary", xref.table.rows + xref.sections.length);
    source.meter.charge("scan", source.length);
    await source.meter.yieldIfDue();
    const listed = collectBoundaries(xref, start.from, source.length, superseded, header);
    source.meter.charge("sortBoundary", listed.length);
    await source.meter.yieldIfDue();
    // If the source is read by ranges, the search for suspects takes place later, while the source is copied.
    const suspects = source.inMemory ? findSuspects(objects, listed, contentEnds) : [];
    let found = await checkBoundaries(objects, listed, document.thorough ? "all" : new Set(suspects));
    if (found.isIncomplete && !document.thorough) found = await checkBoundaries(objects, listed, "all");

    const strays = found.pages.filter((num) => !rewrites.get(num));
    if (strays.length === 0) return found.boundaries;
    for (const num of strays) {
      superseded.add(num);
      freed.add(num);
    }
  }
}

/**
 * Returns the offset after the file header. The header consists of the `%PDF-` line and the comments that follow it.
 * Nothing else may precede the first object.
 */
function endOfHeader(source: ByteSource, origin: number): number {
  const head = source.bytes(origin, Math.min(origin + 1024, source.length));
  let at = 0;
  while (head[at] === PERCENT) {
    while (at < head.length && head[at] !== LINE_FEED && head[at] !== CARRIAGE_RETURN) at++;
    while (head[at] === LINE_FEED || head[at] === CARRIAGE_RETURN) at++;
  }
  return origin + at;
}

async function* chunksOf(
  copy: Copy,
  checks: readonly [ContentCheck, SyntaxCheck],
  blending: Blending,
  tail: Tail,
): AsyncGenerator<Uint8Array, undefined> {
  const { source, version, header } = copy;
  if (header) yield header;
  const eraser = new Eraser(copy.boundaries, copy.watch ? copy.table : undefined);
  const watch = copy.watch ? new RevisionWatch() : undefined;
  for await (const window of windows(source, copy.from, copy.to)) {
    const { at, end, base, bytes } = window;
    for (const check of checks) check.inspect(window);
    let chunk = bytes.subarray(at - base, end - base);
    let own = !source.inMemory;
    const write = (character: string, start: number, stop: number) => {
      // A chunk of a source in memory is a view of the source. The chunk is therefore copied before its first byte
      // changes.
      if (!own) chunk = chunk.slice();
      own = true;
      chunk.fill(character.charCodeAt(0), start - at, stop - at);
    };
    // Line feeds replace erased bytes, so that the next object begins on a new line, as PDF/A requires (ISO 19005-1,
    // 6.1.8).
    eraser.pass(at, end, bytes, base, (start, stop) => write("\n", start, stop));
    if (version && at <= version.offset && version.offset < end)
      write(version.digit, version.offset, version.offset + 1);
    watch?.inspect(chunk);
    yield chunk;
  }
  for (const check of checks) await check.finish();
  blending.decide();
  for await (const part of tail.parts())
    for (let at = 0; at < part.length; at += CHUNK) yield part.subarray(at, at + CHUNK);
}

/**
 * Yields the bytes [from, to) in windows with up to WINDOW_CONTEXT bytes around each window. A window is valid until
 * the next window is requested. The windows of a file in memory are views of the file.
 */
async function* windows(source: ByteSource, from: number, to: number): AsyncGenerator<Window, undefined> {
  const last = Math.min(to + WINDOW_CONTEXT, source.length);
  if (source.inMemory) {
    const bytes = source.bytes(0, last);
    for (let at = from; at < to; at += MEMORY_WINDOW)
      yield { at, end: Math.min(at + MEMORY_WINDOW, to), base: 0, bytes };
    return;
  }

  const chunks = source.stream(Math.max(0, from - WINDOW_CONTEXT), last)[Symbol.asyncIterator]();
  const buffer = new Uint8Array(CHUNK + 2 * WINDOW_CONTEXT);
  let chunk: Uint8Array = new Uint8Array();
  let overlap: Uint8Array = new Uint8Array();
  try {
    for (let at = from; at < to; ) {
      const [base, end] = [Math.max(0, at - WINDOW_CONTEXT), Math.min(at + CHUNK, to)];
      const bytes = buffer.subarray(0, Math.min(end + WINDOW_CONTEXT, last) - base);
      bytes.set(overlap);
      for (let filled = overlap.length; filled < bytes.length; ) {
        const taken = chunk.subarray(0, bytes.length - filled);
        bytes.set(taken, filled);
        filled += taken.length;
        chunk = chunk.subarray(taken.length);
        if (chunk.length === 0 && filled < bytes.length) chunk = await next(chunks);
      }
      // These bytes are copied now, because the consumer then erases parts of this window.
      overlap = bytes.slice(Math.max(0, end - WINDOW_CONTEXT) - base);
      yield { at, end, base, bytes };
      at = end;
    }
  } finally {
    await chunks.return?.();
  }
}

async function next(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const { done, value } = await chunks.next();
  if (done) throw new Error("the source ended early");
  return value;
}
