/**
 * Opens a PDF for marking. Reads the cross-reference, the encryption and the page tree, and recovers them if the file
 * is damaged.
 */
import { encodeLatin1 } from "../../bytes.ts";
import { EngineError } from "../../errors.ts";
import { ObjectNumbers } from "../objects/objectNumbers.ts";
import { Objects } from "../objects/objects.ts";
import type { XrefTable } from "../objects/xrefTable.ts";
import type { ContentsReader } from "../pages/contents.ts";
import { PageWalk } from "../pages/pageTree.ts";
import { Rewrites } from "../pages/rewrite.ts";
import { unreadablePage } from "../pages/treeObject.ts";
import { openSecurity } from "../security/permissions.ts";
import { type ByteSource, retry, retryAll } from "../source/byteSource.ts";
import { Malformed } from "../syntax/lexer.ts";
import { type Dictionary, Reference } from "../syntax/values.ts";
import { scanFile } from "../xref/rebuild.ts";
import { verifyOffsets, verifyPlausibility } from "../xref/verify.ts";
import { findOrigin, type Xref, XrefReader } from "../xref/xref.ts";
import { ambiguityOf, type Recovery } from "./ambiguity.ts";
import {
  dynamicXfa,
  findPrivateEntries,
  findRemoved,
  isPortfolio,
  isPureXfa,
  moveCatalogOutOfTrailer,
  pageTreeRoot,
  readCatalog,
  registerNamed,
  USAGE_RIGHTS,
  XFA,
} from "./catalog.ts";
import { readFileId } from "./fileId.ts";
import { readLanguage } from "./language.ts";
import { namePrefix } from "./namePrefix.ts";
import { tableBefore } from "./olderRevision.ts";
import { checkOutputIntents } from "./outputIntent.ts";
import { hasOtherPage } from "./pageObjects.ts";
import { mayBePdfua, readPdfa, readXmp, usableDeviceColors } from "./pdfa.ts";
import { documentOf, type OutputStart, type PdfDocument, type ReadDocument } from "./pdfDocument.ts";
import { readPress } from "./pdfx.ts";
import { expandObjectStreams, findCatalogs } from "./scannedStreams.ts";
import { isSigned } from "./signatures.ts";

/** Options of {@link openPdf}. */
export interface OpenOptions {
  /** User or owner password. The empty password is also always tried. */
  password?: string | undefined;
  /** Maximum number of pages. A PDF with more pages is rejected. */
  maxPages?: number | undefined;
  /**
   * Whether to perform every check before the source is copied (see PlanOutdated). These checks read the whole file two
   * more times.
   */
  thorough?: boolean | undefined;
}

/** Header that is added to the output if the source has no header, or has objects before its header. */
const NEW_HEADER = "%PDF-1.7\n";

/**
 * Opens a PDF and reads its page tree. If the file's own cross-reference does not lead to the pages, scans the file for
 * objects, as readers do.
 * @throws EngineError `not_a_pdf`, `damaged_pdf`, `too_many_pages`, `too_complex`, `xfa_not_supported`, or an
 * encryption code
 */
