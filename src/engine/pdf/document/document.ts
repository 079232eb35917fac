/** Opens a PDF for marking: cross-reference, security and page tree, with recovery if the file is damaged. */
import { EngineError } from "../../errors.ts";
import { ObjectNumbers } from "../objects/objectNumbers.ts";
import { Objects } from "../objects/objects.ts";
import { FREE, IN_STREAM, type XrefTable } from "../objects/xrefTable.ts";
import type { ContentsReader } from "../pages/contents.ts";
import type { PageEntry } from "../pages/page.ts";
import { PageWalk } from "../pages/pageTree.ts";
import type { DefaultSpace } from "../pages/resources.ts";
import { Rewrites } from "../pages/rewrite.ts";
import { openSecurity } from "../security/permissions.ts";
import { type ByteSource, retry, retryAll } from "../source/byteSource.ts";
import { Malformed, parseAt, readHeader } from "../syntax/lexer.ts";
import { type Dictionary, Reference } from "../syntax/values.ts";
import { type Scan, scanFile } from "../xref/rebuild.ts";
import { verifyOffsets, verifyPlausibility } from "../xref/verify.ts";
import { findOrigin, NEW_HEADER, type Xref, XrefReader } from "../xref/xref.ts";
import {
  isPortfolio,
  isSigned,
  keepNamed,
  moveOutOfTrailer,
  pageTreeRoot,
  putNodeAbove,
  readCatalog,
  refuseDynamicXfa,
  usageRights,
} from "./catalog.ts";
import { readFileId } from "./fileId.ts";
import { readLanguage } from "./language.ts";
import { namePrefix } from "./namePrefix.ts";
import type { NewObject, ObjectSink, Ref } from "./newObject.ts";
import { type Feature, type Pdfa, readPdfa, usableDeviceColors } from "./pdfa.ts";
import { expandObjectStreams, findCatalog } from "./scannedStreams.ts";

/** Options of {@link openPdf}. */
export interface OpenOptions {
  /** User or owner password; the empty password is always tried. */
  password?: string | undefined;
  /** A PDF with more pages is rejected. */
  maxPages?: number | undefined;
  /** Leaves no check to the copying pass, see PlanOutdated. Costs reading the whole file two times more. */
  thorough?: boolean | undefined;
}

/** An open document and the changes to make to it: the input of `planOutput`. */
export class PdfDocument implements ObjectSink {
  readonly pages: readonly PageEntry[];
  /** True if marking breaks a signature. */
  readonly signed: boolean;
  /** True if readers show the attachments first, which are not marked. */
  readonly isPortfolio: boolean;
  /** The language of its text, as the file says it. */
  readonly language: string | undefined;
  readonly pdfa: Pdfa | undefined;
  readonly deviceColors: ReadonlySet<number>;
  readonly uses = new Set<Feature>();
  /** The source's internals, for the other modules of this folder. */
  readonly objects: Objects;
  readonly xref: Xref;
  readonly trailer: Dictionary;
  readonly catalog: Dictionary;
  /** The first half of the source's /ID. */
  readonly fileId: Uint8Array | undefined;
  readonly rewrites: Rewrites;
  readonly added: { num: number; object: NewObject }[] = [];
  /** Content objects still to be checked to be sound streams, see ContentCheck. */
  readonly deferred: ReadonlySet<number>;
  /** Offset of a content stream object to the offset where its data end. */
  readonly contentEnds: ReadonlyMap<number, number>;
  readonly thorough: boolean;
  readonly numbers: ObjectNumbers;

  constructor(parts: {
    xref: Xref;
    trailer: Dictionary;
    catalog: Dictionary;
    fileId: Uint8Array | undefined;
    objects: Objects;
    rewrites: Rewrites;
    pages: readonly PageEntry[];
    contents: ContentsReader;
    numbers: ObjectNumbers;
    signed: boolean;
    isPortfolio: boolean;
    language: string | undefined;
    pdfa: Pdfa | undefined;
    defaultSpaces: ReadonlySet<DefaultSpace>;
    thorough: boolean;
  }) {
    this.xref = parts.xref;
    this.trailer = parts.trailer;
    this.catalog = parts.catalog;
    this.fileId = parts.fileId;
    this.objects = parts.objects;
    this.rewrites = parts.rewrites;
    this.pages = parts.pages;
    this.deferred = parts.contents.deferred;
    this.contentEnds = parts.contents.ends;
    this.signed = parts.signed;
    this.isPortfolio = parts.isPortfolio;
    this.language = parts.language;
    this.pdfa = parts.pdfa;
    this.deviceColors = usableDeviceColors(parts.pdfa, parts.defaultSpaces);
    this.thorough = parts.thorough;
    this.numbers = parts.numbers;
  }

