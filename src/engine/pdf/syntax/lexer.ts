/**
 * Splits PDF syntax into tokens (ISO 32000-2, 7.2 and 7.3). The functions take bytes and a position. They find the end
 * of a token or value without building the value. A token is complete only when the byte after it is visible. At the
 * end of the window, these functions therefore throw `EndOfBytes`, and `parseAt` widens the window.
 */
import { decodeLatin1 } from "../../bytes.ts";
import type { ByteSource } from "../source/byteSource.ts";
import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  CARRIAGE_RETURN,
  DIGIT_0,
  DIGIT_9,
  FORM_FEED,
  GREATER_THAN,
  HASH,
  LESS_THAN,
  LINE_FEED,
  LOWER_J,
  MINUS,
  NULL,
  PAREN_CLOSE,
  PAREN_OPEN,
  PERCENT,
  PERIOD,
  PLUS,
  SLASH,
  SPACE,
  TAB,
} from "./characters.ts";

/**
 * Thrown when bytes do not have the expected syntax. The exception leads to recovery or to an EngineError, and never
 * reaches the caller of the engine. The class does not extend Error: some files cause an exception for each object, and
 * stack traces would take most of the time.
 */
export class Malformed {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Thrown when the window ends inside a token. */
export class EndOfBytes extends Malformed {}

/**
 * A shared instance without state. This exception is thrown whenever a window is too short, and creating an instance
 * each time would be slow.
 */
const END_OF_BYTES = new EndOfBytes("the bytes end inside a token");

const FIRST_WINDOW = 512;
/** Maximum size in bytes of a window that may extend past the start of the next object. */
const SMALL_WINDOW = 8 * FIRST_WINDOW;
const LARGEST_WINDOW = 16 << 20;

const WHITE = 1;
const DELIMITER = 2;
/** Character classes of ISO 32000-2, 7.2.3: 0 regular, 1 white space, 2 delimiter. */
const CLASS = new Uint8Array(256);
for (const code of [NULL, TAB, LINE_FEED, FORM_FEED, CARRIAGE_RETURN, SPACE]) CLASS[code] = WHITE;
for (const char of "()<>[]{}/%") CLASS[char.charCodeAt(0)] = DELIMITER;

/**
 * Runs `parse` over a window of the file that begins at `start`. Widens the window until it is large enough.
 * @param limit size in bytes at which the window is no longer widened
 * @param boundOf returns the offset of the next object, at which large windows end. Without this bound, overlapping
 * objects would be read repeatedly.
 * @throws Malformed if `start` is outside the file, or if the file or the largest window ends inside an object
 * @throws MissingRange if the window is not loaded
 * @throws EngineError too_complex
 */
export function parseAt<T>(
  source: ByteSource,
  start: number,
  parse: (bytes: Uint8Array, at: number) => T,
  limit = LARGEST_WINDOW,
  boundOf?: () => number,
): T {
  if (!(start >= 0 && start < source.length)) throw new Malformed(`offset ${start} is outside the file`);
  for (let size = FIRST_WINDOW; ; size *= 8) {
    const last = size > SMALL_WINDOW && boundOf ? Math.min(boundOf(), source.length) : source.length;
    const end = Math.min(start + size, last);
    source.meter.charge("scan", end - start);
    let bytes = source.bytes(start, end);
    if (end === last) bytes = terminated(bytes);
    try {
      return parse(bytes, 0);
    } catch (error) {
      if (error !== END_OF_BYTES) throw error;
      if (end === last || size >= limit) throw new Malformed("the file ends inside an object");
    }
  }
}

/**
 * Runs `parse` over the complete bytes of an object.
 * @throws Malformed if the bytes end inside the object
 */
export function parseWhole<T>(bytes: Uint8Array, parse: (bytes: Uint8Array, at: number) => T): T {
  try {
    return parse(bytes, 0);
  } catch (error) {
    throw error === END_OF_BYTES ? new Malformed("the bytes end inside an object") : error;
  }
}

/** Number of bytes that {@link terminated} appends. */
export const TERMINATOR_LENGTH = 2;

/** Returns the result of `read`, or `otherwise` if `read` throws Malformed. */
export function unlessMalformed<T, U>(read: () => T, otherwise: U): T | U {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) return otherwise;
    throw error;
  }
}

