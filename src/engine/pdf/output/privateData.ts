/**
 * Finds the objects of private data. Private data are thumbnails, programs' copies of pages, and other unmarked parts
 * to which the output no longer refers (ISO 32000-2, 12.3.4, 14.5 and 14.10). An object that is also used elsewhere is
 * retained.
 */
import { indexOf } from "#platform/search";
import { decodeLatin1, encodeLatin1 } from "../../bytes.ts";
import type { PdfDocument } from "../document/pdfDocument.ts";
import { memberText, type Objects } from "../objects/objects.ts";
import { IN_FILE, IN_STREAM, type XrefTable } from "../objects/xrefTable.ts";
import { retry } from "../source/byteSource.ts";
import type { Meter } from "../source/meter.ts";
import { eachEntry, Malformed, parseWhole, skipWhite, terminated, unlessMalformed } from "../syntax/lexer.ts";
import { Reference, type Value } from "../syntax/values.ts";
import { endOfWellFormed } from "../syntax/wellFormed.ts";
import { ReferenceGraph } from "./referenceGraph.ts";
import { eachReference } from "./references.ts";
import { spliced } from "./serialize.ts";

/** Maximum number of bytes of a malformed object to search for references. */
const LONGEST_MALFORMED = 1 << 20;

/**
 * Returns the numbers of the objects that are reachable only through removed entries. Reads the dictionaries of all
 * objects once, in file order. Returns an empty list if references are unreadable or too many.
 * @param dropped numbers of objects of the page tree that the output does not contain
 * @throws EngineError too_complex
 */
export async function findPrivateObjects(
  document: PdfDocument,
  dropped: ReadonlySet<number>,
): Promise<readonly number[]> {
  const { objects, rewrites, trailer, added } = document;
  const { table } = objects;
  const { meter } = objects.source;
  const roots = referencesInValue([...trailer.values()]);
  const removed = [...dropped];
  const changed = new Set<number>();
  for (const rewrite of rewrites.changed()) {
    changed.add(rewrite.num);
    const value = rewrites.isStream(rewrite.num) ? dictionaryOf : (text: Uint8Array) => text;
    if (!dropped.has(rewrite.num)) append(roots, referencesIn(value(spliced(rewrite)), meter));
    append(removed, referencesIn(value(rewrite.text), meter));
    await meter.yieldIfDue();
  }
  for (const { object } of added) {
    append(roots, referencesIn(encodeLatin1(typeof object === "string" ? object : object.dict), meter));
    await meter.yieldIfDue();
  }

  const graph = new ReferenceGraph(table);
  const containers = containersOf(table);
  meter.charge("sortOffset", table.rows);
  for (const num of numbersInOrder(table)) {
    await meter.yieldIfDue();
    if (changed.has(num) && !containers.has(num)) continue;
    const found = await objects.run(() => referencesAt(objects, num));
    if (!found || !graph.add(num, found)) return [];
    if (!containers.has(num)) continue;
    roots.push(num);
    if (!(await addMembers(graph, objects, num, changed))) return [];
  }

  const isUsed = new Uint8Array(table.rows);
  graph.reach(roots, isUsed);
  const isReached = isUsed.slice();
  graph.reach(removed, isReached);
  const found: number[] = [];
  for (let row = 0; row < table.rows; row++) {
    const isMember = table.kind(row) === IN_STREAM && table.isInFile(table.streamNumber(row));
    if (!isReached[row] || isUsed[row] || !(isMember || table.kind(row) === IN_FILE)) continue;
    if (!changed.has(table.number(row))) found.push(table.number(row));
  }
  return found;
}

/** Returns the numbers of the live objects in the file, sorted by offset. */
function numbersInOrder(table: XrefTable): number[] {
  const rows: number[] = [];
  for (let row = 0; row < table.rows; row++) if (table.kind(row) === IN_FILE && table.isLive(row)) rows.push(row);
  return rows.sort((a, b) => table.offset(a) - table.offset(b)).map((row) => table.number(row));
}

