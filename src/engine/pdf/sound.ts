/**
 * Values that all readers read alike: those written as ISO 32000-2, 7.3 has it. Of any others each makes something else:
 * at garbage in a dictionary, MuPDF gives up the whole object, and PDFium and this engine skip it. What goes into the
 * output anew is written so that they agree.
 */
import { decodeLatin1, encodeLatin1 } from "../bytes.ts";
import {
  BRACKET_CLOSE,
  BRACKET_OPEN,
  GREATER_THAN,
  LESS_THAN,
  MINUS,
  PAREN_OPEN,
  PERIOD,
  PLUS,
  SLASH,
  UPPER_R,
} from "./characters.ts";
import {
  type EntryVisitor,
  eachEntry,
  isDictionary,
  isDigit,
  isHexDigit,
  isWhite,
  LARGEST_GENERATION,
  Malformed,
  readInteger,
  readObjectNumber,
  skipHexString,
  skipLiteralString,
  skipRegular,
  skipValue,
  skipWhite,
  wordIs,
} from "./lexer.ts";

/** How deep values may be nested: PDFium gives up an object at 64. */
const DEEPEST = 50;

/**
 * Returns the end of the value at `at`, which may be a reference, if it is sound; otherwise -1.
 * @throws EndOfBytes if the bytes end within it
 */
export function endOfSound(bytes: Uint8Array, at: number, depth = 0): number {
  const code = bytes[at];
  if (code === SLASH) return endOfName(bytes, at);
  if (code === PAREN_OPEN) return skipLiteralString(bytes, at);
  if (code === BRACKET_OPEN) return depth < DEEPEST ? endOfArray(bytes, at, depth) : -1;
  if (isDictionary(bytes, at)) return depth < DEEPEST ? eachSoundEntry(bytes, at, undefined, depth) : -1;
  if (code === LESS_THAN) return endOfHexString(bytes, at);
  return endOfWord(bytes, at);
}

function endOfArray(bytes: Uint8Array, at: number, depth: number): number {
  at = skipWhite(bytes, at + 1);
  while (bytes[at] !== BRACKET_CLOSE) {
    at = endOfSound(bytes, at, depth + 1);
    if (at < 0) return -1;
    at = skipWhite(bytes, at);
  }
  return at + 1;
}

/**
 * Visits the entries of the dictionary whose `<<` is at `at`, as {@link eachEntry} does, as long as they are sound.
 * @returns the position after `>>`; -1 if the dictionary is not sound
 * @throws EndOfBytes if the bytes end within it
 */
export function eachSoundEntry(bytes: Uint8Array, at: number, visit?: EntryVisitor, depth = 0): number {
  at = skipWhite(bytes, at + 2);
  while (bytes[at] === SLASH) {
    const keyEnd = endOfName(bytes, at);
    if (keyEnd < 0) return -1;
    const start = skipWhite(bytes, keyEnd);
    const end = endOfSound(bytes, start, depth + 1);
    if (end < 0) return -1;
    visit?.(at, keyEnd, start, end);
    at = skipWhite(bytes, end);
  }
  return bytes[at] === GREATER_THAN && bytes[at + 1] === GREATER_THAN ? at + 2 : -1;
}

/** The end of a name; -1 if a byte of it is white space to PDFium. */
function endOfName(bytes: Uint8Array, at: number): number {
  const end = skipRegular(bytes, at + 1);
  for (at++; at < end; at++) if (bytes[at] === 0x80 || bytes[at] === 0xff) return -1;
  return end;
}

function endOfHexString(bytes: Uint8Array, at: number): number {
  const end = bytes.indexOf(GREATER_THAN, at);
  for (at++; at < end; at++) if (!isHexDigit(bytes[at]) && !isWhite(bytes[at])) return -1;
  return end < 0 ? -1 : end + 1;
}

/** The end of a number, `true`, `false`, `null` or a reference. */
function endOfWord(bytes: Uint8Array, at: number): number {
  const end = skipRegular(bytes, at);
  const digits = skipDigits(bytes, at);
  if (digits === end) return digits > at ? endOfReference(bytes, end) : -1;
  return endOfNumber(bytes, at) === end || isKeyword(bytes, at, end) ? end : -1;
}

/** The end of the number that a word begins with; `at` if it begins with none. */
function endOfNumber(bytes: Uint8Array, at: number): number {
  let end = at;
  let hasDigits = false;
  for (; isDigit(bytes[end]) || isSign(bytes[end]); end++) hasDigits ||= isDigit(bytes[end]);
  return hasDigits ? end : at;
}

