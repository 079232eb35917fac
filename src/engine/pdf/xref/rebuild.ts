/**
 * Recovers damaged files. A pass over the file treats every `n g obj` as the start of an object, as MuPDF and pdf.js
 * do. The last body of an object number is the live body. The data of a stream end where /Length states, if `endstream`
 * or `endobj` follows. Otherwise, the data end at the next `endstream`, or at an earlier `endobj` before another
 * object. A second pass is needed if a /Length is an object that follows its stream, as in files by qpdf.
 */

import { indexOf } from "#platform/search";
import { claimedEnd, dataStart, findEndOfData, findEndobj, findWord, isEndOfData } from "../objects/streams.ts";
import { IN_FILE, XrefTable } from "../objects/xrefTable.ts";
import { type ByteSource, retryAll } from "../source/byteSource.ts";
import { MEMORY } from "../source/costs.ts";
import { tooComplex } from "../source/meter.ts";
import { LOWER_O, LOWER_T, LOWER_X, MINUS, PLUS } from "../syntax/characters.ts";
import {
  EndOfBytes,
  eachEntry,
  isDictionary,
  isDigit,
  isRegular,
  isWhite,
  LARGEST_GENERATION,
  Malformed,
  parseAt,
  readHeader,
  readInteger,
  skipValue,
  skipWhite,
  startsWith,
} from "../syntax/lexer.ts";

import { parseCharged, Reference, type Value } from "../syntax/values.ts";
import { endOfWellFormed } from "../syntax/wellFormed.ts";
import { chargeTrailer, readTrailer, readTrailerDictionary, type Trailer, type Xref } from "./xref.ts";

/**
 * Result of a scan. `xref.table` contains the objects that are directly in the file. scannedStreams.ts adds the objects
 * in object streams.
 */
export interface Scan {
  xref: Xref;
  /** Object streams, in file order. */
  objectStreams: { num: number; offset: number }[];
  /** Numbers of objects that may be a catalog. */
  catalogs: Set<number>;
  /**
   * Numbers of ambiguous objects: readers may find a different definition of such an object. Ambiguous objects occur
   * more than once, or are in stream data with an ambiguous extent. The extent is ambiguous if the stream's dictionary
   * is malformed. It is also ambiguous if some readers look for the first `endstream` because /Length is wrong or
   * indirect.
   */
  ambiguous: Set<number>;
  /** Numbers of objects whose brackets do not match, and of streams whose data end with the file. */
  unreadable: ReadonlySet<number>;
  /**
   * Whether some readers may find more object streams than the scan. They may find object streams inside data with an
   * ambiguous extent, or read a malformed object as an object stream.
   */
  mayHideObjectStreams: boolean;
  /**
   * Numbers of objects that are defined both inside an unreadable trailer and before it. Some readers use the first
   * definition, and others use the second.
   */
  redefined: ReadonlySet<number>;
}

const WINDOW = 64 * 1024;
/**
 * Length in bytes of the overlap of consecutive windows. The overlap is larger than any header or keyword that the end
 * of a window may split.
 */
const OVERLAP = 64;
const OBJECT_LIMIT = 2 << 20;
/**
 * Number of bytes of the file that may be read for unparsable objects. When these bytes are used up, less of the file
 * is read for each object.
 */
const FAILURE_BUDGET = 8 << 20;
const REDUCED_OBJECT_LIMIT = 512;
/** Maximum number of trailers. If a file has more trailers, only the last trailers are retained. */
const MAX_TRAILERS = 1000;
/**
 * Number of bytes at the start of a malformed object that are searched for `/ObjStm`. If this name is found, readers
 * may read the object as an object stream.
 */
const OBJECT_STREAM_HEAD = 512;
/** Maximum number of bytes that readers skip to find `endstream`, if /Length ends the data too early. */
const NEAR = 16;
/** The text that every catalog contains. */
export const CATALOG = "/Catalog";
/** Maximum number of values that are recorded for one /Length object. */
const MAX_LENGTHS = 20;

/**
 * Scans the whole file.
 * @throws Malformed if the file has no objects
 */
export async function scanFile(source: ByteSource): Promise<Scan> {
  let scanner = await pass(source, new Map());
  if (scanner.lengths.size > 0) scanner = await pass(source, scanner.lengths);
  if (scanner.table.rows === 0) throw new Malformed("no objects");
  // The last trailer is the newest.
  const trailers = scanner.trailers.reverse();
  const xref = { table: scanner.table, trailers, sections: scanner.sections, usesStreams: scanner.usesStreams };
  const { objectStreams, catalogs, ambiguous, unreadable, mayHideObjectStreams, redefined } = scanner;
  return { xref, objectStreams, catalogs, ambiguous, unreadable, mayHideObjectStreams, redefined };
}

