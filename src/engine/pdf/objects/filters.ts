/** Decodes the stream filters that cross-reference streams and object streams use (ISO 32000-2, 7.4). */
import { inflate, inflateRaw } from "#platform/zlib";
import { OutputTooLarge } from "../../platform/compression.ts";
import { COSTS, type MeteredOperation } from "../source/costs.ts";
import { type Meter, tooComplex, tooLargeDecoded } from "../source/meter.ts";
import { EXCLAMATION, GREATER_THAN, LOWER_U, LOWER_Z, TILDE } from "../syntax/characters.ts";
import { isWhite, Malformed } from "../syntax/lexer.ts";
import { type Dictionary, Reference, type Value } from "../syntax/values.ts";

/**
 * Maximum number of filters of one stream. Real files use two or three filters. Each filter costs time even for empty
 * data.
 */
const MAX_FILTERS = 16;
/** Maximum compression ratio of Deflate. */
const MAX_INFLATION = 1032;
/**
 * Maximum work for one stream, in units of the meter: about half a second. Decoding a stream cannot yield to the event
 * loop.
 */
const MAX_STREAM_WORK = 128 << 20;

/** Charges the filters of one stream to the meter, and limits their total work. */
class StreamMeter {
  readonly meter: Meter;
  #work = 0;

  constructor(meter: Meter) {
    this.meter = meter;
  }

