/** Opens a PDF for marking: cross-reference, security and page tree, with recovery if the file is damaged. */
import { EngineError } from "../errors.ts";
import { type ByteSource, retry, retryAll } from "./byteSource.ts";
import { isSigned, pageTreeRoot, readCatalog, refuseDynamicXfa } from "./catalog.ts";
import type { ContentsReader } from "./contents.ts";
import { readFileId } from "./fileId.ts";
import { Malformed, parseAt, readHeader } from "./lexer.ts";
import type { NewObject, ObjectSink, Ref } from "./newObject.ts";
import { Objects } from "./objects.ts";
import { type PageEntry, PageWalk } from "./pageTree.ts";
import { expandObjectStreams, findCatalog, type Scan, scanFile } from "./rebuild.ts";
import { Rewrites } from "./rewrite.ts";
import { openSecurity } from "./security.ts";
import type { Dictionary } from "./values.ts";
import { verifyOffsets } from "./verify.ts";
import { findOrigin, type Xref, XrefReader } from "./xref.ts";
import { FREE, IN_STREAM, type XrefTable } from "./xrefTable.ts";

/** Options of {@link openPdf}. */
export interface OpenOptions {
  /** User or owner password; the empty password is always tried. */
  password?: string | undefined;
  /** A PDF with more pages is rejected. */
  maxPages?: number | undefined;
  /** Leaves no check to the copying pass, see PlanOutdated. Costs reading the whole file once more. */
  thorough?: boolean | undefined;
}

/** Distance of new object numbers from the largest one in use if the file's /Size is wrong. */
const UNTRUSTED_GAP = 1000;

/** An open document and the changes to make to it: the input of `planOutput`. */
export class PdfDocument implements ObjectSink {
  readonly pages: readonly PageEntry[];
  /** True if marking breaks a signature. */
  readonly signed: boolean;
  /** The source's internals, for the other modules of this folder. */
  readonly objects: Objects;
  readonly xref: Xref;
  readonly trailer: Dictionary;
  /** The first half of the source's /ID. */
  readonly fileId: Uint8Array | undefined;
  readonly rewrites: Rewrites;
  readonly added: { num: number; object: NewObject }[] = [];
  /** Content objects still to be checked to be streams, see ContentsReader. */
  readonly deferred: ReadonlySet<number>;
  /** Offset of a content stream object to the offset where its data end. */
  readonly contentEnds: ReadonlyMap<number, number>;
  readonly thorough: boolean;
  #next: number;

  constructor(parts: {
    xref: Xref;
    trailer: Dictionary;
    fileId: Uint8Array | undefined;
    objects: Objects;
    rewrites: Rewrites;
    pages: readonly PageEntry[];
    contents: ContentsReader;
    signed: boolean;
    thorough: boolean;
  }) {
    this.xref = parts.xref;
    this.trailer = parts.trailer;
    this.fileId = parts.fileId;
    this.objects = parts.objects;
    this.rewrites = parts.rewrites;
    this.pages = parts.pages;
    this.deferred = parts.contents.deferred;
    this.contentEnds = parts.contents.ends;
    this.signed = parts.signed;
    this.thorough = parts.thorough;
    const size = parts.trailer.get("Size");
    const { largest } = parts.xref.table;
    // References to missing objects are null and must not lead to a new object. If /Size is wrong, such references are
    // likely.
    this.#next = largest + (size === largest + 1 ? 1 : UNTRUSTED_GAP);
  }

  /** The first object number that is not in use. */
  get nextNumber(): number {
    return this.#next;
  }

  /** Adds an object to the output and returns the reference to it. */
  add(object: NewObject): Ref {
    const num = this.#next++;
    this.added.push({ num, object });
    return `${num} 0 R` as Ref;
  }
}

/**
 * Opens a PDF and reads its page tree. If that fails with the file's own cross-reference, scans the file for objects,
 * as readers do.
 * @throws EngineError `not_a_pdf`, `damaged_pdf`, `too_many_pages`, `xfa_not_supported` or one of the encryption codes
 */
