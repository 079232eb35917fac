/** Completes a scan with the members of object streams. Finds the catalogs among all objects of the file. */
import { indexOf } from "#platform/search";
import type { ObjectStream, Objects } from "../objects/objects.ts";
import { FREE, firstAbove, IN_STREAM, type XrefTable } from "../objects/xrefTable.ts";
import { forEachYielding } from "../source/meter.ts";
import { Malformed } from "../syntax/lexer.ts";
import { Reference } from "../syntax/values.ts";
import { addNumber, CATALOG, type Scan } from "../xref/rebuild.ts";
import type { Trailer } from "../xref/xref.ts";
import { readRoot } from "./catalog.ts";

/**
 * Adds the members of the object streams to the table. If an object has several definitions, the last definition in the
 * file is used. A member of an object stream is defined at the offset of the stream. This step is separate from the
 * scan because the streams of an encrypted file can be read only with the cipher.
 * @returns whether all object streams were read and no object stream was superseded
 * @throws EngineError too_complex
 */
export async function expandObjectStreams(objects: Objects, scan: Scan): Promise<boolean> {
  const { table, source } = objects;
  const isCurrent = ({ num, offset }: { num: number; offset: number }) => table.offsetOf(num) === offset;
  const offsetOf = new Map<number, number>();
  /**
   * Returns the offset of the object in a row of the table. For a member of an object stream, returns the offset of the
   * stream, or -1 if the stream is unknown.
   */
  const offsetOfObject = (row: number) =>
    table.kind(row) === IN_STREAM ? (offsetOf.get(table.streamNumber(row)) ?? -1) : table.offset(row);
  let areAllRead = true;

  for (const stream of scan.objectStreams) {
    if (!isCurrent(stream)) {
      areAllRead = false;
      continue;
    }
    await source.meter.yieldIfDue();
    offsetOf.set(stream.num, stream.offset);
    let decoded: ObjectStream;
    try {
      decoded = await objects.run(() => objects.stream(stream.num));
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      areAllRead = false;
      continue;
    }
    const catalogs = offsetsOfCatalogs(decoded);
    await forEachYielding(source.meter, decoded.numbers.entries(), ([index, num]) => {
      source.meter.charge("addMember");
      const row = table.liveRow(num);
      const known = row < 0 ? -1 : offsetOfObject(row);
      if (row >= 0) addNumber(scan.ambiguous, num, source);
      if (known < stream.offset) table.replace(num, IN_STREAM, stream.num, index);
      else table.add(num, IN_STREAM, stream.num, index);
      if (catalogs.has(decoded.offsets[index]!)) addNumber(scan.catalogs, num, source);
    });
  }

  const replaced = scan.objectStreams.filter((stream) => offsetOf.has(stream.num) && !isCurrent(stream));
  if (replaced.length === 0) return areAllRead;
  freeMembers(table, new Set(replaced.map(({ num }) => num)));
  return false;
}

/**
 * Returns the offsets of an object stream's members that may be a catalog. Searches the whole stream once instead of each
 * member, because many members may begin at the same offset.
 */
function offsetsOfCatalogs({ bytes, ascending }: ObjectStream): Set<number> {
  const offsets = new Set<number>();
  for (let at = indexOf(bytes, CATALOG); at >= 0; ) {
    const next = firstAbove(ascending, at);
    const end = ascending[next] ?? bytes.length;
    const isWithin = next > 0 && at + CATALOG.length <= end;
    if (isWithin) offsets.add(ascending[next - 1]!);
    at = indexOf(bytes, CATALOG, isWithin || next === 0 ? end : at + 1);
  }
  return offsets;
}

/**
 * Marks all members of `streams` as free. Each stream's number has been redefined as a member of another object stream,
 * so readers no longer find the stream.
 */
function freeMembers(table: XrefTable, streams: ReadonlySet<number>): void {
  for (const num of [...table.numbers()]) {
    const row = table.liveRow(num);
    if (table.kind(row) === IN_STREAM && streams.has(table.streamNumber(row))) table.replace(num, FREE, 0, 0);
  }
}

/** Maximum number of page trees of a damaged file that are read. */
const MOST_TREES = 8;

/**
 * Returns references to the catalogs of a damaged file, one for each page tree. The catalogs to which a /Root refers
 * come first, in order from the newest to the oldest. Each object is inspected once.
 * @throws EngineError too_complex
 */
export async function findCatalogs(
  objects: Objects,
  trailers: readonly Trailer[],
  catalogs: Iterable<number>,
): Promise<Reference[]> {
  const { meter } = objects.source;
  const tried = new Set<number>();
  const trees = new Set<number>();
  const found: Reference[] = [];
  const inspect = async (reference: Reference, isRoot: boolean) => {
    if (tried.has(reference.num) || found.length === MOST_TREES) return;
    tried.add(reference.num);
    meter.charge("inspectCatalog");
    await meter.yieldIfDue();
    try {
      const catalog = await objects.run(() => readRoot(objects, reference));
      const pages = catalog?.get("Pages");
      if (pages === undefined || (!isRoot && catalog?.get("Type") !== "Catalog")) return;
      const tree = pages instanceof Reference ? pages.num : -reference.num;
      if (!trees.has(tree)) found.push(reference);
      trees.add(tree);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
  };
  for (const { dict } of trailers) {
    const root = dict.get("Root");
    if (root instanceof Reference) await inspect(root, true);
  }
  for (const num of [...catalogs].sort((a, b) => a - b)) await inspect(new Reference(num, 0), false);
  return found;
}