export async function openPdf(source: ByteSource, options: OpenOptions): Promise<PdfDocument> {
  let own: Xref | undefined;
  const attempts = [
    async () => {
      own = await readXref(source);
      return open(source, own, options, undefined);
    },
    async () => {
      const scan = await scanFile(source);
      return open(source, scan.xref, options, { scan, own });
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
    ? new EngineError("damaged_pdf", "The PDF has no readable pages. Open it in a PDF reader and save it again.")
    : new EngineError("not_a_pdf", "The file is not a PDF. Check that you sent the right file.");
}

async function readXref(source: ByteSource): Promise<Xref> {
  const reader = await retry(source, () => new XrefReader(source));
  await retryAll(source, reader);
  return reader.xref;
}

/**
 * Opens a PDF by a given cross-reference.
 * @param recovery the scan that found `xref`; undefined if `xref` is the file's own cross-reference
 * @throws Malformed if the document cannot be read by this cross-reference
 */
async function open(
  source: ByteSource,
  xref: Xref,
  options: OpenOptions,
  recovery: Recovery | undefined,
): Promise<PdfDocument> {
  const objects = new Objects(source, xref.table, recovery !== undefined);
  const trailer = trailerOf(xref, recovery ? undefined : ["ID"]);
  const fileId = await openEncryption(objects, trailer, options.password, recovery !== undefined);
  const areStreamsRead = recovery ? await completeScan(objects, trailer, recovery) : true;
  if (!recovery) await verify(source, xref, options.thorough === true);
  const opened: Opened = { xref, objects, fileId, recovery, areStreamsRead, start: await findStart(source, xref) };
  if (!recovery) return documentOf(await readTree(opened, trailer, options));
  const newest = await largestTree(opened, recovery, trailer, options);
  const older = await largerOlderTree(opened, recovery, newest, options);
  if (!older) return documentOf(newest);
  return documentOf(newest.missesPages ? older : { ...newest, missesPages: true });
}

/** A file with its cross-reference, before its page tree is read. */
type Opened = Pick<ReadDocument, "xref" | "objects" | "fileId" | "start"> & {
  readonly recovery: Recovery | undefined;
  readonly areStreamsRead: boolean;
};

/**
 * Reads all page trees of a damaged file, and returns the document of the tree with the most pages. Readers that repair
 * a file choose between its trees by different rules.
 * @throws EngineError `damaged_pdf`, or else Malformed, if no tree can be read
 */
async function largestTree(
  opened: Opened,
  { scan }: Recovery,
  trailer: Dictionary,
  options: OpenOptions,
): Promise<ReadDocument> {
  const catalogs = await findCatalogs(opened.objects, opened.xref.trailers, scan.catalogs);
  const trailers = catalogs.map((catalog): Dictionary => new Map(trailer).set("Root", catalog));
  let largest: ReadDocument | undefined;
  let failure: Malformed | EngineError | undefined;
  for (const each of trailers.length > 0 ? trailers : [trailer]) {
    try {
      const tree = await readTree(opened, each, options);
      if (!largest || tree.pages.length > largest.pages.length) largest = tree;
    } catch (error) {
      if (!(error instanceof Malformed || isDamage(error))) throw error;
      if (!failure || (isDamage(error) && failure instanceof Malformed)) failure = error;
    }
  }
  if (!largest) throw failure;
  return { ...largest, missesPages: largest.missesPages || isDamage(failure) };
}

/** Returns whether an error means that a page tree may contain unreadable pages. */
function isDamage(error: unknown): error is EngineError {
  return error instanceof EngineError && error.code === "damaged_pdf";
}

/** Maximum number of older definitions of a page tree's root, or of a catalog, from which a tree is read. */
const MOST_OLDER = 3;

/**
 * Searches the file for older page trees. An older tree exists if its root or the catalog was redefined later. Returns
 * the document of the older tree with the most pages if it has more pages than `newest`.
 */
async function largerOlderTree(
  opened: Opened,
  recovery: Recovery,
  newest: ReadDocument,
  options: OpenOptions,
): Promise<ReadDocument | undefined> {
  let largest = newest;
  for (const redefined of [newest.catalog.get("Pages"), newest.trailer.get("Root")]) {
    if (!(redefined instanceof Reference)) continue;
    let table: XrefTable | undefined = opened.xref.table;
    for (let revision = 0; revision < MOST_OLDER; revision++) {
      table = await tableBefore(table, redefined.num, opened.objects.source);
      if (!table) break;
      const older = await olderTree(opened, recovery, newest.trailer, table, options);
      if (older && older.pages.length > largest.pages.length) largest = older;
    }
  }
  return largest === newest ? undefined : largest;
}

/** Reads the page trees of an older revision, and returns the largest. Returns undefined if no tree can be read. */
async function olderTree(
  opened: Opened,
  recovery: Recovery,
  trailer: Dictionary,
  table: XrefTable,
  options: OpenOptions,
): Promise<ReadDocument | undefined> {
  const xref = { ...opened.xref, table };
  const objects = new Objects(opened.objects.source, table, true);
  objects.cipher = opened.objects.cipher;
  const before = { ...recovery, scan: { ...recovery.scan, xref } };
  try {
    return await largestTree({ ...opened, xref, objects, recovery: before }, before, trailer, options);
  } catch (error) {
    if (error instanceof Malformed || isDamage(error)) return undefined;
    throw error;
  }
}

/**
 * Reads the catalog and the page tree to which a trailer refers.
 * @throws Malformed if the trailer leads to no pages
 */
async function readTree(
  { recovery, areStreamsRead, ...opened }: Opened,
  trailer: Dictionary,
  options: OpenOptions,
): Promise<ReadDocument> {
  const { xref, objects } = opened;
  const { source } = objects;
  const thorough = options.thorough === true;
  const rewrites = new Rewrites(objects);
  const { catalog, ...properties } = await objects.run(() => {
    const catalog = readCatalog(objects, trailer);
    return {
      catalog,
      isPortfolio: isPortfolio(objects, catalog),
      isXfaRemoved: isPureXfa(objects, catalog),
    };
  });
  const signed = await isSigned(objects, catalog);
  const xmp = await readXmp(objects, catalog);
  const pdfa = await readPdfa(objects, catalog, xmp);
  await checkOutputIntents(objects, catalog);
  const numbers = new ObjectNumbers(xref.table, trailer.get("Size"));
  if (!(trailer.get("Root") instanceof Reference))
    trailer.set("Root", moveCatalogOutOfTrailer(xref.trailers, rewrites, numbers.take()));
  await objects.run(() => registerNamed(objects, rewrites, xref.trailers, trailer));
  const root = trailer.get("Root") as Reference;
  const tree = await objects.run(() => pageTreeRoot(objects, rewrites, root));
  for (const removal of properties.isXfaRemoved ? [USAGE_RIGHTS, XFA] : [USAGE_RIGHTS]) {
    if (!catalog.has(removal.from)) continue;
    const removed = await objects.run(() => findRemoved(objects, rewrites, root, removal));
    for (const { rewrite, start, end } of removed) rewrite.splice({ at: start, remove: end - start, insert: "" });
  }
  const privateEntries = await objects.run(() => findPrivateEntries(objects, rewrites, root));
  for (const { rewrite, start, end } of privateEntries) rewrite.splice({ at: start, remove: end - start, insert: "" });

  const mayDefer = !source.inMemory && !thorough;
  const walk = new PageWalk(objects, rewrites, tree, {
    maxPages: options.maxPages ?? Number.POSITIVE_INFINITY,
    namePrefix: namePrefix(
      xref.trailers.map(({ text }) => text),
      source.length,
    ),
    lenient: recovery !== undefined,
    mayDefer,
    ...ambiguityOf(source, recovery, root.num, areStreamsRead),
  });
  await retryAll(source, walk);
  const pages = await walk.pages();
  if (pages.length === 0) throw new Malformed("no pages");
  if (recovery && walk.isRootPage && (await hasOtherPage(objects, pages[0]!.rewrite.num))) throw unreadablePage();
  // An XFA form is dynamic if its pages are empty, because then only its XML has content.
  if (properties.isXfaRemoved && pages.every(({ contents }) => contents?.items === "")) throw dynamicXfa();
  if (recovery) await balanceObjects(opened, recovery, rewrites, walk.contents);
  for (const { rewrite, splice } of walk.contents.corrections) rewrite.splice(splice);
  return {
    ...opened,
    trailer,
    catalog,
    rewrites,
    pages,
    treeNumbers: walk.treeNumbers,
    numbers,
    deferred: walk.contents.deferred,
    unchecked: mayDefer
      ? pages
          .filter(({ isolated }) => !isolated)
          .map(({ box, contents, content, isTagged, ownResources }) => ({
            ...{ content, items: contents!.items, box, isTagged },
            categories: ownResources?.categories.bits ?? 0,
          }))
      : [],
    contentEnds: walk.contents.ends,
    hasPrivateData: walk.hasPrivateData || privateEntries.length > 0,
    ...properties,
    isRepaired: recovery !== undefined || pages.some(({ isolated, isTagged }) => isolated && isTagged),
    missesPages: walk.missesPages,
    signed,
    language: await readLanguage(objects, root, catalog),
    pdfa,
    mayBePdfua: mayBePdfua(objects, catalog, xmp),
    press: await readPress(objects, trailer, catalog, xmp),
    deviceColors: usableDeviceColors(pdfa, walk.defaultSpaces),
    thorough,
  };
}

/**
 * Rewrites the objects that the scan could not read. A reader that finds such an object in the output would otherwise
 * search the whole output for objects. An object that can be repaired neither as a stream nor as a dictionary becomes
 * null.
 */
async function balanceObjects(
  { objects }: Pick<Opened, "objects">,
  { scan }: Recovery,
  rewrites: Rewrites,
  contents: ContentsReader,
): Promise<void> {
  const balance = (num: number) => {
    if (rewrites.get(num) || !objects.table.isInFile(num)) return;
    for (const repair of [() => contents.stream(num), () => rewrites.registerBalanced(num)]) {
      try {
        if (repair()) return;
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
      }
    }
    rewrites.registerText(num, encodeLatin1("null"));
  };
  for (const num of scan.unreadable) {
    await objects.run(() => balance(num));
    await objects.source.meter.yieldIfDue();
  }
}

/**
 * Opens the encryption of a document: sets the cipher of `objects`, and returns the first half of the document's /ID.
 * @throws Malformed if /Encrypt refers to no dictionary. A damaged file that was scanned for objects counts as
 * unencrypted instead.
 */
async function openEncryption(
  objects: Objects,
  trailer: Dictionary,
  password: string | undefined,
  isScanned: boolean,
): Promise<Uint8Array | undefined> {
  const fileId = await objects.run(() => readFileId(objects, trailer));
  objects.cipher = await objects.run(() => openSecurity(objects, trailer, fileId, password));
  if (!objects.cipher) {
    if (!isScanned && trailer.get("Encrypt") instanceof Reference) throw new Malformed("/Encrypt leads to nothing");
    // The engine found the objects without decryption. Readers that scan the output find the same objects only without
    // /Encrypt.
    trailer.delete("Encrypt");
  }
  return fileId;
}

/**
 * Adds the members of object streams to a scan.
 * @returns whether every object stream could be read
 * @throws Malformed if the encryption dictionary is in an object stream, which would itself be encrypted (ISO 32000-2,
 * 7.5.7)
 */
async function completeScan(objects: Objects, trailer: Dictionary, { scan }: Recovery): Promise<boolean> {
  const areStreamsRead = await expandObjectStreams(objects, scan);
  const encrypt = trailer.get("Encrypt");
  if (encrypt instanceof Reference && !objects.table.isInFile(encrypt.num)) throw new Malformed("no /Encrypt");
  return areStreamsRead;
}

/**
 * Checks the file's own cross-reference. If the source is read by ranges, most objects are checked later, while they
 * are copied.
 * @throws Malformed if an object is not at its offset
 */
async function verify(source: ByteSource, xref: Xref, thorough: boolean): Promise<void> {
  if (source.inMemory || thorough) await verifyOffsets(source, xref.table);
  else await verifyPlausibility(source, xref);
}

/**
 * Determines the beginning of the output. Bytes before the source's header are cut off, unless they include objects. A
 * header is added if the copied bytes do not begin with one. Readers repair or reject a file that does not begin with a
 * header.
 */
async function findStart(source: ByteSource, { table }: Xref): Promise<OutputStart> {
  const header = await retry(source, () => findOrigin(source));
  return header === undefined || table.firstOffset() < header
    ? { from: 0, newHeader: NEW_HEADER, shift: NEW_HEADER.length }
    : { from: header, newHeader: "", shift: -header };
}

/**
 * Returns the newest trailer (ISO 32000-2, 7.5.5), completed with entries of older trailers. Normally, an update
 * removes the entries that its trailer omits. The exception is /ID: it identifies the file permanently, and the key of
 * an encrypted file may depend on it.
 * @param missing keys that may be taken from older trailers. The default is every key. Recovery uses the default,
 * because the oldest trailer of a damaged file may be the most complete.
 */
function trailerOf({ trailers }: Xref, missing?: readonly string[]): Dictionary {
  const trailer: Dictionary = new Map(trailers[0]?.dict);
  for (const { dict } of trailers)
    for (const key of missing ?? dict.keys()) if (!trailer.has(key) && dict.has(key)) trailer.set(key, dict.get(key)!);
  return trailer;
}
