/** Reads inline images of page content (ISO 32000-2, 8.9.7). */
import { GREATER_THAN, HASH, LESS_THAN, TILDE } from "../syntax/characters.ts";
import { isWhite, unlessMalformed } from "../syntax/lexer.ts";
import { type Dictionary, parseValue, type Value } from "../syntax/values.ts";
import { eachWellFormedEntry } from "../syntax/wellFormed.ts";

/**
 * Maximum length of an inline image's dictionary in bytes. Real dictionaries have at most 200 bytes, plus up to 1,536
 * bytes for a color table.
 */
const MAX_DICTIONARY = 2048;
/** Limits for a square barcode: minimum number of modules along a side, and maximum ratio of the sides. */
const [MIN_MODULES, MAX_RATIO] = [10, 1.4];
/** Maximum length of unfiltered data in bytes. */
const MAX_DATA = 1 << 20;

const UPPER_D = 0x44;
const UPPER_E = 0x45;
const UPPER_I = 0x49;
/** Length byte that ends run-length data. */
const END_OF_RUNS = 128;

/** Returns the end of the data that begin at `at`, or -1 if the end cannot be found. */
type EndOfData = (bytes: Uint8Array, at: number, end: number) => number;

const FILTERS: ReadonlyMap<Value, EndOfData> = new Map([
  ["ASCII85Decode", endOfAscii85],
  ["A85", endOfAscii85],
  ["ASCIIHexDecode", endOfAsciiHex],
  ["AHx", endOfAsciiHex],
  ["RunLengthDecode", endOfRuns],
  ["RL", endOfRuns],
]);
/** Filters that may follow a filter of `FILTERS` in an image's list of filters. */
const OTHER_FILTERS = new Set(["FlateDecode", "Fl", "LZWDecode", "LZW", "CCITTFaxDecode", "CCF", "DCTDecode", "DCT"]);
const COMPONENTS = new Map([
  ["DeviceGray", 1],
  ["G", 1],
  ["DeviceRGB", 3],
  ["RGB", 3],
  ["DeviceCMYK", 4],
  ["CMYK", 4],
  ["Indexed", 1],
  ["I", 1],
]);

/** An inline image. */
interface InlineImage {
  /** Offset after `EI`, or -1 if the image is malformed. */
  readonly end: number;
  /** Equals `end`, or is the offset after the first `EI` that may end a malformed image, or else the end of the content. */
  readonly next: number;
  /** Number of components of the image's colors: 1 for an indexed image, 0 if the number is unknown. */
  readonly components: number;
  /** Whether the image is a stencil mask, which paints only some of its pixels. */
  readonly isMask: boolean;
  /** Whether the image has one bit per pixel, is nearly square, and has enough pixels for a square barcode. */
  readonly mayBeBarcode: boolean;
}

/**
 * Reads the part of an inline image after `BI`, which begins at `at`. Readers find the end of the data in different
 * ways. An image is well-formed only if all readers find the same end. This is the case for unfiltered data of the
 * length that the dictionary implies, and for data whose filter has an end mark. Data of other filters, such as Flate
 * and CCITT, count as malformed, because finding their end would require decoding.
 */
export function readInlineImage(bytes: Uint8Array, at: number, end: number): InlineImage {
  const data = endOfDictionary(bytes, at, end);
  const entries = data < 0 ? undefined : dictionaryOf(bytes, at, data - 3);
  const { endOfData, ...about } = describe(entries ?? new Map());
  const after = endOfData?.(bytes, data, end) ?? -1;
  let mark = after;
  while (mark < end && isWhite(bytes[mark])) mark++;
  if (after < mark && isEnd(bytes, mark, end)) return { end: mark + 2, next: mark + 2, ...about };
  let next = Math.max(at, data, after);
  while (next < end && !(isEnd(bytes, next, end) && isText(bytes, next + 2, end))) next++;
  return { end: -1, next: Math.min(next + 2, end), ...about };
}

/** Returns whether `EI` is at `at`, and white space or the end of the content follows. */
function isEnd(bytes: Uint8Array, at: number, end: number): boolean {
  const hasLetters = bytes[at] === UPPER_E && bytes[at + 1] === UPPER_I;
  return hasLetters && (at + 2 === end || (at + 2 < end && isWhite(bytes[at + 2])));
}

/** Returns whether the bytes at `at` may be operators instead of the data of an image. */
function isText(bytes: Uint8Array, at: number, end: number): boolean {
  return bytes.subarray(at, Math.min(at + 15, end)).every((code) => isWhite(code) || (code > 0x20 && code < 0x7f));
}

/**
 * Returns the offset of an inline image's data, which follow `ID` and one white-space character. Returns -1 if `ID` or
 * the white space is missing.
 */
