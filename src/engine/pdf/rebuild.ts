/**
 * Recovery: one pass over the file that takes every `n g obj` as an entry, as MuPDF and pdf.js do. The last body of an
 * object number is the live one. Streams are skipped by their /Length if `endstream` or `endobj` follows, otherwise to
 * the next `endstream`. If a /Length is an object behind its stream, as qpdf writes them, it takes a second pass.
 */

import { type ByteSource, retry } from "./byteSource.ts";
import { LOWER_O, LOWER_T, LOWER_X } from "./characters.ts";
import {
  isDictionary,
  isDigit,
  isWhite,
  Malformed,
  parseAt,
  readHeader,
  readInteger,
  skipValue,
  skipWhite,
  startsWith,
} from "./lexer.ts";
import type { Objects } from "./objects.ts";
import { dataStart, findEndOfData, isEndOfData } from "./streams.ts";

import { parseValue, Reference, type Value } from "./values.ts";
import { findOrigin, readTrailer, readTrailerDictionary, type Trailer, type Xref } from "./xref.ts";

import { IN_FILE, IN_STREAM, XrefTable } from "./xrefTable.ts";

/** Result of a scan. `xref.table` holds the objects directly in the file; `expandObjectStreams` adds the others. */
export interface Scan {
  xref: Xref;
  /** Object streams, in file order. */
  objectStreams: { num: number; offset: number }[];
}

const WINDOW = 64 * 1024;
/** More than the longest header or keyword that the end of a window may cut. */
const OVERLAP = 64;
const OBJECT_LIMIT = 2 << 20;
/** After this many unreadable objects, less of the file is read for each. */
const PATIENCE = 100;
const IMPATIENT_LIMIT = 2048;
const MOST_TRAILERS = 1000;
/** Most values that are kept of one /Length object. */
const MOST_LENGTHS = 20;

/**
 * Scans the whole file.
 * @throws Malformed if it holds no objects
 */
export async function scanFile(source: ByteSource): Promise<Scan> {
  let scanner = await pass(source, new Map());
  if (scanner.lengths.size > 0) scanner = await pass(source, scanner.lengths);
  if (scanner.table.rows === 0) throw new Malformed("no objects");
  const origin = (await retry(source, () => findOrigin(source))) ?? 0;
  // The last trailer is the newest.
  const trailers = scanner.trailers.reverse();
  const xref = { table: scanner.table, trailers, sections: scanner.sections, origin, usesStreams: scanner.usesStreams };
  return { xref, objectStreams: scanner.objectStreams };
}

async function pass(source: ByteSource, known: Scanner["lengths"]): Promise<Scanner> {
  const scanner = new Scanner(source, known);
  await retry(source, () => {
    while (scanner.step());
  });
  return scanner;
}

/**
 * Adds the members of the object streams to the table, ranked by where their stream is in the file. Separate from the
 * scan, because the streams of an encrypted file can only be read once the cipher is known.
 */
export async function expandObjectStreams(objects: Objects, objectStreams: Scan["objectStreams"]): Promise<void> {
  const { table } = objects;
  const isCurrent = ({ num, offset }: { num: number; offset: number }) => {
    const row = table.live(num);
    return row >= 0 && table.kind(row) === IN_FILE && table.place(row) === offset;
  };
  const offsetOf = new Map<number, number>();

  for (const stream of objectStreams) {
    if (!isCurrent(stream)) continue;
    offsetOf.set(stream.num, stream.offset);
    let numbers: number[];
    try {
      numbers = (await retry(objects.source, () => objects.stream(stream.num))).numbers;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      continue;
    }
    numbers.forEach((num, index) => {
      const row = table.live(num);
      const place = row < 0 ? -1 : table.place(row);
      const known = row >= 0 && table.kind(row) === IN_STREAM ? (offsetOf.get(place) ?? -1) : place;
      if (known < stream.offset) table.replace(num, IN_STREAM, stream.num, index);
      else table.add(num, IN_STREAM, stream.num, index);
    });
  }
}

/**
 * Returns the reference to the catalog of a scanned file: the newest /Root that leads to one, otherwise any catalog.
 * @throws MissingRange if bytes have to be fetched first
 */
export function findCatalog(objects: Objects, trailers: Trailer[]): Reference | undefined {
  const isCatalog = (value: Value | undefined) => {
    try {
      return objects.dictionary(value)?.has("Pages") === true;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return false;
    }
  };
  for (const { dict } of trailers) {
    const root = dict.get("Root");
    if (root instanceof Reference && isCatalog(root)) return root;
  }
  for (const num of objects.table.numbers()) {
    const reference = new Reference(num, 0);
    if (isCatalog(reference) && objects.dictionary(reference)?.get("Type") === "Catalog") return reference;
  }
  return undefined;
}

class Scanner {
  readonly table = new XrefTable();
  readonly trailers: Trailer[] = [];
  readonly sections: number[] = [];
  readonly objectStreams: { num: number; offset: number }[] = [];
  usesStreams = false;
  /** Values of objects that are the /Length of a stream before them. */
  readonly lengths = new Map<number, number[]>();
  readonly #source: ByteSource;
  /** What an earlier pass found. */
  readonly #known: ReadonlyMap<number, readonly number[]>;
  /** Numbers of objects that streams so far need for their /Length, and have not met. */
  readonly #awaited = new Set<number>();
  #at = 0;
  #failures = 0;

  /** @param known `lengths` of an earlier pass: what looks like an object in the data of a stream is none */
  constructor(source: ByteSource, known: ReadonlyMap<number, readonly number[]>) {
    this.#source = source;
    this.#known = known;
  }

