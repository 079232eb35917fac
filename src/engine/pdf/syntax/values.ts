/**
 * Parses the few objects whose values are needed: trailers, the catalog, page-tree attributes and stream dictionaries
 * (ISO 32000-2, 7.3). Page dictionaries are never parsed into values; see lexer.ts.
 */
import { decodeLatin1 } from "../../bytes.ts";
import { MEMORY } from "../source/costs.ts";
import { type Meter, tooComplex } from "../source/meter.ts";
import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  CARRIAGE_RETURN,
  DIGIT_0,
  DIGIT_7,
  GREATER_THAN,
  LESS_THAN,
  LINE_FEED,
  MINUS,
  PAREN_CLOSE,
  PAREN_OPEN,
  PERIOD,
  SLASH,
  UPPER_R,
} from "./characters.ts";
import {
  isDictionary,
  isDictionaryEnd,
  isDigit,
  isOutsideOfValues,
  Malformed,
  nesting,
  readName,
  readObjectNumber,
  skipHexString,
  skipLiteralString,
  skipRegular,
  skipToken,
  skipValue,
  skipWhite,
  wordIs,
} from "./lexer.ts";

/** An indirect reference (ISO 32000-2, 7.3.10). */
export class Reference {
  readonly num: number;
  readonly gen: number;

  constructor(num: number, gen: number) {
    this.num = num;
    this.gen = gen;
  }
}

/** A dictionary: values by key. The keys have no slash. */
export type Dictionary = Map<string, Value>;

/** A parsed value. Names become strings. PDF strings become bytes, still encrypted. Unknown keywords become null. */
export type Value = null | boolean | number | string | Uint8Array | Reference | Value[] | Dictionary;

const MAX_DEPTH = 200;
/**
 * Maximum memory for the values of one object, in bytes. A parsed string of one letter takes a hundred times as much
 * memory as its text.
 */
const MAX_MEMORY = 16 << 20;

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
  /** Number of brackets that are open at `at`, regardless of their kind. */
  openBrackets: number;
  /**
   * Number of open brackets at which the value of the current entry ends. The value ends there even if it has unclosed
   * brackets; see parseEntry.
   */
  endDepth: number;
  /** Memory that is left for further values, in bytes. */
  memoryLeft: number;
  /**
   * Keys of the entries of the outermost dictionary that are parsed into values. If undefined, all entries are parsed.
   */
  readonly keys: ReadonlySet<string> | undefined;
}

function cursorAt(bytes: Uint8Array, at: number, keys?: ReadonlySet<string>): Cursor {
  return { bytes, at, openBrackets: 0, endDepth: Number.NEGATIVE_INFINITY, memoryLeft: MAX_MEMORY, keys };
}

/** @throws EngineError too_complex if the values take too much memory */
function takeMemory(cursor: Cursor, bytes: number): void {
  cursor.memoryLeft -= bytes;
  if (cursor.memoryLeft < 0) throw tooComplex("one of its objects has too many values");
}

/**
 * Parses the value at `at`.
 * @throws Malformed if no value can be parsed there
 * @throws EngineError too_complex if the value takes too much memory
 * @throws EndOfBytes if the window ends inside the value
 */
export function parseValue(bytes: Uint8Array, at: number): Value {
  return parse(cursorAt(bytes, at), 0);
}

/**
 * Returns the reference at `at`, or undefined for any other value. Arrays, dictionaries and strings are not parsed.
 * @throws Malformed if no value can be parsed there
 */
export function referenceAt(bytes: Uint8Array, at: number): Reference | undefined {
  const code = bytes[skipWhite(bytes, at)];
  if (code === BRACKET_OPEN || code === LESS_THAN || code === PAREN_OPEN) return undefined;
  const value = parseValue(bytes, at);
  return value instanceof Reference ? value : undefined;
}

/**
 * Parses the value at `at`. Returns the value and its memory in bytes.
 * @throws the errors of {@link parseValue}
 */
export function parseMeasured(bytes: Uint8Array, at: number): { value: Value; memory: number } {
  const cursor = cursorAt(bytes, at);
  return { value: parse(cursor, 0), memory: MAX_MEMORY - cursor.memoryLeft };
}

/**
 * Parses the value at `at`. Charges the parsed bytes, even if parsing fails.
 * @param keys keys of the entries to parse if the value is a dictionary; all entries by default
 * @throws the errors of {@link parseValue}
 */