/** Returns the numbers of the object streams that have live members. */
function containersOf(table: XrefTable): Set<number> {
  const containers = new Set<number>();
  for (let row = 0; row < table.rows; row++)
    if (table.kind(row) === IN_STREAM && table.isLive(row)) containers.add(table.streamNumber(row));
  return containers;
}

/**
 * Adds the live members of an object stream to the graph, except members in `changed`. Returns false if the graph is
 * full or the stream is unreadable.
 */
async function addMembers(
  graph: ReferenceGraph,
  objects: Objects,
  container: number,
  changed: ReadonlySet<number>,
): Promise<boolean> {
  const { table, source } = objects;
  try {
    const stream = await retry(source, () => objects.stream(container));
    for (const [index, num] of stream.numbers.entries()) {
      const row = table.liveRow(num);
      const isMember = row >= 0 && table.kind(row) === IN_STREAM && table.streamNumber(row) === container;
      if (!isMember || changed.has(num)) continue;
      const text = memberText(stream, index);
      if (!graph.add(num, referencesOfMember(text, source.meter))) return false;
      await source.meter.yieldIfDue();
    }
    return true;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

/**
 * Returns the references in the value of an object, or in the dictionary of a stream. In a malformed object, searches
 * all bytes, because readers interpret it differently. Returns undefined if a malformed object is too long.
 * @throws MissingRange if bytes must be fetched first
 */
function referencesAt(objects: Objects, num: number): number[] | undefined {
  const { source, table } = objects;
  const read = (bytes: Uint8Array, at: number) => referencesOfValue(bytes, at, source.meter);
  const found = unlessMalformed(() => objects.at(num, read), undefined);
  if (found) return found;
  const offset = table.offsetOf(num);
  const end = Math.min(objects.nextOffset(offset), source.length);
  const bytes = source.bytes(offset, Math.min(end, offset + LONGEST_MALFORMED));
  const data = indexOf(bytes, "stream");
  if (data < 0 && end - offset > LONGEST_MALFORMED) return undefined;
  return referencesAmong(data < 0 ? bytes : bytes.subarray(0, data), source.meter);
}

function referencesOfMember(text: Uint8Array, meter: Meter): number[] {
  const read = (bytes: Uint8Array) => referencesOfValue(bytes, skipWhite(bytes, 0), meter);
  return unlessMalformed(() => parseWhole(terminated(text), read), undefined) ?? referencesAmong(text, meter);
}

/**
 * Returns the dictionary at the beginning of a stream's text, without the stream's data. The data are omitted because
 * they may contain bytes that look like references. Returns an empty text if the dictionary is unreadable.
 */
function dictionaryOf(text: Uint8Array): Uint8Array {
  const end = unlessMalformed(() => eachEntry(text, 0, () => {}), 0);
  return text.subarray(0, end);
}

/** Returns the object numbers of the references in the value at `at`. Returns undefined if the value is malformed. */
function referencesOfValue(bytes: Uint8Array, at: number, meter: Meter): number[] | undefined {
  const end = endOfWellFormed(bytes, at);
  return end < 0 ? undefined : referencesIn(bytes.subarray(at, end), meter);
}

/** Returns the object numbers of the references in the text of a value. */
function referencesIn(text: Uint8Array, meter: Meter): number[] {
  const found: number[] = [];
  meter.charge("findReferences", text.length);
  eachReference(text, (_start, _end, num) => {
    found.push(num);
  });
  return found;
}

/** Returns the object numbers of all bytes that look like a reference. */
function referencesAmong(bytes: Uint8Array, meter: Meter): number[] {
  meter.charge("findReferences", bytes.length);
  return Array.from(decodeLatin1(bytes).matchAll(/(?<!\d)(\d{1,9})\s+\d{1,5}\s+R/g), ([, num]) => Number(num));
}

function referencesInValue(value: Value): number[] {
  if (value instanceof Reference) return [value.num];
  const values = value instanceof Map ? [...value.values()] : value;
  return Array.isArray(values) ? values.flatMap(referencesInValue) : [];
}

/** Appends items one by one, because spreading a very large number of items fails. */
function append(numbers: number[], more: readonly number[]): void {
  for (const num of more) numbers.push(num);
}