async function pass(source: ByteSource, known: Scanner["lengths"]): Promise<Scanner> {
  const scanner = new Scanner(source, known);
  await retryAll(source, scanner);
  return scanner;
}

/**
 * Adds an object number to a set, and charges its memory.
 * @throws EngineError too_complex if too much memory is retained
 */
export function addNumber(numbers: Set<number>, num: number, { meter }: ByteSource): void {
  if (numbers.has(num)) return;
  meter.retain(MEMORY.objectNumber);
  numbers.add(num);
}

class Scanner {
  readonly table: XrefTable;
  readonly trailers: Trailer[] = [];
  readonly sections: number[] = [];
  readonly objectStreams: { num: number; offset: number }[] = [];
  usesStreams = false;
  readonly catalogs = new Set<number>();
  readonly ambiguous = new Set<number>();
  readonly unreadable = new Set<number>();
  mayHideObjectStreams = false;
  readonly redefined = new Set<number>();
  /** Possible values of each object that is the /Length of an earlier stream. The key is the number of the object. */
  readonly lengths = new Map<number, number[]>();
  readonly #source: ByteSource;
  /** The `lengths` that an earlier pass over the file has found. */
  readonly #known: ReadonlyMap<number, readonly number[]>;
  /** Numbers of the /Length objects that had not been found yet when their streams were read. */
  readonly #awaited = new Set<number>();
  #at = 0;
  /** End of the last stream data whose extent is ambiguous. */
  #ambiguousEnd = 0;
  /** End of the last trailer. A `trailer` keyword before this end belongs to that trailer. */
  #trailerEnd = 0;
  /** Whether the last trailer is unreadable, and the scan has not reached the `startxref` of that trailer yet. */
  #isInBrokenTrailer = false;
  #failureBudget = FAILURE_BUDGET;
  /**
   * Result of the last search for `endstream`, and the offset at which the search began. All streams between these two
   * offsets share the result.
   */
  #endOfSearched = -1;
  #searchedFrom = 0;

  /**
   * @param known `lengths` of an earlier pass, which show where stream data end. The scan ignores objects inside stream
   * data.
   */
  constructor(source: ByteSource, known: ReadonlyMap<number, readonly number[]>) {
    this.#source = source;
    this.table = new XrefTable(source.length);
    this.#known = known;
  }

