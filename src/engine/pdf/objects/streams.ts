/** Reads stream objects in the file. A stream object has a dictionary and raw data (ISO 32000-2, 7.3.8). */
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

/** A stream object with its raw data. */
export interface RawStream {
  num: number;
  gen: number;
  dict: Dictionary;
  /** Whether the dictionary is well-formed; see wellFormed.ts. */
  isWellFormed: boolean;
  /** The data, still encrypted and encoded. */
  data: Uint8Array;
  /** Offset in the file at which the data end. */
  end: number;
}

/** Usual length in bytes of the white space and comments between a stream's data and the keyword after the data. */
const USUAL_WHITE_BEFORE_END = 7;
/** Growth factor of the search window if the white space before the keyword is longer than usual. */
const WHITE_FACTOR = 96;
/** Maximum length in bytes of white space and comments before the keyword that follows a stream's data. */
export const MOST_WHITE_BEFORE_END = USUAL_WHITE_BEFORE_END * WHITE_FACTOR ** 2;
const SEARCH_STEP = 64 * 1024;
const MAX_RAW_BYTES = 64 << 20;

/**
 * Reads the stream object at file offset `offset`. If neither `endstream` nor `endobj` follows the data, /Length is
 * ignored and {@link endWithoutLength} finds the end.
 * @param lengthOf resolves a /Length that is a reference
 * @param boundOf returns the offset of the next object, which ends data without `endstream`
 * @throws Malformed if no stream begins at `offset`
 * @throws MissingRange if bytes must be fetched first
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
  const end = claimedEnd(source, head.start, claimed) ?? endWithoutLength(source, head.start, boundOf());
  const { start, ...about } = head;
  return { ...about, data: source.bytes(start, end), end };
}

/**
 * Returns whether no line end separates the keyword `stream` from the data at `at`. Without the line end, Poppler and
 * Ghostscript do not recognize the stream.
 */
export function isGlued(bytes: Uint8Array, at: number): boolean {
  return bytes[at - 1] === LOWER_M;
}

/** Returns the start of the data after the keyword `stream` at `at`, or -1 if the keyword is missing. */
export function dataStart(bytes: Uint8Array, at: number): number {
  if (!startsWith(bytes, at, "stream")) return -1;
  at += 6;
  // The data should begin after a line feed. In real files, they may also begin after a carriage return, and blanks may
  // precede the line end.
  while (bytes[at] === SPACE || bytes[at] === TAB) at++;
  if (bytes[at] === CARRIAGE_RETURN) at++;
  if (bytes[at] === LINE_FEED) at++;
  return at;
}

/**
 * Returns whether the keyword `stream` follows the dictionary that ends at `end`. The dictionary then belongs to a
 * stream.
 */
export function hasStream(bytes: Uint8Array, end: number): boolean {
  return dataStart(bytes, skipWhite(bytes, end)) >= 0;
}

/**
 * Returns whether `code` may begin a number or a reference. Other values cannot be a length, and parsing them could
 * take long.
 */
export function mayBeLength(code: number | undefined): boolean {
  return isDigit(code) || isSign(code);
}

/**
 * Returns the end of the data that begin at `start`, according to the /Length of their stream. Returns undefined if
 * /Length is wrong: the end is outside the file, or neither `endstream` nor `endobj` follows it.
 * @throws MissingRange if bytes must be fetched first
 */
export function claimedEnd(source: ByteSource, start: number, length: Value | undefined): number | undefined {
  return typeof length === "number" && length >= 0 && isEndOfData(source, start + length) ? start + length : undefined;
}

/**
 * Returns whether a keyword follows `end` after optional white space and comments. The keyword is `word`, or by default
 * `endstream` or `endobj`.
 * @throws MissingRange if bytes must be fetched first
 * @throws EngineError too_complex
 */
