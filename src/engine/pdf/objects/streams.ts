/** Reads stream objects in the file: dictionary and raw data (ISO 32000-2, 7.3.8). */
import { indexOf } from "#platform/search";
import { decodeLatin1 } from "../../bytes.ts";
import type { ByteSource } from "../source/byteSource.ts";
import { CARRIAGE_RETURN, LINE_FEED, LOWER_M, SPACE, TAB } from "../syntax/characters.ts";
import {
  endOfWhite,
  isDictionary,
  isDigit,
  isSign,
  Malformed,
  parseAt,
  readHeader,
  skipValue,
  skipWhite,
  startsWith,
} from "../syntax/lexer.ts";
import { type Dictionary, parseValue, Reference, type Value } from "../syntax/values.ts";
import { endOfWellFormed } from "../syntax/wellFormed.ts";

/** A stream object as it is in the file. */
export interface RawStream {
  num: number;
  gen: number;
  dict: Dictionary;
  /** Whether all readers read the dictionary alike: see sound.ts. */
  isWellFormed: boolean;
  /** Still encrypted and filtered. */
  data: Uint8Array;
  /** File offset where the data end. */
  end: number;
}

/** White space and comments between the data and the keyword that ends them, in bytes, as producers have them. */
const USUAL_WHITE_BEFORE_END = 7;
/** How many times as much is read where that is not all. */
const MORE_WHITE = 96;
/** The most that there may be. */
export const MOST_WHITE_BEFORE_END = USUAL_WHITE_BEFORE_END * MORE_WHITE ** 2;
const SEARCH_STEP = 64 * 1024;
const LARGEST_RAW = 64 << 20;

/**
 * Reads the stream object at file offset `offset`. A /Length that neither `endstream` nor `endobj` follows is ignored:
 * the data then end before the next `endstream`.
 * @param lengthOf resolves a /Length that is a reference
 * @param boundOf returns where the next object begins, which is where data without an end end
 * @throws Malformed if there is no stream at `offset`
 * @throws MissingRange if bytes have to be fetched first
 * @throws EngineError too_complex
 */
export function readStream(
  source: ByteSource,
  offset: number,
  lengthOf: (reference: Reference) => number | undefined,
  boundOf: () => number = () => source.length,
): RawStream {
  const head = parseAt(source, offset, (bytes, at) => {
    const header = readHeader(bytes, at);
    if (!header || !isDictionary(bytes, header.end)) throw new Malformed(`no stream at offset ${offset}`);
    const start = dataStart(bytes, skipWhite(bytes, skipValue(bytes, header.end)));
    if (start < 0) throw new Malformed(`no stream at offset ${offset}`);
    const dict = parseValue(bytes, header.end) as Dictionary;
    const isWellFormed = endOfWellFormed(bytes, header.end) >= 0;
    return { num: header.num, gen: header.gen, dict, isWellFormed, start: offset + start };
  });

  const length = head.dict.get("Length");
  const claimed = length instanceof Reference ? lengthOf(length) : length;
  const end = claimedEnd(source, head.start, claimed) ?? findEndOfData(source, head.start, boundOf());
  const { start, ...about } = head;
  return { ...about, data: source.bytes(start, end), end };
}

/**
 * Returns whether data that begin at `at` do so straight behind the keyword: there, Poppler and Ghostscript find no stream.
 */
export function isGlued(bytes: Uint8Array, at: number): boolean {
  return bytes[at - 1] === LOWER_M;
}

/** Returns where the data begin after the keyword `stream` at `at`, or -1 if there is no such keyword. */
export function dataStart(bytes: Uint8Array, at: number): number {
  if (!startsWith(bytes, at, "stream")) return -1;
  at += 6;
  // Not allowed, but found in files: a carriage return alone, and blanks before the end of the line.
  while (bytes[at] === SPACE || bytes[at] === TAB) at++;
  if (bytes[at] === CARRIAGE_RETURN) at++;
  if (bytes[at] === LINE_FEED) at++;
  return at;
}

/** Returns whether the dictionary that ends at `end` is a stream's. */
export function hasStream(bytes: Uint8Array, end: number): boolean {
  return dataStart(bytes, skipWhite(bytes, end)) >= 0;
}

/** Returns whether a number or a reference may begin so: what is neither is no length, and may be long to parse. */
export function mayBeLength(code: number | undefined): boolean {
  return isDigit(code) || isSign(code);
}

/**
 * Returns where the data from `start` on end by their /Length, if that is right: undefined where nothing ends them there, or
 * where it leads back to the end of something else.
 * @throws MissingRange if bytes have to be fetched first
 */