  /**
   * Advances to the next object, trailer or window; false at the end of the file.
   * @throws MissingRange if bytes have to be fetched first; call again then
   */
  step(): boolean {
    const from = this.#at;
    const end = Math.min(from + WINDOW, this.#source.length);
    const bytes = this.#source.bytes(from, end);
    for (let at = 0; at < bytes.length; at++) {
      const code = bytes[at];
      if (code === LOWER_O && startsWith(bytes, at, "obj")) {
        const header = headerBefore(bytes, at);
        if (!header) continue;
        this.#readObject(header, from + header.start, from + at + 3);
        return true;
      }
      if (code === LOWER_T && startsWith(bytes, at, "trailer")) {
        this.#readTrailer(from + at);
        return true;
      }
      // Also matches `startxref`, to find the end of a revision whose table is elsewhere.
      if (code === LOWER_X && startsWith(bytes, at, "xref"))
        this.#addSection(from + at - (startsWith(bytes, at - 5, "start") ? 5 : 0));
    }
    this.#at = end === this.#source.length ? end : end - OVERLAP;
    return end < this.#source.length;
  }

  #addSection(offset: number): void {
    if (this.sections.at(-1) !== offset) this.sections.push(offset);
  }

  #readTrailer(offset: number): void {
    const trailer = this.#attempt(() => parseAt(this.#source, offset, readTrailer, this.#limit));
    if (trailer && this.trailers.length < MOST_TRAILERS) {
      this.trailers.push(trailer);
      this.usesStreams = false;
    }
    this.#addSection(offset);
    this.#at = offset + 7;
  }

  #readObject(header: { num: number; gen: number }, offset: number, end: number): void {
    const object = this.#attempt(() => parseAt(this.#source, end, describe, this.#limit));
    let next = end + (object?.length ?? 0);
    const stream = object?.stream;
    let awaited: number | undefined;
    if (stream) {
      const start = end + stream.data;
      const value = stream.dict.get("Length");
      const length = this.#streamLengths(value).find((each) => isEndOfData(this.#source, start + each));
      next = Math.max(next, length === undefined ? findEndOfData(this.#source, start) : start + length);
      if (length === undefined && value instanceof Reference) awaited = value.num;
    }

    // From here on nothing throws MissingRange, so these changes are made once.
    if (awaited !== undefined) this.#awaited.add(awaited);
    if (object?.integer !== undefined && this.#awaited.has(header.num)) this.#addLength(header.num, object.integer);
    this.table.replace(header.num, IN_FILE, offset, Math.min(header.gen, 65_535));
    const type = stream?.dict.get("Type");
    if (type === "ObjStm") this.objectStreams.push({ num: header.num, offset });
    if (stream && type === "XRef") {
      this.#addSection(offset);
      if (this.trailers.length < MOST_TRAILERS) this.trailers.push(stream);
      this.usesStreams = true;
    }
    this.#at = next;
  }

  #addLength(num: number, length: number): void {
    const lengths = this.lengths.get(num) ?? [];
    if (lengths.length < MOST_LENGTHS) this.lengths.set(num, [...lengths, length]);
  }

  /** Returns what a /Length may be: of the objects that it leads to, which are several after updates. */
  #streamLengths(value: Value | undefined): readonly number[] {
    if (typeof value === "number") return [value];
    if (!(value instanceof Reference)) return [];
    const known = this.#known.get(value.num) ?? [];
    const row = this.table.live(value.num);
    if (row < 0) return known;
    const number = this.#attempt(() =>
      parseAt(
        this.#source,
        this.table.place(row),
        (bytes, at) => parseValue(bytes, readHeader(bytes, at)?.end ?? at),
        this.#limit,
      ),
    );
    return typeof number === "number" ? [number, ...known] : known;
  }

  get #limit(): number {
    return this.#failures < PATIENCE ? OBJECT_LIMIT : IMPATIENT_LIMIT;
  }

  #attempt<T>(parse: () => T): T | undefined {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.#failures++;
      return undefined;
    }
  }
}

/** What a scan needs to know about an object; positions are relative to the end of its `obj`. */
interface Description {
  length: number;
  /** Its value, if that is an unsigned integer. */
  integer: number | undefined;
  /** For streams: the dictionary, and where the data begin. */
  stream: (Trailer & { data: number }) | undefined;
}

function describe(bytes: Uint8Array, at: number): Description {
  const start = skipWhite(bytes, at);
  const end = skipValue(bytes, start);
  const data = isDictionary(bytes, start) ? dataStart(bytes, skipWhite(bytes, end)) : -1;
  return {
    length: end - at,
    integer: readInteger(bytes, start, end),
    stream: data < 0 ? undefined : { ...readTrailerDictionary(bytes, start), data: data - at },
  };
}

/** Reads the `n g` before the `obj` at `at`. */
function headerBefore(bytes: Uint8Array, at: number): { num: number; gen: number; start: number } | undefined {
  const genEnd = backOver(bytes, at, isWhite);
  const gen = backOver(bytes, genEnd, isDigit);
  const numEnd = backOver(bytes, gen, isWhite);
  const start = backOver(bytes, numEnd, isDigit);
  if (start === numEnd || numEnd === gen || gen === genEnd) return undefined;
  const num = readInteger(bytes, start, numEnd);
  const generation = readInteger(bytes, gen, genEnd);
  return num === undefined || generation === undefined ? undefined : { num, gen: generation, start };
}

function backOver(bytes: Uint8Array, at: number, matches: (code: number | undefined) => boolean): number {
  while (at > 0 && matches(bytes[at - 1])) at--;
  return at;
}