  /** @throws EngineError too_complex if the work limit of the stream or of the file is exceeded */
  charge(operation: MeteredOperation, count = 1): void {
    this.#work += COSTS[operation].units * count;
    if (this.#work > MAX_STREAM_WORK) throw tooComplex("one of its streams takes too long to decompress");
    this.meter.charge(operation, count);
  }
}

/**
 * Applies the filters of a stream dictionary in order. Charges the output of each filter to the meter.
 * @param maxBytes maximum number of bytes that all filters together may produce
 * @param isStrict whether to reject data that some readers reject: Flate data without a valid header, ASCII data with
 * invalid characters, and ASCII or run-length data without an end mark
 * @throws Malformed if a filter is unknown, the data are damaged, or there are too many filters
 * @throws EngineError too_complex if the output is too large or the decoding takes too long
 */
export function decodeStream(
  dict: Dictionary,
  data: Uint8Array,
  meter: Meter,
  maxBytes = Number.POSITIVE_INFINITY,
  isStrict = false,
): Uint8Array {
  const filters = list(dict.get("Filter") ?? dict.get("F"));
  const params = list(dict.get("DecodeParms") ?? dict.get("DP"));
  if (filters.length > MAX_FILTERS) throw new Malformed("a stream has too many filters");
  let total = 0;
  const work = new StreamMeter(meter);
  filters.forEach((filter, i) => {
    if (filter === "Crypt") return; // The cipher has already applied the Crypt filter.
    work.charge("startFilter");
    const param = params[i];
    const quota = Math.min(meter.outputQuota(total), Math.max(0, maxBytes - total));
    data = trimmed(decode(filter, data, param instanceof Map ? param : undefined, work, quota, isStrict));
    total += data.length;
    meter.chargeDecoded(data.length);
  });
  return data;
}

/**
 * Returns a copy of the output if more than half of its buffer is unused. The large buffer can then be freed.
 * Otherwise, it would take memory that the meter does not count.
 */
function trimmed(bytes: Uint8Array): Uint8Array {
  return 2 * bytes.length < bytes.buffer.byteLength ? bytes.slice() : bytes;
}

function list(value: Value | undefined): Value[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function decode(
  filter: Value,
  data: Uint8Array,
  options: Dictionary | undefined,
  work: StreamMeter,
  maxBytes: number,
  isStrict: boolean,
): Uint8Array {
  if (filter === "FlateDecode" || filter === "Fl")
    return undoPredictor(decodeFlate(data, maxBytes, work, isStrict), options, work);
  work.charge("filterByte", data.length);
  switch (filter) {
    case "ASCIIHexDecode":
    case "AHx":
      return decodeAsciiHex(data, maxBytes, isStrict);
    case "ASCII85Decode":
    case "A85":
      return decodeAscii85(data, maxBytes, isStrict);
    case "RunLengthDecode":
    case "RL":
      return decodeRunLength(data, maxBytes, isStrict);
    case "LZWDecode":
    case "LZW":
      return undoPredictor(decodeLzw(data, options?.get("EarlyChange") === 0 ? 0 : 1, maxBytes, work), options, work);
  }
  throw new Malformed(`filter ${filter instanceof Reference ? "reference" : String(filter)} is not supported`);
}

/** Decodes Flate data. Accepts truncated data and ignores bytes after the end, as readers do. */
function decodeFlate(data: Uint8Array, maxBytes: number, work: StreamMeter, isStrict: boolean): Uint8Array {
  const attempt = (decompress: typeof inflate, bytes: Uint8Array) => {
    work.charge("inflateInput", data.length);
    try {
      return decompress(bytes, maxBytes);
    } catch (error) {
      if (!(error instanceof OutputTooLarge)) return undefined;
      work.meter.chargeDiscarded(maxBytes);
      throw tooLargeDecoded();
    }
  };
  // The data may be intact even if the header or checksum is wrong. Raw Deflate has no header and no checksum.
  const inflated = attempt(inflate, data) ?? (isStrict ? undefined : attempt(inflateRaw, data.subarray(2)));
  if (inflated) return inflated;
  // Each failed attempt may have produced up to `discarded` bytes.
  const discarded = Math.min(maxBytes, MAX_INFLATION * data.length);
  if (isStrict) work.meter.chargeDiscarded(discarded);
  else work.charge("inflateDiscarded", 2 * discarded);
  throw new Malformed("a compressed stream is damaged");
}

/**
 * Reverts PNG predictors, and TIFF predictor 2 at 8 bits, in place (ISO 32000-2, 7.4.4.4). No PDF producer uses other
 * predictors for cross-reference and object streams.
 */
function undoPredictor(data: Uint8Array, options: Dictionary | undefined, work: StreamMeter): Uint8Array {
  const predictor = number(options?.get("Predictor"), 1);
  if (predictor <= 1) return data;
  const bits = number(options?.get("Colors"), 1) * number(options?.get("BitsPerComponent"), 8);
  const pixel = Math.max(1, bits >> 3);
  const row = Math.max(1, Math.floor((number(options?.get("Columns"), 1) * bits + 7) / 8));
  work.charge("filterByte", data.length);
  work.charge("predictorRow", Math.ceil(data.length / (row + 1)));
  if (predictor === 2) {
    for (let start = 0; start < data.length; start += row) {
      const end = Math.min(start + row, data.length);
      for (let i = start + pixel; i < end; i++) data[i] = data[i]! + data[i - pixel]!;
    }
    return data;
  }

  // Removing the filter type bytes moves each row toward the start. No byte is therefore overwritten before it is read.
  let to = 0;
  for (let from = 0; from < data.length; from += row + 1) {
    const width = Math.min(row, data.length - from - 1);
    const type = data[from]!;
    const start = from + 1;
    if (type === 2 && to >= row) for (let x = 0; x < width; x++) data[to + x] = data[start + x]! + data[to + x - row]!;
    else if (type === 1 || type > 2) undoRow(data, type, start, to, width, pixel, row);
    else for (let x = 0; x < width; x++) data[to + x] = data[start + x]!;
    to += width;
  }
  return data.subarray(0, to);
}

/**
 * Undoes the PNG filter of one row (ISO/IEC 15948, clause 9), and moves the row from `start` to `to`. The row above
 * ends at `to`.
 */
function undoRow(
  data: Uint8Array,
  type: number,
  start: number,
  to: number,
  width: number,
  pixel: number,
  row: number,
): void {
  const isFirst = to < row;
  for (let x = 0; x < width; x++) {
    const left = x >= pixel ? data[to + x - pixel]! : 0;
    const up = isFirst ? 0 : data[to + x - row]!;
    const corner = x >= pixel && !isFirst ? data[to + x - row - pixel]! : 0;
    data[to + x] = data[start + x]! + predicted(type, left, up, corner);
  }
}

function predicted(type: number, left: number, up: number, corner: number): number {
  if (type === 0) return 0;
  if (type === 1) return left;
  if (type === 2) return up;
  if (type === 3) return (left + up) >> 1;
  const estimate = left + up - corner;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function number(value: Value | undefined, fallback: number): number {
  return typeof value === "number" && value > 0 && value < 1 << 24 ? value : fallback;
}

/** Values of hexadecimal digits by character code; -1 for other characters. */
const HEX = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value++)
  for (const digit of [value.toString(16), value.toString(16).toUpperCase()]) HEX[digit.charCodeAt(0)] = value;

function decodeAsciiHex(data: Uint8Array, maxBytes: number, isStrict: boolean): Uint8Array {
  const out = emptyOutput(Math.ceil(data.length / 2), maxBytes);
  let written = 0;
  let high = -1;
  const end = endOfText(data, GREATER_THAN, isStrict);
  for (let at = 0; at < end; at++) {
    const code = data[at]!;
    const digit = HEX[code]!;
    if (digit < 0) {
      if (isStrict && !isWhite(code)) throw damagedText();
      continue;
    }
    if (high < 0) high = digit;
    else {
      out[written++] = high * 16 + digit;
      high = -1;
    }
  }
  if (high >= 0) out[written++] = high * 16;
  return out.subarray(0, written);
}

function decodeAscii85(data: Uint8Array, maxBytes: number, isStrict: boolean): Uint8Array {
  let zeros = 0;
  for (let at = 0; at < data.length; at++) if (data[at] === LOWER_Z) zeros++;
  const out = emptyOutput(4 * zeros + Math.ceil(((data.length - zeros) * 4) / 5), maxBytes);
  let written = 0;
  let value = 0;
  let digits = 0;
  const end = endOfText(data, TILDE, isStrict);
  for (let at = 0; at < end; at++) {
    const code = data[at]!;
    if (code === LOWER_Z && digits === 0) written += 4;
    else if (code >= EXCLAMATION && code <= LOWER_U) {
      value = value * 85 + code - EXCLAMATION;
      if (++digits < 5) continue;
      putWord(out, written, value, 4);
      written += 4;
      value = digits = 0;
    } else if (isStrict && !isWhite(code)) throw damagedText();
  }
  if (digits > 1) {
    for (let i = digits; i < 5; i++) value = value * 85 + 84;
    putWord(out, written, value, digits - 1);
    written += digits - 1;
  }
  return out.subarray(0, written);
}

/**
 * Returns the position of the end mark in hexadecimal or base-85 text, or the length of the text if the mark is
 * missing.
 */
function endOfText(data: Uint8Array, mark: number, isStrict: boolean): number {
  const end = data.indexOf(mark);
  const isWhole = end >= 0 && (mark === GREATER_THAN || data[end + 1] === GREATER_THAN);
  if (isStrict && !isWhole) throw damagedText();
  return end < 0 ? data.length : end;
}

function damagedText(): Malformed {
  return new Malformed("a stream of characters is damaged");
}

/** Writes the `count` most significant bytes of a four-byte number. */
function putWord(out: Uint8Array, at: number, value: number, count: number): void {
  for (let i = 0; i < count; i++) out[at + i] = Math.floor(value / 2 ** (24 - 8 * i));
}

/**
 * Decodes run lengths (ISO 32000-2, 7.4.5). Each run has a length, and either literal bytes or one byte to repeat.
 * Accepts truncated data.
 */
function decodeRunLength(data: Uint8Array, maxBytes: number, isStrict: boolean): Uint8Array {
  const END = 128;
  let total = 0;
  let last = 0;
  for (; last < data.length && data[last] !== END; last += data[last]! < END ? data[last]! + 2 : 2)
    total += data[last]! < END ? data[last]! + 1 : 257 - data[last]!;
  if (isStrict && last >= data.length) throw new Malformed("a run-length stream is truncated");
  const out = emptyOutput(total, maxBytes);
  let written = 0;
  // Bytes are copied in a loop, because a native call takes longer for short runs.
  for (let at = 0; at + 1 < data.length && data[at] !== END; ) {
    const length = data[at++]!;
    if (length < END) {
      const end = Math.min(at + length + 1, data.length);
      while (at < end) out[written++] = data[at++]!;
    } else {
      const value = data[at++]!;
      for (const end = written + 257 - length; written < end; ) out[written++] = value;
    }
  }
  return out.subarray(0, written);
}

/**
 * Allocates a buffer for the output of a filter.
 * @param length maximum length of the output
 * @throws EngineError too_complex if the length exceeds `maxBytes`
 */
function emptyOutput(length: number, maxBytes: number): Uint8Array {
  if (length > maxBytes) throw tooLargeDecoded();
  return new Uint8Array(length);
}

function decodeLzw(data: Uint8Array, early: number, maxBytes: number, work: StreamMeter): Uint8Array {
  const CLEAR = 256;
  const END = 257;
  // Each code stands for a string that has already been written to the output. These arrays contain, for each code, the
  // start and the length of that string in the output.
  const starts = new Int32Array(4097);
  const lengths = new Int32Array(4097);
  let out = new Uint8Array(Math.min(maxBytes, Math.max(4096, data.length * 4)));
  let written = 0;
  let next = 258;
  let width = 9;
  let bits = 0;
  let held = 0;
  let previous = -1;
  let previousStart = 0;
  for (const byte of data) {
    bits = ((bits << 8) | byte) & 0xffffff;
    held += 8;
    if (held < width) continue;
    held -= width;
    const code = (bits >> held) & ((1 << width) - 1);
    if (code === END) break;
    if (code === CLEAR) {
      next = 258;
      width = 9;
      previous = -1;
      continue;
    }
    if (code > 257 && (code > next || previous < 0)) {
      // The decoded bytes are charged here, because the caller charges them only if the filter succeeds.
      work.meter.chargeDecoded(written);
      work.charge("scan", written);
      throw new Malformed("an LZW stream is damaged");
    }
    const length = code < 256 ? 1 : code === next ? written - previousStart + 1 : lengths[code]!;
    if (written + length > maxBytes) {
      work.meter.chargeDiscarded(written);
      throw tooLargeDecoded();
    }
    if (written + length > out.length) {
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(out.length * 2, written + length)));
      larger.set(out);
      out = larger;
    }
    const start = written;
    if (code < 256) out[written++] = code;
    else {
      // The code that is being defined stands for the previous string plus the first byte of that string.
      const from = code === next ? previousStart : starts[code]!;
      for (let i = 0; i < length; i++) out[written++] = out[from + i]!;
    }
    if (previous >= 0 && next < 4096) {
      starts[next] = previousStart;
      lengths[next] = start - previousStart + 1;
      next++;
    }
    previous = code;
    previousStart = start;
    if (next + early >= 1 << width && width < 12) width++;
  }
  work.charge("scan", written);
  return out.subarray(0, written);
}