export function claimedEnd(source: ByteSource, start: number, length: Value | undefined): number | undefined {
  return typeof length === "number" && length >= 0 && isEndOfData(source, start + length) ? start + length : undefined;
}

/**
 * Returns whether `word`, or else `endstream` or `endobj`, is at `end`, after optional white space and comments.
 * @throws MissingRange if bytes have to be fetched first
 * @throws EngineError too_complex
 */
export function isEndOfData(source: ByteSource, end: number, word?: "endstream"): boolean {
  if (!(Number.isInteger(end) && end >= 0 && end < source.length)) return false;
  for (let most = USUAL_WHITE_BEFORE_END; most <= MOST_WHITE_BEFORE_END; most *= MORE_WHITE) {
    const bytes = source.bytes(end, Math.min(end + most + "endstream".length, source.length));
    const at = endOfWhite(bytes, 0, bytes.length);
    if (most > USUAL_WHITE_BEFORE_END) source.meter.charge("skipBeforeEndstream", at);
    if (at > most) continue;
    return startsWith(bytes, at, "endstream") || (word === undefined && startsWith(bytes, at, "endobj"));
  }
  return false;
}

/**
 * Returns the offset of the next `endstream` from `start` on, before the end of line that precedes it. If there is none
 * before `bound`, or within LARGEST_RAW bytes, returns where these end.
 * @throws MissingRange if bytes have to be fetched first
 * @throws EngineError too_complex
 */
export function findEndOfData(source: ByteSource, start: number, bound = source.length): number {
  const limit = Math.min(bound, start + LARGEST_RAW, source.length);
  const found = findWord(source, start, limit, "endstream");
  if (found === undefined) return limit;
  const from = Math.max(start, found - 2);
  const before = source.bytes(from, found);
  let end = found;
  if (before[end - from - 1] === LINE_FEED) end--;
  if (before[end - from - 1] === CARRIAGE_RETURN) end--;
  return end;
}

/** The last word of an object, on a line that it begins, and what a file goes on with behind it. */
const NEXT_PART = /^[\r\n]endobj\s+(?:\d+\s+\d+\s+obj|xref|trailer|startxref)\b/;
const NEXT_PART_BYTES = 64;
/** So many words are looked at: data may consist of them. */
const MOST_WORDS = 16;

/**
 * Returns the offset of an `endobj` in the bytes [start, limit) behind which the file goes on: what is behind is no part
 * of the object, and may be dead. Undefined if none of the first is one.
 * @throws MissingRange if bytes have to be fetched first
 * @throws EngineError too_complex
 */
export function findLastWord(source: ByteSource, start: number, limit: number): number | undefined {
  let from = start;
  for (let words = 0; words < MOST_WORDS; words++) {
    const at = findWord(source, from, limit, "endobj");
    if (at === undefined) return undefined;
    source.meter.charge("inspectEndobj");
    const bytes = source.bytes(Math.max(0, at - 1), Math.min(at + NEXT_PART_BYTES, source.length));
    if (NEXT_PART.test(decodeLatin1(bytes))) return at;
    from = at + "endobj".length;
  }
  return undefined;
}

/**
 * Returns the offset of the next `word` in the bytes [start, limit).
 * @throws MissingRange if bytes have to be fetched first
 * @throws EngineError too_complex
 */
export function findWord(source: ByteSource, start: number, limit: number, word: string): number | undefined {
  const searched = source.inMemory ? undefined : searchesIn(source);
  const key = `${start} ${word}`;
  for (let at = searched?.get(key) ?? start; at < limit; ) {
    const window = source.bytes(at, Math.min(at + SEARCH_STEP + word.length - 1, limit));
    const found = indexOf(window, word);
    source.meter.charge("scan", found < 0 ? window.length : found);
    if (found >= 0) return at + found;
    at += SEARCH_STEP;
    if (at + word.length <= limit) remember(searched, key, at);
  }
  return undefined;
}

/** How many searches are remembered: no step has so many. */
const SEARCHES = 16;
const searches = new WeakMap<ByteSource, Map<string, number>>();

/**
 * Returns how far the last searches in a source have come without finding anything, by where they began and for what: a
 * step that is repeated, since it missed a range, goes on from there.
 */
function searchesIn(source: ByteSource): Map<string, number> {
  const known = searches.get(source) ?? new Map<string, number>();
  searches.set(source, known);
  return known;
}

function remember(searched: Map<string, number> | undefined, key: string, at: number): void {
  if (searched?.size === SEARCHES && !searched.has(key)) searched.delete(searched.keys().next().value!);
  searched?.set(key, at);
}