/**
 * Returns a copy of the bytes that ends in white space and a delimiter. The white space ends the last token. The
 * delimiter shows that a number at the end does not begin a reference.
 * @param copy array to write the copy to
 */
export function terminated(bytes: Uint8Array, copy = new Uint8Array(bytes.length + TERMINATOR_LENGTH)): Uint8Array {
  copy.set(bytes);
  copy[bytes.length] = LINE_FEED;
  copy[bytes.length + 1] = BRACE_CLOSE;
  return copy;
}

/** Returns whether `code` is a white-space character (ISO 32000-2, 7.2.3). */
export function isWhite(code: number | undefined): boolean {
  return code !== undefined && CLASS[code] === WHITE;
}

/** Returns whether `code` is neither white space nor a delimiter (ISO 32000-2, 7.2.3). */
export function isRegular(code: number | undefined): boolean {
  return code !== undefined && CLASS[code] === 0;
}

/** Returns whether `code` is a decimal digit. */
export function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= DIGIT_0 && code <= DIGIT_9;
}

/** Returns whether `code` is a decimal point or a sign, which may begin a number (ISO 32000-2, 7.3.3). */
export function isSign(code: number | undefined): boolean {
  return code === PERIOD || code === MINUS || code === PLUS;
}

/** Returns whether `code` is a hexadecimal digit. */
export function isHexDigit(code: number | undefined): boolean {
  return isDigit(code) || (code !== undefined && (code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}

/** Returns the first position at or after `at` outside of white space and comments. */
export function skipWhite(bytes: Uint8Array, at: number): number {
  const end = bytes.length;
  while (at < end && CLASS[bytes[at]!] === WHITE) at++;
  // After a read beyond the end, V8 would discard the compiled code of this function.
  if (at < end && bytes[at] === PERCENT) at = endOfWhite(bytes, at, end);
  if (at >= end) throw END_OF_BYTES;
  return at;
}

/** Skips white space and comments as {@link skipWhite} does. Returns `limit` if nothing else precedes `limit`. */
export function endOfWhite(bytes: Uint8Array, at: number, limit: number): number {
  for (; at < limit; at++) {
    const code = bytes[at]!;
    if (CLASS[code] === WHITE) continue;
    if (code !== PERCENT) return at;
    while (at < limit && bytes[at] !== LINE_FEED && bytes[at] !== CARRIAGE_RETURN) at++;
  }
  return limit;
}

/** Returns the end of a run of decimal digits, but at most `limit`. */
export function skipDigits(bytes: Uint8Array, at: number, limit = bytes.length): number {
  while (at < limit && bytes[at]! >= DIGIT_0 && bytes[at]! <= DIGIT_9) at++;
  return at;
}

/** Returns the value of the decimal digits [start, end), or 0 for an empty range. Accepts any number of digits. */
export function valueOfDigits(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + bytes[at]! - DIGIT_0;
  return value;
}

/** Returns the end of a run of regular characters, such as a number, a keyword, or a name after its slash. */
export function skipRegular(bytes: Uint8Array, at: number): number {
  while (at < bytes.length) {
    if (CLASS[bytes[at]!] !== 0) return at;
    at++;
  }
  throw END_OF_BYTES;
}

/** Returns the end of the literal string whose opening parenthesis is at `at` (ISO 32000-2, 7.3.4.2). */
export function skipLiteralString(bytes: Uint8Array, at: number): number {
  let depth = 0;
  for (; at < bytes.length; at++) {
    const code = bytes[at];
    if (code === BACKSLASH) at++;
    else if (code === PAREN_OPEN) depth++;
    else if (code === PAREN_CLOSE && --depth === 0) return at + 1;
  }
  throw END_OF_BYTES;
}

/** Returns the end of the hexadecimal string whose opening angle bracket is at `at` (ISO 32000-2, 7.3.4.3). */
export function skipHexString(bytes: Uint8Array, at: number): number {
  const end = bytes.indexOf(GREATER_THAN, at);
  if (end < 0) throw END_OF_BYTES;
  return end + 1;
}

/**
 * Returns the end of the value that begins at `at`: a token, or a whole array or dictionary. An indirect reference has
 * three tokens, and the function skips only the first. `eachEntry` and the parser put the tokens of a reference
 * together.
 * @throws Malformed if no value can begin there, or if the object ends inside the value
 */
export function skipValue(bytes: Uint8Array, at: number): number {
  let depth = 0;
  do {
    at = skipWhite(bytes, at);
    const change = nesting(bytes, at);
    depth += change;
    if (depth < 0) throw new Malformed("a value was expected");
    at = skipToken(bytes, at);
  } while (depth > 0);
  return at;
}

/**
 * Returns the change of the nesting depth at the token at `at`: 1 for the opening bracket of an array or dictionary, -1
 * for a closing bracket, otherwise 0.
 */
export function nesting(bytes: Uint8Array, at: number): -1 | 0 | 1 {
  const code = bytes[at];
  if (code === BRACKET_OPEN || isDictionary(bytes, at)) return 1;
  if (code === BRACKET_CLOSE || (code === GREATER_THAN && isDictionaryEnd(bytes, at))) return -1;
  return 0;
}

/**
 * Returns the end of the token at `at`. A stray delimiter counts as a token.
 * @throws Malformed if the token is the `endobj` of the object or the `obj` of the next object
 */
export function skipToken(bytes: Uint8Array, at: number): number {
  const code = bytes[at]!;
  if (code === SLASH) return skipRegular(bytes, at + 1);
  if (code === PAREN_OPEN) return skipLiteralString(bytes, at);
  if (code === LESS_THAN || code === GREATER_THAN) {
    if (at + 1 >= bytes.length) throw END_OF_BYTES;
    if (bytes[at + 1] === code) return at + 2;
    return code === LESS_THAN ? skipHexString(bytes, at) : at + 1;
  }
  if (CLASS[code] === DELIMITER) return at + 1;
  const end = skipRegular(bytes, at);
  if (isOutsideOfValues(bytes, at, end)) throw new Malformed("a value runs into the end of its object");
  return end;
}

/**
 * Returns whether the word [start, end) is the `endobj` of an object or the `obj` of the next object. Such a word
 * cannot occur in a value.
 */
export function isOutsideOfValues(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[end - 1] !== LOWER_J) return false;
  return wordIs(bytes, start, end, "endobj") || wordIs(bytes, start, end, "obj");
}

/** Receives the byte positions of one dictionary entry. */
export type EntryVisitor = (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) => void;

/**
 * Visits the top-level entries of the dictionary whose `<<` is at `at`. A value extends to the next key, so it includes
 * references and garbage. `keyStart` is the position of the slash.
 * @returns the position after `>>`
 * @throws Malformed if a value cannot be skipped
 */
export function eachEntry(bytes: Uint8Array, at: number, visit: EntryVisitor): number {
  at = skipWhite(bytes, at + 2);
  for (;;) {
    const code = bytes[at]!;
    if (isDictionaryEnd(bytes, at)) return at + 2;
    if (code !== SLASH) {
      // If a token is not a key, readers skip it. A single `>>` therefore ends a dictionary that begins with `<< <<`.
      at = skipWhite(bytes, skipToken(bytes, at));
      continue;
    }
    const keyStart = at;
    const keyEnd = skipRegular(bytes, at + 1);
    const valueStart = skipWhite(bytes, keyEnd);
    if (isDictionaryEnd(bytes, valueStart)) return valueStart + 2; // A final key without a value is not an entry.
    let valueEnd = skipValue(bytes, valueStart);
    for (
      at = skipWhite(bytes, valueEnd);
      bytes[at] !== SLASH && !isDictionaryEnd(bytes, at);
      at = skipWhite(bytes, valueEnd)
    ) {
      valueEnd = skipValue(bytes, at);
    }
    visit(keyStart, keyEnd, valueStart, valueEnd);
  }
}

/** Returns whether a dictionary begins with `<<` at `at`. */
export function isDictionary(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === LESS_THAN && bytes[at + 1] === LESS_THAN;
}

/**
 * Returns whether `>>` is at `at`.
 * @throws EndOfBytes if the bytes end after a `>`
 */
export function isDictionaryEnd(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== GREATER_THAN) return false;
  if (at + 1 >= bytes.length) throw END_OF_BYTES;
  return bytes[at + 1] === GREATER_THAN;
}