export function isEndOfData(source: ByteSource, end: number, word?: "endstream"): boolean {
  if (!(Number.isInteger(end) && end >= 0 && end < source.length)) return false;
  for (let most = USUAL_WHITE_BEFORE_END; most <= MOST_WHITE_BEFORE_END; most *= WHITE_FACTOR) {
    const bytes = source.bytes(end, Math.min(end + most + "endstream".length, source.length));
    const at = endOfWhite(bytes, 0, bytes.length);
    if (most > USUAL_WHITE_BEFORE_END) source.meter.charge("skipBeforeEndstream", at);
    if (at > most) continue;
    return startsWith(bytes, at, "endstream") || (word === undefined && startsWith(bytes, at, "endobj"));
  }
  return false;
}

/**
 * Returns the offset of the next `endstream` at or after `start`. If a line end directly precedes the keyword, returns
 * the offset of the line end. Searches up to `bound` and at most MAX_RAW_BYTES. Returns the end of the searched range
 * if the keyword is missing.
 * @throws MissingRange if bytes must be fetched first
 * @throws EngineError too_complex
 */
export function findEndOfData(source: ByteSource, start: number, bound = source.length): number {
  const limit = Math.min(bound, start + MAX_RAW_BYTES, source.length);
  const found = findWord(source, start, limit, "endstream");
  if (found === undefined) return limit;
  const from = Math.max(start, found - 2);
  const before = source.bytes(from, found);
  let end = found;
  if (before[end - from - 1] === LINE_FEED) end--;
  if (before[end - from - 1] === CARRIAGE_RETURN) end--;
  return end;
}

/**
 * Returns the end of data whose /Length is missing or wrong, at most `bound`. The data end before the next `endstream`,
 * or before an `endobj` that is followed by another part of the file.
 * @throws the errors of {@link findEndOfData}
 */
export function endWithoutLength(source: ByteSource, start: number, bound: number): number {
  const end = findEndOfData(source, start, bound);
  return findEndobj(source, start, end) ?? end;
}

/** Matches an `endobj` at the start of a line, followed by the next part of a file. */
const ENDOBJ_BEFORE_NEXT_PART = /^[\r\n]endobj\s+(?:\d+\s+\d+\s+obj|xref|trailer|startxref)\b/;
const ENDOBJ_CONTEXT = 64;
/** Maximum number of occurrences of `endobj` to inspect. Hostile data may contain millions of them. */
const MAX_CANDIDATES = 16;

/**
 * Returns the offset of the first `endobj` in the bytes [start, limit) that precedes another object, `xref`, `trailer` or
 * `startxref`. The bytes after this `endobj` do not belong to the object. Inspects at most MAX_CANDIDATES occurrences.
 * Returns undefined if none qualifies.
 * @throws MissingRange if bytes must be fetched first
 * @throws EngineError too_complex
 */
export function findEndobj(source: ByteSource, start: number, limit: number): number | undefined {
  let from = start;
  for (let candidates = 0; candidates < MAX_CANDIDATES; candidates++) {
    const at = findWord(source, from, limit, "endobj");
    if (at === undefined) return undefined;
    source.meter.charge("inspectEndobj");
    const bytes = source.bytes(Math.max(0, at - 1), Math.min(at + ENDOBJ_CONTEXT, source.length));
    if (ENDOBJ_BEFORE_NEXT_PART.test(decodeLatin1(bytes))) return at;
    from = at + "endobj".length;
  }
  return undefined;
}

/**
 * Returns the offset of the next `word` in the bytes [start, limit). Returns undefined if it does not occur.
 * @throws MissingRange if bytes must be fetched first
 * @throws EngineError too_complex
 */
export function findWord(source: ByteSource, start: number, limit: number, word: string): number | undefined {
  const searches = source.inMemory ? undefined : source.searches;
  const key = `${start} ${word}`;
  for (let at = searches?.progressOf(key) ?? start; at < limit; ) {
    const window = source.bytes(at, Math.min(at + SEARCH_STEP + word.length - 1, limit));
    const found = indexOf(window, word);
    source.meter.charge("scan", found < 0 ? window.length : found);
    if (found >= 0) return at + found;
    at += SEARCH_STEP;
    if (at + word.length <= limit) searches?.remember(key, at);
  }
  return undefined;
}