export function parseCharged(bytes: Uint8Array, at: number, meter: Meter, keys?: ReadonlySet<string>): Value {
  const cursor = cursorAt(bytes, at, keys);
  try {
    return parse(cursor, 0);
  } finally {
    meter.charge("parse", cursor.at - at);
  }
}

function parse(cursor: Cursor, depth: number): Value {
  if (depth > MAX_DEPTH) throw new Malformed("values are nested too deeply");
  takeMemory(cursor, MEMORY.value);
  const { bytes } = cursor;
  const at = skipWhite(bytes, cursor.at);
  cursor.at = at;
  const code = bytes[at]!;
  if (code === SLASH) {
    cursor.at = skipRegular(bytes, at + 1);
    return readName(bytes, at, cursor.at);
  }
  if (code === PAREN_OPEN) {
    cursor.at = skipLiteralString(bytes, at);
    takeMemory(cursor, MEMORY.container + MEMORY.stringByte * (cursor.at - at));
    return readLiteralString(bytes, at + 1, cursor.at - 1);
  }
  if (code === BRACKET_OPEN) return parseArray(cursor, depth);
  if (isDictionary(bytes, at)) return parseDictionary(cursor, depth);
  if (code === LESS_THAN) {
    cursor.at = skipHexString(bytes, at);
    takeMemory(cursor, MEMORY.container + MEMORY.stringByte * (cursor.at - at));
    return readHexString(bytes, at + 1, cursor.at - 1);
  }
  if (
    code === BRACKET_CLOSE ||
    code === GREATER_THAN ||
    code === PAREN_CLOSE ||
    code === BRACE_OPEN ||
    code === BRACE_CLOSE
  )
    throw new Malformed("a value was expected");
  return parseWord(cursor);
}

function parseArray(cursor: Cursor, depth: number): Value[] {
  const { bytes } = cursor;
  const items: Value[] = [];
  takeMemory(cursor, MEMORY.container);
  cursor.at++;
  cursor.openBrackets++;
  while (cursor.openBrackets > cursor.endDepth) {
    cursor.at = skipWhite(bytes, cursor.at);
    if (bytes[cursor.at] === BRACKET_CLOSE) {
      cursor.at++;
      cursor.openBrackets--;
      break;
    }
    items.push(parse(cursor, depth + 1));
  }
  return items;
}

/** Parses a dictionary. Finds the same entries as {@link eachEntry}. */
function parseDictionary(cursor: Cursor, depth: number): Dictionary {
  const { bytes } = cursor;
  const entries: Dictionary = new Map();
  let isFirst = true;
  takeMemory(cursor, MEMORY.container);
  cursor.at += 2;
  cursor.openBrackets++;
  while (cursor.openBrackets > cursor.endDepth) {
    const at = skipWhite(bytes, cursor.at);
    if (passDictionaryEnd(cursor, at)) break;
    if (bytes[at] !== SLASH) {
      if (isFirst) passToken(cursor, at);
      else cursor.at = skipValue(bytes, at);
      continue;
    }
    const keyEnd = skipRegular(bytes, at + 1);
    const start = skipWhite(bytes, keyEnd);
    if (passDictionaryEnd(cursor, start)) break;
    isFirst = false;
    const key = readName(bytes, at, keyEnd);
    if (depth === 0 && cursor.keys?.has(key) === false) {
      cursor.at = skipValue(bytes, start);
      continue;
    }
    cursor.at = start;
    takeMemory(cursor, MEMORY.entry);
    entries.set(key, parseEntry(cursor, depth + 1));
  }
  return entries;
}

/**
 * Parses the value of an entry. The value ends where `skipValue` ends. `skipValue` counts brackets without
 * distinguishing their kinds, so arrays and dictionaries that are not closed inside the value also end there.
 */
function parseEntry(cursor: Cursor, depth: number): Value {
  const { endDepth, openBrackets } = cursor;
  cursor.endDepth = openBrackets;
  const value = parse(cursor, depth);
  cursor.endDepth = endDepth;
  while (cursor.openBrackets > openBrackets) passToken(cursor, skipWhite(cursor.bytes, cursor.at));
  return value;
}

/** Moves the cursor past the token at `at`. */
function passToken(cursor: Cursor, at: number): void {
  cursor.openBrackets += nesting(cursor.bytes, at);
  cursor.at = skipToken(cursor.bytes, at);
}

/** Returns whether a dictionary ends at `at`. If so, moves the cursor past its end. */
function passDictionaryEnd(cursor: Cursor, at: number): boolean {
  if (isDictionaryEnd(cursor.bytes, at)) passToken(cursor, at);
  else if (isLastBracket(cursor.bytes, at)) cursor.at = at + 1;
  else return false;
  return true;
}

