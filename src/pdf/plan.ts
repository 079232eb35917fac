/**
 * The output: the source's own bytes with everything dead turned into spaces, then the objects that are new or written
 * anew, then one complete cross-reference section. Not an incremental update: with the end cut off, at an old `%%EOF` or
 * anywhere, the unstamped pages are not there to come back.
 */
import { type ByteSource, retry } from "./byteSource.ts";
import type { PdfDocument } from "./document.ts";
import { type Boundaries, CONTEXT, collectBoundaries, Eraser, endOfCopy, PlanOutdated } from "./eraser.ts";
import { scanFile } from "./rebuild.ts";
import { planReplacements } from "./replacements.ts";
import { END_OF_REVISION, hasUnknownRevisions } from "./revisions.ts";
import { type Tail, writeTail } from "./tail.ts";
import { IN_FILE } from "./xrefTable.ts";

/** What the output will be, byte for byte, before any of it is made. */
export interface OutputPlan {
  readonly length: number;
  /** The output, in order. Errors with PlanOutdated, for sources that are not in memory. */
  stream(): ReadableStream<Uint8Array>;
  /** The output at once; only where the source is in memory. */
  bytes(): Uint8Array;
}

const CHUNK = 1 << 20;

/** Plans the output of a document whose changes are complete. */
export async function planOutput(document: PdfDocument): Promise<OutputPlan> {
  const { source } = document.objects;
  const replacements = await planReplacements(document);
  const boundaries = await findBoundaries(document, replacements.gone);
  const copy = {
    source,
    boundaries,
    from: document.xref.origin,
    to: Math.max(document.xref.origin, endOfCopy(boundaries, source.length)),
    streams: offsetsOf(document, document.deferred),
    watch: !document.thorough && !source.inMemory,
  };
  const tail = writeTail(document, replacements, copy.to - copy.from);
  return {
    length: copy.to - copy.from + tail.length,
    stream: () => streamOut(copy, tail),
    bytes: () => joinOut(copy, tail),
  };
}

/** What is copied of the source, and what is needed to erase what is dead on the way. */
interface Copy {
  source: ByteSource;
  boundaries: Boundaries;
  from: number;
  to: number;
  streams: ReadonlySet<number>;
  /** Look for revisions that the plan knows nothing of, as the bytes go by. */
  watch: boolean;
}

async function findBoundaries(document: PdfDocument, gone: ReadonlySet<number>): Promise<Boundaries> {
  const { xref, objects } = document;
  const { source } = objects;
  const header = await retry(source, () => endOfHeader(source, xref.origin));
  const boundaries = collectBoundaries(xref, source.length, gone, { header, dead: [], sections: xref.sections });
  if (!document.thorough && !(source.inMemory && hasUnknownRevisions(objects, boundaries, document.contentEnds)))
    return boundaries;

  const scan = await scanFile(source);
  const { table } = scan.xref;
  const live = offsetsOf(document, xref.table.numbers());
  const dead: number[] = [];
  for (let row = 0; row < table.rows; row++)
    if (table.kind(row) === IN_FILE && !live.has(table.place(row))) dead.push(table.place(row));
  return collectBoundaries(xref, source.length, gone, {
    header,
    dead,
    sections: [...xref.sections, ...scan.xref.sections],
  });
}

function offsetsOf({ xref: { table } }: PdfDocument, numbers: Iterable<number>): Set<number> {
  const offsets = new Set<number>();
  for (const num of numbers) {
    const row = table.live(num);
    if (row >= 0 && table.kind(row) === IN_FILE) offsets.add(table.place(row));
  }
  return offsets;
}

/** After `%PDF-` and the comments that follow it, which are all that the file's first object may have before it. */
function endOfHeader(source: ByteSource, origin: number): number {
  const head = source.bytes(origin, Math.min(origin + 1024, source.length));
  let at = 0;
  while (head[at] === 0x25) {
    while (at < head.length && head[at] !== 0x0a && head[at] !== 0x0d) at++;
    while (head[at] === 0x0a || head[at] === 0x0d) at++;
  }
  return origin + at;
}