function endOfDictionary(bytes: Uint8Array, at: number, end: number): number {
  const last = Math.min(end - 2, at + MAX_DICTIONARY);
  for (; at < last; at++)
    if (bytes[at] === UPPER_I && bytes[at + 1] === UPPER_D && isWhite(bytes[at + 2]!)) return at + 3;
  return -1;
}

/**
 * Returns the facts about an image that its dictionary states. If all readers find the same end of the data, the result
 * includes a function that finds this end.
 */
function describe(entries: Dictionary): Omit<InlineImage, "end" | "next"> & { endOfData?: EndOfData | undefined } {
  let isAmbiguous = false;
  const get = (short: string, long: string) => {
    if (entries.has(short) && entries.has(long)) isAmbiguous = true;
    return entries.get(short) ?? entries.get(long);
  };
  const size = (value: Value | undefined) =>
    typeof value === "number" && Number.isInteger(value) && value > 0 && value < 1 << 16 ? value : 0;
  const [width, height] = [size(get("W", "Width")), size(get("H", "Height"))];
  const isMask = get("IM", "ImageMask") === true;
  const bits = isMask ? 1 : size(get("BPC", "BitsPerComponent"));
  const space = get("CS", "ColorSpace");
  const family = Array.isArray(space) ? space[0] : space;
  const components = isMask ? 1 : typeof family === "string" ? (COMPONENTS.get(family) ?? 0) : 0;
  const [shorter, longer] = width < height ? [width, height] : [height, width];
  const about = {
    components,
    isMask,
    mayBeBarcode: bits === 1 && shorter >= MIN_MODULES && longer < MAX_RATIO * shorter,
  };
  const length = height * Math.ceil((width * bits * components) / 8);
  if (length === 0 || length > MAX_DATA || ![1, 2, 4, 8].includes(bits)) return about;
  const filters = get("F", "Filter");
  if (isAmbiguous || entries.has("L") || entries.has("Length")) return about;
  const [filter, ...others] = Array.isArray(filters) ? filters : [filters];
  if (filter === undefined) return { endOfData: endOfSamples(length), ...about };
  const isKnown = (other: Value | undefined) =>
    typeof other === "string" && (FILTERS.has(other) || OTHER_FILTERS.has(other));
  const endOfData = others.every(isKnown) ? FILTERS.get(filter) : undefined;
  return { endOfData, ...about };
}

/**
 * Returns a function that finds the end of unfiltered data of `length` bytes. The function returns -1 if the data
 * contain an `EI` before white space, because some readers would end the data there.
 */
function endOfSamples(length: number): EndOfData {
  return (bytes, at, end) => {
    const after = at + length;
    return after < end && !hasEnd(bytes, at, after) ? after : -1;
  };
}

function endOfAscii85(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && bytes[at]! < TILDE) at++;
  return bytes[at] === TILDE && bytes[at + 1] === GREATER_THAN ? at + 2 : -1;
}

function endOfAsciiHex(bytes: Uint8Array, at: number, end: number): number {
  const isHex = (code: number) => isWhite(code) || !Number.isNaN(Number.parseInt(String.fromCharCode(code), 16));
  while (at < end && bytes[at] !== GREATER_THAN && isHex(bytes[at]!)) at++;
  return bytes[at] === GREATER_THAN ? at + 1 : -1;
}

function endOfRuns(bytes: Uint8Array, at: number, end: number): number {
  const start = at;
  while (at < end && bytes[at] !== END_OF_RUNS) at += bytes[at]! < END_OF_RUNS ? bytes[at]! + 2 : 2;
  return at < end && !hasEnd(bytes, start, at + 1) ? at + 1 : -1;
}

/** Returns whether the bytes [start, end) contain an `EI` followed by white space. */
function hasEnd(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at + 2 < end; at++)
    if (bytes[at] === UPPER_E && bytes[at + 1] === UPPER_I && isWhite(bytes[at + 2]!)) return true;
  return false;
}

/** Parses the entries in the bytes [start, end). Returns undefined if they are malformed or a key occurs twice. */
function dictionaryOf(bytes: Uint8Array, start: number, end: number): Dictionary | undefined {
  const text = new Uint8Array(end - start + 4);
  text.fill(LESS_THAN, 0, 2).set(bytes.subarray(start, end), 2);
  text.fill(GREATER_THAN, text.length - 2);
  return unlessMalformed(() => {
    let count = 0;
    if (text.includes(HASH) || eachWellFormedEntry(text, 0, () => count++) !== text.length) return undefined;
    const entries = parseValue(text, 0);
    return entries instanceof Map && entries.size === count ? entries : undefined;
  }, undefined);
}