/** Returns whether the bytes [start, end) are exactly `word`. */
export function wordIs(bytes: Uint8Array, start: number, end: number, word: string): boolean {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word.charCodeAt(i)) return false;
  return true;
}

/** Returns whether the bytes at `at` begin with `word`. */
export function startsWith(bytes: Uint8Array, at: number, word: string): boolean {
  return wordIs(bytes, at, at + word.length, word);
}

/**
 * Returns whether the name [start, end), including the slash, equals `name`. Resolves `#xx` escapes (ISO 32000-2,
 * 7.3.5).
 */
export function nameIs(bytes: Uint8Array, start: number, end: number, name: string): boolean {
  if (wordIs(bytes, start + 1, end, name)) return true;
  return end - start - 1 > name.length && hasEscape(bytes, start, end) && readName(bytes, start, end) === name;
}

/** Returns whether the bytes [start, end) contain a `#`, which begins an escape in a name (ISO 32000-2, 7.3.5). */
export function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === HASH) return true;
  return false;
}

/**
 * Reads the name [start, end), which begins with a slash. Returns the name without the slash, one character per byte,
 * with escapes resolved.
 */
export function readName(bytes: Uint8Array, start: number, end: number): string {
  const raw = decodeLatin1(bytes, start + 1, end);
  if (!raw.includes("#")) return raw;
  return raw.replace(/#([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Reads the unsigned integer [start, end) of at most 15 digits. Returns undefined for any other text. */
export function readInteger(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (start === end || end - start > 15) return undefined;
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i]! - DIGIT_0;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * Reads an object number or generation [start, end) of a reference. As readers do, accepts a sign and any number of
 * leading zeros.
 */
export function readObjectNumber(bytes: Uint8Array, start: number, end: number): number | undefined {
  const number = readInteger(bytes, start, end);
  const first = bytes[start];
  const mayBeOne = first === PLUS || (first === MINUS && bytes[start + 1] === DIGIT_0) || end - start > 15;
  if (number !== undefined || !mayBeOne) return number;
  const digits = /^(?:\+|-(?=0+$))?0*(\d{1,15})$/.exec(decodeLatin1(bytes, start, end))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The header of an indirect object, `n g obj` (ISO 32000-2, 7.3.10). */
export interface ObjectHeader {
  num: number;
  gen: number;
  /** Position at which the object's value begins. */
  end: number;
}

/** The largest generation (ISO 32000-2, 7.5.4). MuPDF cannot repair a file with a larger generation. */
export const LARGEST_GENERATION = 65_535;

/**
 * Maximum distance in bytes from an offset in the cross-reference to the end of the object header at this offset. White
 * space and comments may precede a header. Without the limit, the same white space would be scanned again for each of
 * many offsets.
 */
export const LONGEST_HEADER = 64;

/**
 * Reads the object header `n g obj` at `at` (ISO 32000-2, 7.3.10), after optional white space. Returns undefined if no
 * header begins there.
 */
export function readHeader(bytes: Uint8Array, at: number): ObjectHeader | undefined {
  const header = headerBefore(bytes, at, bytes.length);
  if (header === "cut") throw END_OF_BYTES;
  if (header) header.end = skipWhite(bytes, header.end);
  return header;
}

/**
 * Returns the number and generation of the object that begins at `at`, after optional white space. Returns undefined if
 * the object's header does not end within LONGEST_HEADER bytes.
 */
export function headerAt(bytes: Uint8Array, at: number): Pick<ObjectHeader, "num" | "gen"> | undefined {
  const header = headerBefore(bytes, at, Math.min(at + LONGEST_HEADER, bytes.length));
  return header === "cut" ? undefined : header;
}

/** Reads the object header at `at` up to the end of `obj`. Returns "cut" if the header may continue at `limit`. */
function headerBefore(bytes: Uint8Array, at: number, limit: number): ObjectHeader | "cut" | undefined {
  at = endOfWhite(bytes, at, limit);
  const numEnd = skipDigits(bytes, at, limit);
  const genStart = endOfWhite(bytes, numEnd, limit);
  if (genStart >= limit) return "cut";
  if (numEnd === at || genStart === numEnd) return undefined;
  const genEnd = skipDigits(bytes, genStart, limit);
  const keyword = endOfWhite(bytes, genEnd, limit);
  if (keyword >= limit) return "cut";
  if (genEnd === genStart || keyword === genEnd) return undefined;
  const end = keyword + "obj".length;
  if (end > limit) return "cut";
  const gen = valueOfDigits(bytes, genStart, genEnd);
  if (!startsWith(bytes, keyword, "obj") || gen > LARGEST_GENERATION) return undefined;
  return { num: valueOfDigits(bytes, at, numEnd), gen, end };
}