function isSign(code: number | undefined): boolean {
  return code === PERIOD || code === MINUS || code === PLUS;
}

function isKeyword(bytes: Uint8Array, at: number, end: number): boolean {
  return wordIs(bytes, at, end, "null") || wordIs(bytes, at, end, "true") || wordIs(bytes, at, end, "false");
}

/** The end of the reference whose object number ends at `end`, or else that; -1 if readers may not see it. */
function endOfReference(bytes: Uint8Array, end: number): number {
  const gen = skipWhite(bytes, end);
  const genEnd = skipDigits(bytes, gen);
  if (genEnd === gen) return end;
  const keyword = skipWhite(bytes, genEnd);
  if (keyword === genEnd || bytes[keyword] !== UPPER_R) return end;
  return isGeneration(bytes, gen, genEnd) && skipRegular(bytes, keyword) === keyword + 1 ? keyword + 1 : -1;
}

/** Returns whether a reference may have the number [start, end) for its generation: MuPDF takes no larger one. */
function isGeneration(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start === 1 || (readInteger(bytes, start, end) ?? Number.POSITIVE_INFINITY) <= LARGEST_GENERATION;
}

function skipDigits(bytes: Uint8Array, at: number): number {
  while (isDigit(bytes[at])) at++;
  return at;
}

/**
 * Returns the value at `at` as this engine reads it, written soundly: what is no entry of a dictionary is left out, what
 * is no value is null.
 * @throws Malformed if its brackets do not match, or an array may have a reference that readers do not agree on
 */
export function soundText(bytes: Uint8Array, at: number): Uint8Array {
  const end = endOfSound(bytes, at);
  return end >= 0 ? bytes.subarray(at, end) : encodeLatin1(soundly(bytes, at, 0));
}

function soundly(bytes: Uint8Array, at: number, depth: number): string {
  const end = endOfSound(bytes, at, depth);
  if (end >= 0) return decodeLatin1(bytes, at, end);
  if (isDictionary(bytes, at)) return depth < DEEPEST ? soundDictionary(bytes, at, depth) : "null";
  if (bytes[at] === BRACKET_OPEN) return depth < DEEPEST ? soundArray(bytes, at, depth) : "null";
  if (bytes[at] === LESS_THAN)
    return `<${decodeLatin1(bytes, at, skipHexString(bytes, at)).replace(/[^\da-fA-F]/g, "")}>`;
  if (bytes[at] === SLASH) return soundName(bytes, at, skipRegular(bytes, at + 1));
  return readReference(bytes, at)?.text ?? "null";
}

/** Returns the name [start, end) so that no byte of it is white space to PDFium. */
export function soundName(bytes: Uint8Array, start: number, end: number): string {
  return decodeLatin1(bytes, start, end).replace(/[\x80\xff]/g, (code) => `#${code.charCodeAt(0).toString(16)}`);
}

function soundDictionary(bytes: Uint8Array, at: number, depth: number): string {
  let entries = "";
  eachEntry(bytes, at, (key, keyEnd, start) => {
    entries += `${soundName(bytes, key, keyEnd)} ${soundly(bytes, start, depth + 1)} `;
  });
  return `<<${entries}>>`;
}

function soundArray(bytes: Uint8Array, at: number, depth: number): string {
  let elements = "";
  for (at = skipWhite(bytes, at + 1); bytes[at] !== BRACKET_CLOSE; ) {
    const reference = readReference(bytes, at);
    const end = reference?.end ?? skipValue(bytes, at);
    if (!reference && wordIs(bytes, at, end, "R"))
      throw new Malformed("something may be a reference, and cannot be read");
    elements += `${reference?.text ?? soundly(bytes, at, depth + 1)} `;
    at = skipWhite(bytes, end);
  }
  return `[${elements}]`;
}

/** Reads a reference as readers do, which something may follow without white space. */
function readReference(bytes: Uint8Array, at: number): { text: string; end: number } | undefined {
  const numEnd = skipRegular(bytes, at);
  const num = readObjectNumber(bytes, at, numEnd);
  const start = num === undefined ? at : skipWhite(bytes, numEnd);
  const genEnd = skipRegular(bytes, start);
  const gen = start === at ? undefined : readObjectNumber(bytes, start, genEnd);
  const keyword = skipWhite(bytes, genEnd);
  if (num === undefined || gen === undefined || bytes[keyword] !== UPPER_R) return undefined;
  return { text: `${num} ${gen <= LARGEST_GENERATION ? gen : 0} R`, end: keyword + 1 };
}
