/** Stream objects as they stand in the file: dictionary and raw data (ISO 32000-2, 7.3.8). */
import { indexOf } from "#platform/search";
import type { ByteSource } from "./byteSource.ts";
import { CARRIAGE_RETURN, LINE_FEED, SPACE, TAB } from "./characters.ts";
import { isDictionary, isWhite, Malformed, parseAt, readHeader, skipValue, skipWhite, startsWith } from "./lexer.ts";
import { type Dictionary, parseValue, Reference } from "./values.ts";

export interface RawStream {
  num: number;
  gen: number;
  dict: Dictionary;
  /** Still encrypted and filtered. */
  data: Uint8Array;
  /** Where the data end in the file. */
  end: number;
}

const SEARCH_STEP = 64 * 1024;
const LARGEST_RAW = 64 << 20;

/**
 * Reads the stream object at file offset `offset`. `lengthOf` resolves a /Length that is a reference. A /Length that no
 * `endstream` follows is not believed: then the data end before the next `endstream`. Throws Malformed.
 */
export function readStream(
  source: ByteSource,
  offset: number,
  lengthOf: (reference: Reference) => number | undefined,
): RawStream {
  const head = parseAt(source, offset, (bytes, at) => {
    const header = readHeader(bytes, at);
    if (!header || !isDictionary(bytes, header.end)) throw new Malformed(`no stream at offset ${offset}`);
    const dict = parseValue(bytes, header.end) as Dictionary;
    const start = dataStart(bytes, skipWhite(bytes, skipValue(bytes, header.end)));
    if (start < 0) throw new Malformed(`no stream at offset ${offset}`);
    return { num: header.num, gen: header.gen, dict, start: offset + start };
  });

  const length = head.dict.get("Length");
  const claimed = length instanceof Reference ? lengthOf(length) : length;
  const end =
    typeof claimed === "number" && isEndOfData(source, head.start + claimed)
      ? head.start + claimed
      : findEndOfData(source, head.start);
  return { num: head.num, gen: head.gen, dict: head.dict, data: source.bytes(head.start, end), end };
}

/** Where the data begin after the keyword `stream` at `at`, or -1 where that keyword is not there. */
export function dataStart(bytes: Uint8Array, at: number): number {
  if (!startsWith(bytes, at, "stream")) return -1;
  at += 6;
  // A carriage return alone is not allowed but written; blanks before the line's end are as well.
  while (bytes[at] === SPACE || bytes[at] === TAB) at++;
  if (bytes[at] === CARRIAGE_RETURN) at++;
  if (bytes[at] === LINE_FEED) at++;
  return at;
}

/** True where `endstream` stands at `end`, white space before it allowed. */
export function isEndOfData(source: ByteSource, end: number): boolean {
  if (!(Number.isInteger(end) && end >= 0 && end < source.length)) return false;
  const bytes = source.bytes(end, Math.min(end + 16, source.length));
  let at = 0;
  while (isWhite(bytes[at])) at++;
  return startsWith(bytes, at, "endstream") || startsWith(bytes, at, "endobj");
}

/** The offset of the next `endstream` from `start` on, less one end of line; the file's end where there is none. */
export function findEndOfData(source: ByteSource, start: number): number {
  const found = findWord(source, start, "endstream");
  if (found === undefined) return Math.min(source.length, start + LARGEST_RAW);
  const from = Math.max(start, found - 2);
  const before = source.bytes(from, found);
  let end = found;
  if (before[end - from - 1] === LINE_FEED) end--;
  if (before[end - from - 1] === CARRIAGE_RETURN) end--;
  return end;
}

/** The offset of `word` from `start` on, no further than the largest stream reaches. */
function findWord(source: ByteSource, start: number, word: string): number | undefined {
  const limit = Math.min(source.length, start + LARGEST_RAW);
  for (let at = start; at < limit; at += SEARCH_STEP) {
    const window = source.bytes(at, Math.min(at + SEARCH_STEP + word.length - 1, source.length));
    const found = indexOf(window, word);
    if (found >= 0) return at + found;
  }
  return undefined;
}
