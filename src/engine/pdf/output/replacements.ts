/** Finds the objects of the source that the output supersedes, and the objects to write in their place. */
import { encodeLatin1 } from "../../bytes.ts";
import type { PdfDocument } from "../document/pdfDocument.ts";
import { memberText, type Objects } from "../objects/objects.ts";
import { limitObject } from "../objects/slab.ts";
import { hasStream } from "../objects/streams.ts";
import { IN_FILE, IN_STREAM } from "../objects/xrefTable.ts";
import { scanPageAttributes } from "../pages/pageAttributes.ts";
import { type Rewrite, sharedContent } from "../pages/rewrite.ts";
import { retry } from "../source/byteSource.ts";
import type { Meter } from "../source/meter.ts";
import {
  EndOfBytes,
  eachEntry,
  isDictionary,
  Malformed,
  nameIs,
  parseAt,
  readHeader,
  skipValue,
  skipWhite,
  terminated,
  unlessMalformed,
} from "../syntax/lexer.ts";
import { endOfWellFormed, WellFormedWalk, wellFormedText } from "../syntax/wellFormed.ts";
import { findPrivateObjects } from "./privateData.ts";
import { mentionsPage } from "./revisions.ts";
import type { Member } from "./serialize.ts";
import type { Skeleton } from "./skeleton.ts";

const NULL_OBJECT = encodeLatin1("null");

/** Objects of the source that are replaced or dropped in the output. */
export interface Replacements {
  /** Rewritten objects that are directly in the file, except objects of the skeleton. */
  inFile: Rewrite[];
  /** Rewritten members of object streams, except members that belong to the skeleton. */
  inStreams: Rewrite[];
  /**
   * Numbers of the replaced object streams. Live members of these streams that are not rewritten must be written again.
   */
  streams: number[];
  /** Numbers of the objects whose body in the source is superseded. */
  superseded: Set<number>;
  /** Numbers in `superseded` that the output lists as free. */
  freed: Set<number>;
}

/**
 * Plans the replacements. An object stream is replaced if one of its members is rewritten. Otherwise, the output would
 * still contain the old member, such as an unmarked page. An object stream is also replaced if a later revision
 * supersedes one of its members. Cross-reference streams, the linearization dictionary and private data are dropped.
 * @throws EngineError damaged_pdf if a page's content would also be dropped
 */
export async function planReplacements(document: PdfDocument, skeleton: Skeleton): Promise<Replacements> {
  const { table, sections } = document.xref;
  const { objects } = document;
  const { source } = objects;
  const changed = document.rewrites.changed();
  const ofSkeleton = new Set([...skeleton.leaves, skeleton.catalog]);
  const inFile: Rewrite[] = [];
  const inStreams: Rewrite[] = [];
  const streams = new Set<number>();
  const stale = new Set<number>();
  const superseded = new Set<number>();
  const freed = new Set<number>();
  for (const rewrite of changed) {
    const { num, splices } = rewrite;
    const row = table.liveRow(num);
    const isMember = row >= 0 && table.kind(row) === IN_STREAM;
    if (isMember) streams.add(table.streamNumber(row));
    else superseded.add(num);
    // A page-tree node may also serve as another object, such as the resources of a page. Such a node is rewritten and
    // must not be dropped.
    const isDropped = document.treeNumbers.has(num) && splices.every(({ insert }) => insert === "");
    if (isDropped) freed.add(num);
    else if (!ofSkeleton.has(rewrite)) (isMember ? inStreams : inFile).push(rewrite);
  }
  const written = new Set(changed.map(({ num }) => num));
  for (const num of document.treeNumbers) {
    if (written.has(num)) continue;
    freed.add(num);
    const row = table.liveRow(num);
    if (table.kind(row) === IN_STREAM) streams.add(table.streamNumber(row));
  }

  /**
   * Numbers of objects to which no written object refers. Some of these objects may be content streams of isolated
   * pages.
   */
  const unused = new Set(document.hasPrivateData ? await findPrivateObjects(document, freed) : []);
  for (const num of unused) {
    freed.add(num);
    const row = table.liveRow(num);
    if (table.kind(row) === IN_STREAM) streams.add(table.streamNumber(row));
  }

  const sectionOffsets = new Set(sections);
  let first = Number.POSITIVE_INFINITY;
  let firstNumber = 0;
  for (let row = 0; row < table.rows; row++) {
    const kind = table.kind(row);
    if (kind === IN_STREAM) {
      const stream = table.streamNumber(row);
      if (!table.isLive(row) && table.isInFile(stream) && !streams.has(stream)) stale.add(stream);
      continue;
    }
    if (kind !== IN_FILE || !table.isLive(row)) continue;
    const offset = table.offset(row);
    // An object at the offset of a section is a cross-reference stream (see verify.ts).
    if (sectionOffsets.has(offset)) freed.add(table.number(row));
    if (offset < first) {
      first = offset;
      firstNumber = table.number(row);
    }
  }
  if (firstNumber > 0 && (await retry(source, () => isLinearization(document, first)))) freed.add(firstNumber);

  for (const num of stale) if (await isObjectStream(objects, num)) streams.add(num);
  for (const num of objects.mustRewrite) if (table.isInFile(num)) streams.add(num);
  for (const num of streams) freed.add(num);
  for (const num of freed) superseded.add(num);
  for (const num of superseded) {
    const staysStream = document.rewrites.isStream(num) && !freed.has(num);
    if (staysStream || unused.has(num)) continue;
    const isRead = document.contentEnds.has(table.offsetOf(num));
    if (isRead || (document.deferred.has(num) && (await isStream(objects, num)))) throw sharedContent();
  }
  const inOrder = [...streams].sort((a, b) => table.offsetOf(a) - table.offsetOf(b));
  return { inFile, inStreams, streams: inOrder, superseded, freed };
}