  /** Adds an object to the output and returns the reference to it. */
  add(object: NewObject): Ref {
    const num = this.numbers.take();
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
    : new EngineError(
        "not_a_pdf",
        "The file does not begin as a PDF does and holds no PDF objects. Check that it is the one you meant.",
      );
}

async function readXref(source: ByteSource): Promise<Xref> {
  const reader = await retry(source, () => new XrefReader(source));
  await retryAll(source, reader);
  return reader.xref;
}

/** What a scan has found in a file whose own cross-reference is of no use. */
interface Recovery {
  scan: Scan;
  own: Xref | undefined;
}

async function open(
  source: ByteSource,
  xref: Xref,
  options: OpenOptions,
  { verify, recovery }: { verify: boolean; recovery?: Recovery },
): Promise<PdfDocument> {
  const objects = new Objects(source, xref.table, recovery !== undefined);
  const rewrites = new Rewrites(objects);
  const trailer = trailerOf(xref, verify ? ["ID"] : undefined);
  const fileId = await objects.run(() => readFileId(objects, trailer));
  objects.cipher = await objects.run(() => openSecurity(objects, trailer, fileId, options.password));
  if (!objects.cipher && trailer.get("Encrypt") instanceof Reference) {
    if (verify) throw new Malformed("/Encrypt leads to nothing");
    trailer.delete("Encrypt"); // readers that look for objects elsewhere must not find one for it
  }
  let areStreamsRead = true;
  if (recovery) {
    areStreamsRead = await expandObjectStreams(objects, recovery.scan);
    const catalog = await findCatalog(objects, xref.trailers, recovery.scan.catalogs);
    if (catalog) trailer.set("Root", catalog);
    const encrypt = trailer.get("Encrypt");
    // Readers cannot look for it in an object stream, which is encrypted (7.5.7).
    if (encrypt instanceof Reference && !xref.table.isInFile(encrypt.num)) throw new Malformed("no /Encrypt");
  } else if (verify) {
    if (source.inMemory || options.thorough) await verifyOffsets(source, xref.table);
    else await verifyPlausibility(source, xref);
  }
  const header = await retry(source, () => findOrigin(source));
  // Nothing is cut off then, and readers that find no header at the beginning repair the file, or do not open it.
  if (header === undefined || xref.table.firstOffset() < header) xref.origin = -NEW_HEADER.length;

  const { catalog, ...about } = await objects.run(() => {
    const catalog = readCatalog(objects, trailer);
    refuseDynamicXfa(objects, catalog);
    return {
      catalog,
      signed: isSigned(objects, catalog),
      isPortfolio: isPortfolio(objects, catalog),
    };
  });
  const pdfa = await readPdfa(objects, catalog);
  const numbers = new ObjectNumbers(xref.table, trailer.get("Size"));
  const root = trailer.get("Root");
  if (!(root instanceof Reference)) trailer.set("Root", moveOutOfTrailer(xref.trailers, rewrites, numbers.take()));
  await objects.run(() => keepNamed(objects, rewrites, xref.trailers, trailer));
  const catalogAt = trailer.get("Root") as Reference;
  const tree = await objects.run(() => pageTreeRoot(objects, rewrites, catalogAt));
  const rights = catalog.has("Perms") ? await objects.run(() => usageRights(objects, rewrites, catalogAt)) : [];
  for (const { rewrite, start, end } of rights) rewrite.splice({ at: start, remove: end - start, insert: "" });
  const thorough = options.thorough === true;
  const walk = new PageWalk(objects, rewrites, tree, {
    maxPages: options.maxPages ?? Number.POSITIVE_INFINITY,
    namePrefix: namePrefix(
      xref.trailers.map(({ text }) => text),
      source.length,
    ),
    lenient: recovery !== undefined,
    mayDefer: !source.inMemory && !thorough,
    mayBeThere: (num) =>
      !areStreamsRead || recovery?.scan.mayHideObjectStreams === true || recovery?.scan.ambiguous.has(num) === true,
    isContested: (num) =>
      num === catalogAt.num ||
      recovery?.scan.redefined.has(num) === true ||
      (recovery?.own !== undefined && isElsewhere(source, recovery.own.table, xref.table, num)),
  });
  await retryAll(source, walk);
  if (walk.rootPage) putNodeAbove(walk.rootPage, objects, rewrites, catalogAt, numbers.take());
  const pages = await walk.pages();
  if (pages.length === 0) throw new Malformed("no pages");
  return new PdfDocument({
    xref,
    trailer,
    catalog,
    fileId,
    objects,
    rewrites,
    pages,
    contents: walk.contents,
    defaultSpaces: walk.defaultSpaces,
    numbers,
    ...about,
    pdfa,
    language: await readLanguage(objects, catalogAt, catalog),
    thorough,
  });
}

/** Returns whether an object is where one cross-reference says, and that is not where another says. */
function isElsewhere(source: ByteSource, one: XrefTable, another: XrefTable, num: number): boolean {
  return !one.agreesWith(another, num) && isThere(source, one, num);
}

/** Returns whether an object is where a cross-reference says, in the file or in an object stream. */
function isThere(source: ByteSource, table: XrefTable, num: number): boolean {
  const row = table.liveRow(num);
  if (row < 0 || table.kind(row) === FREE) return false;
  if (table.kind(row) === IN_STREAM)
    return table.isInFile(table.streamNumber(row)) && isThere(source, table, table.streamNumber(row));
  try {
    return parseAt(source, table.offset(row), readHeader)?.num === num;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

/**
 * Returns the newest trailer (7.5.5), with `missing` entries filled in from older ones. What an update has left out is
 * no longer part of the document; only /ID, which names the file and is part of its key, stays with it for life.
 * @param missing every entry by default, for recovery: in a damaged file the oldest trailer may be the most complete
 */
function trailerOf({ trailers }: Xref, missing?: readonly string[]): Dictionary {
  const trailer: Dictionary = new Map(trailers[0]?.dict);
  for (const { dict } of trailers)
    for (const key of missing ?? dict.keys()) if (!trailer.has(key) && dict.has(key)) trailer.set(key, dict.get(key)!);
  return trailer;
}