function joinOut(copy: Copy, tail: Tail): Uint8Array {
  const { source, from, to } = copy;
  const all = source.bytes(0, source.length);
  const out = new Uint8Array(to - from + tail.length);
  out.set(all.subarray(from, to));
  new Eraser(copy.boundaries, copy.streams).pass(from, to, all, 0, (start, end) =>
    out.fill(0x20, start - from, end - from),
  );
  let at = to - from;
  for (const part of tail.parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function streamOut(copy: Copy, tail: Tail): ReadableStream<Uint8Array> {
  const eraser = new Eraser(copy.boundaries, copy.streams);
  const parts = tail.parts.flatMap((part) => chunksOf(part));
  const copying = windows(copy.source, copy.from, copy.to);
  let before = "";
  const watch = (chunk: Uint8Array) => {
    const kept = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const seam = before + kept.toString("latin1", 0, END_OF_REVISION.length);
    if (seam.includes(END_OF_REVISION) || kept.includes(END_OF_REVISION, 0, "latin1"))
      throw new PlanOutdated("an unknown revision");
    before = kept.toString("latin1", Math.max(0, kept.length - END_OF_REVISION.length));
  };

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value: window } = await copying.next();
      if (window) {
        const { at, end, base, bytes } = window;
        let chunk = bytes.subarray(at - base, end - base);
        let own = !copy.source.inMemory;
        eraser.pass(at, end, bytes, base, (start, stop) => {
          // The source's own memory is passed on as it is, so long as nothing in it has to go.
          if (!own) chunk = chunk.slice();
          own = true;
          chunk.fill(0x20, start - at, stop - at);
        });
        if (copy.watch) watch(chunk);
        controller.enqueue(chunk);
        return;
      }
      const part = parts.shift();
      if (part) controller.enqueue(part);
      else controller.close();
    },
    async cancel() {
      await copying.return(undefined);
    },
  });
}

/** The bytes [at, end) of the source, with CONTEXT around them where there are any: `bytes` begins at `base`. */
interface Window {
  at: number;
  end: number;
  base: number;
  bytes: Uint8Array;
}

/** The bytes [from, to) in windows, one after the other. Those of a file in memory are views of it, others are their own. */
async function* windows(source: ByteSource, from: number, to: number): AsyncGenerator<Window, undefined> {
  const last = Math.min(to + CONTEXT, source.length);
  if (source.inMemory) {
    const bytes = source.bytes(0, last);
    for (let at = from; at < to; at += CHUNK) yield { at, end: Math.min(at + CHUNK, to), base: 0, bytes };
    return;
  }

  const pieces = source.stream(Math.max(0, from - CONTEXT), last)[Symbol.asyncIterator]();
  let piece: Uint8Array = new Uint8Array();
  let overlap: Uint8Array = new Uint8Array();
  try {
    for (let at = from; at < to; ) {
      const [base, end] = [Math.max(0, at - CONTEXT), Math.min(at + CHUNK, to)];
      const bytes = new Uint8Array(Math.min(end + CONTEXT, last) - base);
      bytes.set(overlap);
      for (let filled = overlap.length; filled < bytes.length; ) {
        const taken = piece.subarray(0, bytes.length - filled);
        bytes.set(taken, filled);
        filled += taken.length;
        piece = piece.subarray(taken.length);
        if (piece.length === 0 && filled < bytes.length) piece = await next(pieces);
      }
      overlap = bytes.slice(Math.max(0, end - CONTEXT) - base); // what is erased of this window counts in the next
      yield { at, end, base, bytes };
      at = end;
    }
  } finally {
    await pieces.return?.();
  }
}

async function next(pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const { done, value } = await pieces.next();
  if (done) throw new Error("the source ended early");
  return value;
}

function chunksOf(part: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.ceil(part.length / CHUNK) }, (_, i) => part.subarray(i * CHUNK, (i + 1) * CHUNK));
}