/**
 * Returns whether an object is currently an object stream. The number comes from an entry of an older revision, and may
 * now belong to a different object.
 */
async function isObjectStream(objects: Objects, num: number): Promise<boolean> {
  try {
    await objects.source.meter.yieldIfDue();
    await objects.run(() => objects.stream(num));
    return true;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

/** Returns whether an object is a stream. */
async function isStream(objects: Objects, num: number): Promise<boolean> {
  const read = (bytes: Uint8Array, at: number) => isDictionary(bytes, at) && hasStream(bytes, skipValue(bytes, at));
  try {
    return (await objects.run(() => objects.at(num, read))) ?? false;
  } catch (error) {
    if (error instanceof Malformed) return false; // the malformed object is detected while the source is copied
    throw error;
  }
}

/** Maximum number of bytes of a member that are checked between two yields to the event loop. */
const AT_ONCE = 64 * 1024;
/** Minimum length in bytes of a cached member. The cache serves other members at the same offset. */
const LONG = 1024;

/**
 * Decodes one of the replaced object streams, and yields its live members that are not rewritten, in stream order.
 * Yields views one at a time, because all members together may be large. A member that is an unlisted page has no mark,
 * so it is freed instead.
 * @throws Malformed if the stream cannot be decoded, although it could be decoded before
 * @throws EngineError too_complex if the members take too long or overlap too much
 */
export async function* keptMembers(
  document: PdfDocument,
  { freed }: Replacements,
  streamNumber: number,
): AsyncGenerator<Member, undefined> {
  const {
    xref: { table },
    rewrites,
    objects,
  } = document;
  const { meter } = objects.source;
  const stream = await objects.run(() => objects.stream(streamNumber));
  await meter.yieldIfDue();
  const { numbers, offsets } = stream;
  const seen = new Set<number>();
  const texts = new Map<number, Uint8Array>();
  let room = stream.bytes.length;
  for (const [i, num] of numbers.entries()) {
    const row = table.liveRow(num);
    if (row < 0 || table.kind(row) !== IN_STREAM || table.streamNumber(row) !== streamNumber || seen.has(num)) continue;
    if (freed.has(num)) continue;
    const index = table.index(row);
    if (index !== i && numbers[index] === num) continue;
    seen.add(num);
    const rewrite = rewrites.get(num);
    if (rewrite && rewrite.splices.length > 0) continue;
    const whole = memberText(stream, i);
    const text =
      texts.get(offsets[i]!) ??
      (whole.length < LONG ? wellFormedMember(whole) : await longWellFormedMember(whole, meter));
    if (whole.length >= LONG) texts.set(offsets[i]!, text);
    const length = Math.max(text.length, whole.length);
    room -= length;
    meter.charge(room < 0 ? "copyOverlappingMember" : "copyMember", length);
    await meter.yieldIfDue();
    if (!rewrite && isPage(text)) freed.add(num);
    else yield { num, text };
  }
}

/**
 * Returns a member in well-formed syntax: a view of a well-formed member, or a corrected copy of a malformed member.
 * MuPDF reads no member of an object stream if one member is malformed.
 * @throws EngineError too_complex if the member is malformed and very long
 */
function wellFormedMember(text: Uint8Array): Uint8Array {
  try {
    const start = skipWhite(text, 0);
    const end = endOfWellFormed(text, start);
    if (end >= 0) return text.subarray(start, end);
  } catch (error) {
    if (!(error instanceof EndOfBytes)) throw error;
  }
  return mended(text);
}

/** Returns a corrected copy of a member that may be malformed. */
function mended(text: Uint8Array): Uint8Array {
  const read = (bytes: Uint8Array) => wellFormedText(bytes, skipWhite(bytes, 0));
  return unlessMalformed(() => {
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof EndOfBytes)) throw error;
      // The member may end with its last token. The end of that token is clear only if white space follows, as in a
      // terminated copy.
      return read(terminated(text));
    }
  }, NULL_OBJECT);
}

/**
 * Checks a long member as {@link wellFormedMember} does, but yields to the event loop during the check. Returns the
 * member in well-formed syntax.
 */
async function longWellFormedMember(text: Uint8Array, meter: Meter): Promise<Uint8Array> {
  try {
    const start = skipWhite(text, 0);
    const walk = new WellFormedWalk().from(start);
    for (;;) {
      const { at } = walk;
      const end = walk.advance(text, at + AT_ONCE);
      if (end > 0) return text.subarray(start, end);
      if (end < 0) break;
      meter.charge("checkMember", walk.at - at);
      await meter.yieldIfDue();
    }
  } catch (error) {
    if (!(error instanceof EndOfBytes)) throw error;
  }
  return mended(text);
}

/** @throws EngineError too_complex if the member is too long to inspect */
function isPage(text: Uint8Array): boolean {
  if (!isDictionary(text, 0) || !mentionsPage(text)) return false;
  limitObject(text.length);
  return scanPageAttributes(text, 0).isPage;
}

/** Returns whether the linearization parameter dictionary (Annex F) is at `offset`. The output is not linearized. */
function isLinearization({ objects: { source } }: PdfDocument, offset: number): boolean {
  const read = (bytes: Uint8Array, at: number) => {
    const header = readHeader(bytes, at);
    if (!header || !isDictionary(bytes, header.end)) return false;
    let found = false;
    const end = eachEntry(bytes, header.end, (key, keyEnd) => {
      if (nameIs(bytes, key, keyEnd, "Linearized")) found = true;
    });
    return found && !hasStream(bytes, end);
  };
  // An unreadable object is not a linearization parameter dictionary.
  return unlessMalformed(() => parseAt(source, offset, read), false);
}
