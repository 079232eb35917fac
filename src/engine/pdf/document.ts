/** Opens a PDF for marking: cross-reference, security and page tree, with recovery if the file is damaged. */
import { EngineError } from "../errors.ts";
import { type ByteSource, retry } from "./byteSource.ts";
import { isSigned, pageTreeRoot, readCatalog, refuseDynamicXfa } from "./catalog.ts";
import { readFileId } from "./fileId.ts";
import { Malformed } from "./lexer.ts";
import type { NewObject, ObjectSink, Ref } from "./newObject.ts";
import { Objects } from "./objects.ts";
import { type PageEntry, PageWalk } from "./pageTree.ts";
import { type Feature, type Pdfa, readPdfa, usableDeviceColors } from "./pdfa.ts";
import { expandObjectStreams, findCatalog, type Scan, scanFile } from "./rebuild.ts";
import { Rewrites } from "./rewrite.ts";
import { openSecurity } from "./security.ts";
import type { Dictionary } from "./values.ts";
import { verifyOffsets } from "./verify.ts";
import { findOrigin, type Xref, XrefReader } from "./xref.ts";

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
  readonly pdfa: Pdfa | undefined;
  readonly deviceColors: ReadonlySet<number>;
  readonly uses = new Set<Feature>();
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
  /** Unreadable objects that the page tree lists: they are left out of the output. */
  readonly unreadable: ReadonlySet<number>;
  readonly thorough: boolean;
  #next: number;

  constructor(parts: {
    xref: Xref;
    trailer: Dictionary;
    fileId: Uint8Array | undefined;
    objects: Objects;
    rewrites: Rewrites;
    walk: PageWalk;
    signed: boolean;
    pdfa: Pdfa | undefined;
    thorough: boolean;
  }) {
    this.xref = parts.xref;
    this.trailer = parts.trailer;
    this.fileId = parts.fileId;
    this.objects = parts.objects;
    this.rewrites = parts.rewrites;
    this.pages = parts.walk.pages;
    this.deferred = parts.walk.contents.deferred;
    this.contentEnds = parts.walk.contents.ends;
    this.unreadable = parts.walk.unreadable;
    this.signed = parts.signed;
    this.pdfa = parts.pdfa;
    this.deviceColors = usableDeviceColors(parts.pdfa, parts.walk.defaultSpaces);
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
  const attempts = [
    async () => open(source, await readXref(source), options, { verify: true }),
    async () => {
      const scan = await scanFile(source);
      return open(source, scan.xref, options, { verify: false, scan });
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
  await retry(source, () => {
    while (reader.step());
  });
  return reader.xref;
}

async function open(
  source: ByteSource,
  xref: Xref,
  options: OpenOptions,
  { verify, scan }: { verify: boolean; scan?: Scan },
): Promise<PdfDocument> {
  const objects = new Objects(source, xref.table);
  const rewrites = new Rewrites(objects);
  const trailer = mergedTrailer(xref);
  const fileId = await retry(source, () => readFileId(objects, trailer));
  objects.cipher = await retry(source, () => openSecurity(objects, trailer, fileId, options.password));
  if (scan) {
    await expandObjectStreams(objects, scan.objectStreams);
    const catalog = await retry(source, () => findCatalog(objects, xref.trailers));
    if (catalog) trailer.set("Root", catalog);
  } else if (verify && source.inMemory) verifyOffsets(source, xref.table);
  if (xref.table.firstPlace() < xref.origin) xref.origin = 0; // objects before `%PDF-`: nothing to cut off

  const { root, signed, pdfa } = await retry(source, () => {
    const catalog = readCatalog(objects, trailer);
    refuseDynamicXfa(objects, catalog);
    return {
      root: pageTreeRoot(catalog),
      signed: isSigned(objects, catalog),
      pdfa: readPdfa(objects, catalog),
    };
  });
  const thorough = options.thorough === true;
  const walk = new PageWalk(objects, rewrites, root, {
    maxPages: options.maxPages ?? Number.POSITIVE_INFINITY,
    lenient: scan !== undefined,
    mayDefer: !source.inMemory && !thorough,
  });
  await retry(
    source,
    () => {
      while (walk.step());
    },
    () => walk.upcoming(),
  );
  if (walk.pages.length === 0) throw new Malformed("no pages");
  return new PdfDocument({ xref, trailer, fileId, objects, rewrites, walk, signed, pdfa, thorough });
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