export async function openPdf(source: ByteSource, options: OpenOptions): Promise<PdfDocument> {
  let own: Xref | undefined;
  const attempts = [
    async () => {
      own = await readXref(source);
      return open(source, own, options, { verify: true });
    },
    async () => {
      const scan = await scanFile(source);
      return open(source, scan.xref, options, { verify: false, recovery: { scan, own } });
    },
    // A cross-reference with wrong entries is good enough if those of the pages are right.
    async () => open(source, await readXref(source), options, { verify: false }),
  ];
  for (const attempt of attempts) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
  }
  const hasHeader = (await retry(source, () => findOrigin(source))) !== undefined;
  throw hasHeader
    ? new EngineError("damaged_pdf", "No pages could be found in the PDF. Open it in a reader and save it anew.")
    : new EngineError("not_a_pdf", "The file does not begin as a PDF does and holds no PDF objects.");
}

async function readXref(source: ByteSource): Promise<Xref> {
  const reader = await retry(source, () => new XrefReader(source));
  await retryAll(source, reader);
  return reader.xref;
}

async function open(
  source: ByteSource,
  xref: Xref,
  options: OpenOptions,
  { verify, recovery }: { verify: boolean; recovery?: { scan: Scan; own: Xref | undefined } },
): Promise<PdfDocument> {
  const objects = new Objects(source, xref.table);
  const rewrites = new Rewrites(objects);
  const trailer = mergedTrailer(xref);
  const fileId = await objects.run(() => readFileId(objects, trailer));
  objects.cipher = await objects.run(() => openSecurity(objects, trailer, fileId, options.password));
  let areStreamsRead = true;
  if (recovery) {
    areStreamsRead = await expandObjectStreams(objects, recovery.scan);
    const catalog = await objects.run(() => findCatalog(objects, xref.trailers, recovery.scan.catalogs));
    if (catalog) trailer.set("Root", catalog);
  } else if (verify && source.inMemory) verifyOffsets(source, xref.table);
  if (xref.table.firstPlace() < xref.origin) xref.origin = 0; // objects before `%PDF-`: nothing to cut off

  const { root, signed } = await objects.run(() => {
    const catalog = readCatalog(objects, trailer);
    refuseDynamicXfa(objects, catalog);
    return { root: pageTreeRoot(catalog), signed: isSigned(objects, catalog) };
  });
  const thorough = options.thorough === true;
  const walk = new PageWalk(objects, rewrites, root, {
    maxPages: options.maxPages ?? Number.POSITIVE_INFINITY,
    lenient: recovery !== undefined,
    mayDefer: !source.inMemory && !thorough,
    mayBeLost: (num) => !areStreamsRead || (recovery?.own !== undefined && isThere(source, recovery.own.table, num)),
  });
  await retryAll(source, walk);
  const pages = walk.pages();
  if (pages.length === 0) throw new Malformed("no pages");
  return new PdfDocument({
    xref,
    trailer,
    fileId,
    objects,
    rewrites,
    pages,
    contents: walk.contents,
    signed,
    thorough,
  });
}

/** Returns whether an object is where a cross-reference says, in the file or in an object stream. */
function isThere(source: ByteSource, table: XrefTable, num: number): boolean {
  const row = table.live(num);
  if (row < 0 || table.kind(row) === FREE) return false;
  if (table.kind(row) === IN_STREAM)
    return table.isInFile(table.place(row)) && isThere(source, table, table.place(row));
  try {
    return parseAt(source, table.place(row), readHeader)?.num === num;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

/**
 * Returns the newest trailer, with missing entries filled in from older ones: in linearized and damaged files the
 * oldest may be the most complete.
 */
function mergedTrailer(xref: Xref): Dictionary {
  const merged: Dictionary = new Map();
  for (const { dict } of xref.trailers) {
    for (const [key, value] of dict) if (!merged.has(key)) merged.set(key, value);
  }
  return merged;
}
