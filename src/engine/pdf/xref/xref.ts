/**
 * Reads the file's own cross-reference: tables, streams, hybrid files, and the chain of sections (ISO 32000-2, 7.5.4 to
 * 7.5.8).
 */
import { lastIndexOf } from "#platform/search";
import { decodeStream } from "../objects/filters.ts";
import { readStream } from "../objects/streams.ts";
import { FREE, IN_FILE, XrefTable } from "../objects/xrefTable.ts";
import type { ByteSource } from "../source/byteSource.ts";
import { type Meter, tooComplex } from "../source/meter.ts";
import { LOWER_F, LOWER_N } from "../syntax/characters.ts";
import {
  eachEntry,
  isDictionary,
  isDigit,
  isWhite,
  LARGEST_GENERATION,
  Malformed,
  parseAt,
  readHeader,
  readInteger,
  skipDigits,
  skipRegular,
  skipWhite,
  startsWith,
  valueOfDigits,
} from "../syntax/lexer.ts";
import { type Dictionary, parseMeasured, Reference } from "../syntax/values.ts";
import { streamEntries } from "./xrefStream.ts";

/** A trailer dictionary, or the dictionary of a cross-reference stream that serves as a trailer. */
export interface Trailer {
  dict: Dictionary;
  /** The text of the dictionary from `<<` to `>>`. The output copies entries from this text. */
  text: Uint8Array;
  /** Memory of `dict` in bytes. */
  memory: number;
}

/** The cross-reference of a file, read from its sections or found by a scan. Offsets are positions in the source. */
export interface Xref {
  table: XrefTable;
  /** Trailers, newest first. Empty if a scan found no trailer. */
  trailers: Trailer[];
  /** Offsets of cross-reference sections and of the keywords `trailer` and `startxref`. */
  sections: number[];
  /** Whether the newest section is a cross-reference stream. */
  usesStreams: boolean;
}

const ENTRY_WINDOW = 64 * 1024;
/** Length in bytes of a standard table entry. */
const ENTRY = 20;
/**
 * Number of additional bytes that are read after a subsection's header. Irregular bytes may precede the first entry.
 */
const ENTRY_SPACE = 1024;
const TAIL = 2048;
const MAX_SECTIONS = 10_000;

/** A section that must still be read. `offset` is the offset as written in the file. */
interface Link {
  offset: number;
  /**
   * For the stream of a hybrid file, the first row of the table to which the stream belongs; otherwise Infinity. See
   * XrefTable.add.
   */
  replaceFreeFrom: number;
}

/**
 * State of the table that is being read: the next position in the file, the next object number, and the number of
 * entries left in the subsection.
 */
interface OpenTable {
  at: number;
  next: number;
  left: number;
  /** First row of the section that contains the table. */
  row: number;
}

/**
 * Returns the offset of `%PDF-` in the first 1024 bytes, where readers look for this header. Returns undefined if the
 * header is missing.
 * @throws MissingRange if bytes must be fetched first
 */
export function findOrigin(source: ByteSource): number | undefined {
  const head = source.bytes(0, Math.min(1024 + 5, source.length));
  for (let at = 0; at + 5 <= head.length; at++) if (startsWith(head, at, "%PDF-")) return at;
  return undefined;
}

/**
 * Reads the chain of sections, newest first. The work is divided into steps that can be repeated when bytes are
 * missing. Steps are necessary because a table of a million entries exceeds the cache of a source that is read by
 * ranges.
 */
export class XrefReader {
  readonly #source: ByteSource;
  readonly #xref: Xref;
  /** Sections that must still be read, in order. */
  readonly #queue: Link[] = [];
  readonly #seen = new Set<number>();
  /** Offset of `%PDF-`, or 0 if the file has no `%PDF-`. */
  readonly #origin: number;
  /**
   * Number to add to the offsets that the file states. The number is the offset of `%PDF-` if the producer counted
   * offsets from there. It is 0 if the producer counted from the start of the file.
   */
  #bias: number | undefined;
  #open: OpenTable | undefined;
  /** Generator that adds the entries of the current cross-reference stream, at most `ROWS_AT_ONCE` per step. */
  #entries: Generator<number, number> | undefined;