/** Returns whether a single `>` at `at` closes the dictionary, because nothing else of the object follows. */
function isLastBracket(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== GREATER_THAN) return false;
  const word = skipWhite(bytes, at + 1);
  return isOutsideOfValues(bytes, word, skipRegular(bytes, word));
}

function parseWord(cursor: Cursor): Value {
  const { bytes, at: start } = cursor;
  const end = skipRegular(bytes, start);
  cursor.at = end;
  const integer = readObjectNumber(bytes, start, end);
  if (integer !== undefined) {
    const gen = skipWhite(bytes, end);
    if (!isDigit(bytes[gen])) return integer;
    const genEnd = skipRegular(bytes, gen);
    const generation = readObjectNumber(bytes, gen, genEnd);
    if (generation === undefined) return integer;
    const r = skipWhite(bytes, genEnd);
    if (bytes[r] !== UPPER_R || skipRegular(bytes, r) !== r + 1) return integer;
    cursor.at = r + 1;
    return new Reference(integer, generation);
  }
  if (wordIs(bytes, start, end, "true")) return true;
  if (wordIs(bytes, start, end, "false")) return false;
  if (isOutsideOfValues(bytes, start, end)) throw new Malformed("a value runs into the end of its object");
  return readDecimal(bytes, start, end) ?? readNumber(decodeLatin1(bytes, start, Math.min(end, start + 64)));
}

/**
 * Reads a well-formed number without a plus sign: an optional minus, up to 15 digits, and at most one decimal point.
 * The result is rounded correctly, because it is the quotient of two exact numbers.
 */
function readDecimal(bytes: Uint8Array, start: number, end: number): number | undefined {
  const isNegative = bytes[start] === MINUS;
  let digits = 0;
  let scale = 0;
  let value = 0;
  for (let at = isNegative ? start + 1 : start; at < end; at++) {
    const code = bytes[at]!;
    if (code === PERIOD && scale === 0) scale = 1;
    else if (isDigit(code) && digits < 15) {
      value = value * 10 + code - DIGIT_0;
      digits++;
      scale *= 10;
    } else return undefined;
  }
  if (digits === 0) return undefined;
  if (scale > 1) value /= scale;
  return isNegative ? -value : value;
}

/**
 * Reads a malformed number as readers do: `--5` is -5, `1.2.3` is 1.2, and `12-34` is 12. `1e3` is a keyword and
 * therefore becomes null.
 */
function readNumber(word: string): number | null {
  const match = /^[-+.\d]*$/.test(word) ? /^([+-]*)(\d*\.?\d*)/.exec(word) : null;
  const digits = match?.[2] ?? "";
  if (!/\d/.test(digits)) return null;
  return match?.[1]?.includes("-") ? -Number(digits) : Number(digits);
}

const ESCAPES: Record<string, number> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

function readLiteralString(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const out = new Uint8Array(end - start);
  let length = 0;
  for (let at = start; at < end; at++) {
    let code = bytes[at]!;
    if (code === CARRIAGE_RETURN) {
      // every kind of line end counts as one line feed (ISO 32000-2, 7.3.4.2)
      if (bytes[at + 1] === LINE_FEED) at++;
      out[length++] = LINE_FEED;
      continue;
    }
    if (code !== BACKSLASH) {
      out[length++] = code;
      continue;
    }
    code = bytes[++at]!;
    if (code === LINE_FEED) continue;
    if (code === CARRIAGE_RETURN) {
      if (bytes[at + 1] === LINE_FEED) at++;
      continue;
    }
    if (code >= DIGIT_0 && code <= DIGIT_7) {
      let octal = code - DIGIT_0;
      for (let i = 0; i < 2 && at + 1 < end && bytes[at + 1]! >= DIGIT_0 && bytes[at + 1]! <= DIGIT_7; i++)
        octal = octal * 8 + bytes[++at]! - DIGIT_0;
      out[length++] = octal & 0xff;
      continue;
    }
    out[length++] = ESCAPES[String.fromCharCode(code)] ?? code;
  }
  return length === out.length ? out : out.slice(0, length);
}

function readHexString(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const digits = decodeLatin1(bytes, start, end).replace(/[^0-9a-fA-F]/g, "");
  const out = new Uint8Array(Math.ceil(digits.length / 2));
  for (let i = 0; i < out.length; i++) out[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2).padEnd(2, "0"), 16);
  return out;
}