  /**
   * Advances to the next object, trailer or window. Returns false at the end of the file.
   * @throws MissingRange if bytes must be fetched first. Call `step` again after the fetch.
   * @throws EngineError too_complex
   */
  step(): boolean {
    const from = this.#at;
    // A window ends at a block boundary. If the window would be too short, it ends at the next block boundary.
    const blockEnd = (Math.floor((from + 2 * OVERLAP) / WINDOW) + 1) * WINDOW;
    const end = Math.min(blockEnd, this.#source.length);
    const bytes = this.#source.bytes(from, end);
    for (let at = 0; at < bytes.length; at++) {
      const code = bytes[at];
      if (code === LOWER_O && startsWith(bytes, at, "obj") && !isRegular(bytes[at + 3])) {
        const header = headerBefore(bytes, at);
        if (!header) continue;
        if (from + at < this.#ambiguousEnd) {
          addNumber(this.ambiguous, header.num, this.#source);
          continue;
        }
        this.#source.meter.charge("scan", at);
        this.#readObject(header, from + header.start, from + at + 3);
        return true;
      }
      if (from + at < this.#ambiguousEnd) continue;
      if (code === LOWER_T && startsWith(bytes, at, "trailer")) {
        this.#source.meter.charge("scan", at);
        this.#readTrailer(from + at);
        return true;
      }
      // The word `xref` may also be the end of `startxref`. A `startxref` ends a revision whose section is elsewhere.
      if (code === LOWER_X && startsWith(bytes, at, "xref")) {
        this.#isInBrokenTrailer = false;
        this.#addSection(from + at - (startsWith(bytes, at - 5, "start") ? 5 : 0));
      }
    }
    this.#source.meter.charge("scan", bytes.length);
    this.#at = end === this.#source.length ? end : end - OVERLAP;
    return end < this.#source.length;
  }

  #addSection(offset: number): void {
    if (this.sections.at(-1) !== offset) this.sections.push(offset);
  }

  #readTrailer(offset: number): void {
    if (offset >= this.#trailerEnd) {
      const trailer = this.#attempt(() => parseAt(this.#source, offset, readTrailer, this.#limit));
      this.#isInBrokenTrailer = !trailer;
      if (trailer) {
        this.#addTrailer(trailer);
        this.#trailerEnd = offset + trailer.text.length;
        this.usesStreams = false;
      }
    }
    this.#addSection(offset);
    this.#at = offset + 7;
  }

  #addTrailer(trailer: Trailer): void {
    chargeTrailer(trailer, this.#source.meter);
    this.trailers.push(trailer);
    if (this.trailers.length > MAX_TRAILERS) this.trailers.shift();
  }

  #readObject(header: { num: number; gen: number }, offset: number, end: number): void {
    const object = this.#attempt(() => parseAt(this.#source, end, describe, this.#limit));
    const valueEnd = end + (object?.length ?? 0);
    let next = valueEnd;
    let ambiguousFrom = next;
    const stream = object?.stream;
    let awaited: number | undefined;
    if (stream) {
      const start = end + stream.data;
      const value = stream.dict.get("Length");
      const length = this.#streamLengths(value).find((each) => claimedEnd(this.#source, start, each) !== undefined);
      next = Math.max(
        next,
        length === undefined ? this.#endOfData(start, typeof value === "number" ? value : 0) : start + length,
      );
      if (length === undefined && value instanceof Reference) awaited = value.num;
      // If /Length is wrong, some readers end the data at an `endobj` before the `endstream`. If `endstream` is
      // missing, readers end the data at different positions.
      const mayEndBefore = length === undefined && findWord(this.#source, start, next, "endobj") !== undefined;
      if (!object.isWellFormed || mayEndBefore || !isEndOfData(this.#source, next, "endstream")) ambiguousFrom = start;
      else ambiguousFrom = typeof value === "number" ? next : findEndOfData(this.#source, start);
    }
    // If a bracket is missing, the value may extend into another object.
    if (object?.isWellFormed === false && findWord(this.#source, end, valueEnd, "endobj") !== undefined)
      ambiguousFrom = end;
    const mayBeStream = stream === undefined && object?.isWellFormed !== true;
    const hidesObjectStreams =
      (ambiguousFrom < next && findWord(this.#source, ambiguousFrom, next, "/ObjStm") !== undefined) ||
      (mayBeStream &&
        findWord(this.#source, end, Math.min(end + OBJECT_STREAM_HEAD, this.#source.length), "/ObjStm") !== undefined);

    // No statement from here on throws MissingRange, so the changes below happen only once.
    if (awaited !== undefined) this.#awaited.add(awaited);
    if (object?.integer !== undefined && this.#awaited.has(header.num)) this.#addLength(header.num, object.integer);
    if (header.gen > LARGEST_GENERATION) throw tooComplex(`object ${header.num} has a generation that readers reject`);
    if (this.table.replace(header.num, IN_FILE, offset, header.gen)) {
      addNumber(this.ambiguous, header.num, this.#source);
      if (this.#isInBrokenTrailer) this.redefined.add(header.num);
    }
    const type = stream?.dict.get("Type");
    // The data of a truncated stream end with the file. Without a rewrite, the data would continue in the next object of
    // the output.
    // Object streams without an end are rewritten anyway.
    const isTruncated = stream !== undefined && type !== "ObjStm" && next === this.#source.length;
    if (object?.isBalanced && !isTruncated) this.unreadable.delete(header.num);
    else addNumber(this.unreadable, header.num, this.#source);
    if (object?.mayBeCatalog) addNumber(this.catalogs, header.num, this.#source);
    if (type === "ObjStm") this.objectStreams.push({ num: header.num, offset });
    if (stream && type === "XRef") {
      this.#addSection(offset);
      this.#addTrailer(stream);
      this.usesStreams = true;
    }
    if (ambiguousFrom < next) this.#ambiguousEnd = next;
    this.mayHideObjectStreams ||= hidesObjectStreams;
    this.#at = Math.min(ambiguousFrom, next);
  }

  /**
   * Returns the end of data whose /Length is missing or wrong. If an `endstream` is near the `claimed` length, the data
   * end there. Otherwise, they end before the next `endstream`, or before an earlier `endobj` that is followed by
   * another part of the file.
   */
  #endOfData(start: number, claimed: number): number {
    const from = start + claimed;
    const limit = Math.min(from + NEAR + "endstream".length, this.#source.length);
    const near = claimed > 0 && from < limit ? findWord(this.#source, from, limit, "endstream") : undefined;
    if (near !== undefined) return near;
    if (start < this.#searchedFrom || this.#endOfSearched < start) {
      const end = findEndOfData(this.#source, start);
      [this.#searchedFrom, this.#endOfSearched] = [start, end];
    }
    return findEndobj(this.#source, start, this.#endOfSearched) ?? this.#endOfSearched;
  }

  #addLength(num: number, length: number): void {
    const lengths = this.lengths.get(num) ?? [];
    if (lengths.length < MAX_LENGTHS) this.lengths.set(num, [...lengths, length]);
  }

  /**
   * Returns the possible values of a /Length. An indirect /Length may have several definitions if the file was updated.
   */
  #streamLengths(value: Value | undefined): readonly number[] {
    if (typeof value === "number") return [value];
    if (!(value instanceof Reference)) return [];
    const known = this.#known.get(value.num) ?? [];
    const row = this.table.liveRow(value.num);
    if (row < 0) return known;
    const number = this.#attempt(() =>
      parseAt(
        this.#source,
        this.table.offset(row),
        (bytes, at) => parseCharged(bytes, readHeader(bytes, at)?.end ?? at, this.#source.meter),
        this.#limit,
      ),
    );
    return typeof number === "number" ? [number, ...known] : known;
  }

  get #limit(): number {
    return this.#failureBudget > 0 ? Math.min(OBJECT_LIMIT, this.#failureBudget) : REDUCED_OBJECT_LIMIT;
  }

  #attempt<T>(parse: () => T): T | undefined {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.#failureBudget -= Math.min(this.#limit, this.#source.length);
      this.#source.meter.charge("failedParse");
      return undefined;
    }
  }
}

/** Facts about an object that the scan has found. Positions are relative to the end of the object's header. */
interface Description {
  length: number;
  isWellFormed: boolean;
  /** Whether the brackets in the object match. */
  isBalanced: boolean;
  mayBeCatalog: boolean;
  /** Value of the object, if the value is an unsigned integer. */
  integer: number | undefined;
  /** Dictionary of the object and start of its data, if the object is a stream. */
  stream: (Trailer & { data: number }) | undefined;
}

function describe(bytes: Uint8Array, at: number): Description {
  const start = skipWhite(bytes, at);
  if (isDigit(bytes[start]) && readHeader(bytes, start)) throw new Malformed("another object begins");
  const end = skipValue(bytes, start);
  const data = isDictionary(bytes, start) ? dataStart(bytes, skipWhite(bytes, end)) : -1;
  const isWellFormed = endOfWellFormed(bytes, start) >= 0;
  return {
    length: end - at,
    isWellFormed,
    isBalanced: isWellFormed || isBalanced(bytes, start),
    mayBeCatalog: data < 0 && indexOf(bytes.subarray(start, end), CATALOG) >= 0,
    integer: readInteger(bytes, start, end),
    stream: data < 0 ? undefined : { ...readTrailerDictionary(bytes, start), data: data - at },
  };
}

/** Reads the object number and generation before the `obj` at `at`. White space or `endobj` must precede them. */
function headerBefore(bytes: Uint8Array, at: number): { num: number; gen: number; start: number } | undefined {
  const genEnd = backOver(bytes, at, isWhite);
  const gen = backOver(bytes, genEnd, isDigit);
  // MuPDF and PDFium read -0 as 0, so a sign may precede the generation
  const sign = backOver(bytes, gen, (code) => code === MINUS || code === PLUS);
  const numEnd = backOver(bytes, sign, isWhite);
  const start = backOver(bytes, numEnd, isDigit);
  if (start === numEnd || numEnd === sign || gen === genEnd) return undefined;
  if (isRegular(bytes[start - 1]) && !startsWith(bytes, start - 6, "endobj")) return undefined;
  const num = readInteger(bytes, start, numEnd);
  const generation = readInteger(bytes, gen, genEnd);
  return num === undefined || generation === undefined ? undefined : { num, gen: generation, start };
}

function backOver(bytes: Uint8Array, at: number, matches: (code: number | undefined) => boolean): number {
  while (at > 0 && matches(bytes[at - 1])) at--;
  return at;
}

/** Returns whether the brackets of a malformed value match. */
function isBalanced(bytes: Uint8Array, at: number): boolean {
  if (!isDictionary(bytes, at)) return true;
  try {
    eachEntry(bytes, at, () => {});
    return true;
  } catch (error) {
    if (error instanceof EndOfBytes || !(error instanceof Malformed)) throw error;
    return false;
  }
}