  /**
   * Finds the newest section.
   * @throws Malformed if the file does not end with a `startxref` and an offset
   * @throws MissingRange if bytes must be fetched first. Call the constructor again after the fetch.
   */
  constructor(source: ByteSource) {
    this.#source = source;
    const start = findStartxref(source);
    this.#origin = findOrigin(source) ?? 0;
    this.#xref = {
      table: new XrefTable(source.length),
      trailers: [],
      sections: [start.keyword],
      usesStreams: false,
    };
    this.#queue.push({ offset: start.offset, replaceFreeFrom: Number.POSITIVE_INFINITY });
  }

  /**
   * Runs one step. Returns false when the chain is complete.
   * @throws Malformed if a section cannot be read
   * @throws EngineError too_complex
   * @throws MissingRange if bytes must be fetched first. Call `step` again after the fetch.
   */
  step(): boolean {
    if (this.#open) {
      this.#readTable(this.#open);
      return true;
    }
    if (this.#entries) {
      const { value: rows, done } = this.#entries.next();
      this.#source.meter.charge("addXrefRow", rows);
      if (done) this.#entries = undefined;
      return true;
    }
    const link = this.#queue[0];
    if (!link) return false;
    if (!this.#seen.has(link.offset)) this.#readSection(link);
    this.#queue.shift();
    this.#seen.add(link.offset);
    if (this.#seen.size > MAX_SECTIONS) throw tooComplex("it has too many revisions");
    return true;
  }

  /** The cross-reference that has been read so far. It is complete when `step` has returned false. */
  get xref(): Xref {
    return this.#xref;
  }

  #readSection({ offset, replaceFreeFrom }: Link): void {
    const { sections } = this.#xref;
    const origin = this.#origin;
    this.#bias ??= origin > 0 && isSection(this.#source, offset + origin) ? origin : 0;
    const at = offset + this.#bias;
    const stream = parseAt(this.#source, at, (bytes, from) => {
      const start = skipWhite(bytes, from);
      if (!startsWith(bytes, start, "xref")) return true;
      this.#open = { at: at + start + 4, next: 0, left: 0, row: this.#xref.table.rows };
      return false;
    });
    if (stream) this.#readStream(at, replaceFreeFrom);
    sections.push(at);
  }

  /** Reads the next part of a table: the header of a subsection, a window of entries, or the trailer. */
  #readTable(table: OpenTable): void {
    if (table.left > 0) {
      this.#readEntries(table);
      return;
    }
    const found = parseAt(this.#source, table.at, (bytes, from) => {
      const start = skipWhite(bytes, from);
      if (!isDigit(bytes[start])) return readTrailer(bytes, start);
      const firstEnd = skipRegular(bytes, start);
      const countStart = skipWhite(bytes, firstEnd);
      const countEnd = skipRegular(bytes, countStart);
      const first = readInteger(bytes, start, firstEnd);
      const count = readInteger(bytes, countStart, countEnd);
      if (first === undefined || count === undefined) throw new Malformed("no cross-reference subsection");
      return { first, count, length: countEnd };
    });
    if ("dict" in found) {
      this.#open = undefined;
      this.#follow(found, table.row);
      return;
    }
    this.#open = { at: table.at + found.length, next: found.first, left: found.count, row: table.row };
  }

  #readEntries(table: OpenTable): void {
    const end = Math.min(table.at + Math.min(ENTRY_WINDOW, ENTRY_SPACE + ENTRY * table.left), this.#source.length);
    const bytes = this.#source.bytes(table.at, end);
    // Entries have 20 bytes, but real files also contain shorter line ends and stray blanks. The last 40 bytes of the
    // window may contain an incomplete entry.
    const limit = end === this.#source.length ? bytes.length : bytes.length - 40;
    let { next, left } = table;
    let at = 0;
    let done = 0;
    for (; left > 0; left--, next++) {
      while (isWhite(bytes[at])) at++;
      if (at >= limit) break;
      const offsetEnd = skipDigits(bytes, at);
      const offset = valueOfDigits(bytes, at, offsetEnd);
      for (at = offsetEnd; isWhite(bytes[at]); ) at++;
      const generationEnd = skipDigits(bytes, at);
      const generation = valueOfDigits(bytes, at, generationEnd);
      for (at = generationEnd; isWhite(bytes[at]); ) at++;
      const kind = bytes[at++];
      if (kind !== LOWER_N && kind !== LOWER_F) throw new Malformed("no cross-reference entry");
      // The first entry of the free list must be object 0. A PDF producer of the 1990s wrongly numbers the entry 1,
      // because the only subsection of its files starts at 1.
      if (kind === LOWER_F && next === 1 && generation === LARGEST_GENERATION && this.#xref.table.rows === table.row)
        next = 0;
      // Some producers write unused entries like entries in use, but with offset 0.
      const used = kind === LOWER_N && offset > 0;
      this.#xref.table.add(
        next,
        used ? IN_FILE : FREE,
        used ? offset + this.#bias! : 0,
        Math.min(generation, LARGEST_GENERATION),
      );
      done = at;
    }
    if (left > 0 && done === 0) throw new Malformed("the file ends inside its cross-reference");
    this.#source.meter.charge("scan", done);
    this.#open = { at: table.at + done, next, left, row: table.row };
  }

  #readStream(at: number, replaceFreeFrom: number): void {
    const trailer = parseAt(this.#source, at, (bytes, from) => {
      const header = readHeader(bytes, from);
      if (!header || !isDictionary(bytes, header.end)) throw new Malformed(`no cross-reference at offset ${at}`);
      return readTrailerDictionary(bytes, header.end);
    });
    const { data } = readStream(this.#source, at, () => undefined);
    const { dict } = trailer;
    if (dict.get("Type") !== "XRef") throw new Malformed(`no cross-reference stream at offset ${at}`);
    if (this.#xref.trailers.length === 0) this.#xref.usesStreams = true;
    const rows = decodeStream(dict, data, this.#source.meter);
    this.#entries = streamEntries(this.#xref.table, dict, rows, this.#bias!, replaceFreeFrom);
    this.#follow(trailer, undefined);
  }

  /**
   * Queues the sections to which a trailer refers. The cross-reference stream of a hybrid file precedes the older
   * section in the queue.
   * @param hybridRow first row of the section; undefined if the section is a cross-reference stream
   */
  #follow(trailer: Trailer, hybridRow: number | undefined): void {
    chargeTrailer(trailer, this.#source.meter);
    this.#xref.trailers.push(trailer);
    const links: Link[] = [];
    const stream = trailer.dict.get("XRefStm");
    if (typeof stream === "number" && hybridRow !== undefined)
      links.push({ offset: stream, replaceFreeFrom: hybridRow });
    const previous = trailer.dict.get("Prev");
    const offset = previous instanceof Reference ? previous.num : previous;
    if (typeof offset === "number" && offset > 0) links.push({ offset, replaceFreeFrom: Number.POSITIVE_INFINITY });
    this.#queue.push(...links);
  }
}

/**
 * Reads the trailer whose keyword `trailer` is at `at`.
 * @throws Malformed if no trailer begins there
 * @throws EngineError too_complex
 */
export function readTrailer(bytes: Uint8Array, at: number): Trailer {
  const start = skipWhite(bytes, at + 7);
  if (!startsWith(bytes, at, "trailer") || !isDictionary(bytes, start))
    throw new Malformed("no trailer follows the cross-reference");
  return readTrailerDictionary(bytes, start);
}

/**
 * Reads the dictionary of a trailer or cross-reference stream at `at`.
 * @throws Malformed if the dictionary cannot be read
 * @throws EngineError too_complex if the dictionary takes too much memory
 */
export function readTrailerDictionary(bytes: Uint8Array, at: number): Trailer {
  const { value, memory } = parseMeasured(bytes, at);
  // The text ends where `eachEntry` finds the end of the dictionary, because `eachEntry` later scans the text to copy
  // entries.
  const text = bytes.slice(
    at,
    eachEntry(bytes, at, () => {}),
  );
  return { dict: value as Dictionary, text, memory };
}

/**
 * Charges the work and memory of a trailer.
 * @throws EngineError too_complex
 */
export function chargeTrailer({ text, memory }: Trailer, meter: Meter): void {
  meter.charge("parse", text.length);
  meter.retain(text.length + memory);
}

/**
 * Finds the last `startxref` of the file (ISO 32000-2, 7.5.5). Returns the offset of this keyword, and the offset that
 * is written after the keyword.
 * @throws Malformed if the last TAIL bytes have no `startxref`, or if no offset follows it
 */
function findStartxref(source: ByteSource): { keyword: number; offset: number } {
  const from = Math.max(0, source.length - TAIL);
  const tail = source.bytes(from, source.length);
  const word = lastIndexOf(tail, "startxref");
  if (word < 0) throw new Malformed("no startxref");
  const offset = parseAt(source, from + word, (bytes, at) => {
    const start = skipWhite(bytes, at + 9);
    return readInteger(bytes, start, skipRegular(bytes, start));
  });
  if (offset === undefined) throw new Malformed("startxref names no offset");
  return { keyword: from + word, offset };
}

function isSection(source: ByteSource, at: number): boolean {
  if (at >= source.length) return false;
  return parseAt(source, at, (bytes, from) => {
    const start = skipWhite(bytes, from);
    return startsWith(bytes, start, "xref") || readHeader(bytes, start) !== undefined;
  });
}
