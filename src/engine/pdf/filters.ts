/** Decodes the stream filters that cross-reference streams and object streams use (ISO 32000-2, 7.4). */
import { inflate, inflateRaw } from "#platform/zlib";
import { OutputTooLarge } from "../platform/compression.ts";
import { EXCLAMATION, GREATER_THAN, LOWER_U, LOWER_Z, TILDE } from "./characters.ts";
import { isWhite, Malformed } from "./lexer.ts";
import { type Dictionary, Reference, type Value } from "./values.ts";

/** Most bytes that a Flate or LZW filter may decode to: bounds the memory a decompression bomb can take. */
const LARGEST_DECODED = 48 << 20;

/**
 * Undoes the filters that the stream dictionary names, in order.
 * @throws Malformed if a filter is unknown, or its data are damaged or too large
 */
export function decodeStream(dict: Dictionary, data: Uint8Array): Uint8Array {
  const filters = list(dict.get("Filter") ?? dict.get("F"));
  const params = list(dict.get("DecodeParms") ?? dict.get("DP"));
  filters.forEach((filter, i) => {
    const param = params[i];
    const options = param instanceof Map ? param : undefined;
    data = decode(filter, data, options);
  });
  return data;
}

function list(value: Value | undefined): Value[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function decode(filter: Value, data: Uint8Array, options: Dictionary | undefined): Uint8Array {
  switch (filter) {
    case "FlateDecode":
    case "Fl":
      return undoPredictor(decodeFlate(data), options);
    case "ASCIIHexDecode":
    case "AHx":
      return decodeAsciiHex(data);
    case "ASCII85Decode":
    case "A85":
      return decodeAscii85(data);
    case "LZWDecode":
    case "LZW":
      return undoPredictor(decodeLzw(data, options?.get("EarlyChange") === 0 ? 0 : 1), options);
    case "Crypt":
      // Already undone by the cipher.
      return data;
  }
  throw new Malformed(`filter ${filter instanceof Reference ? "reference" : String(filter)} is not known here`);
}

/** Decodes Flate data, also if cut short or followed by other bytes, as readers do. */
function decodeFlate(data: Uint8Array): Uint8Array {
  try {
    return inflate(data, LARGEST_DECODED);
  } catch (error) {
    if (error instanceof OutputTooLarge) throw new Malformed("a stream is too large when decoded");
  }
  try {
    // With a wrong header or checksum the data may still be intact: raw deflate checks neither.
    return inflateRaw(data.subarray(2), LARGEST_DECODED);
  } catch {
    throw new Malformed("a compressed stream is damaged");
  }
}

/** Undoes PNG predictors and TIFF predictor 2 at 8 bits (7.4.4.4); no producer uses others for these streams. */
function undoPredictor(data: Uint8Array, options: Dictionary | undefined): Uint8Array {
  const predictor = number(options?.get("Predictor"), 1);
  if (predictor <= 1) return data;
  const pixel = Math.max(1, (number(options?.get("Colors"), 1) * number(options?.get("BitsPerComponent"), 8)) >> 3);
  const row = Math.max(
    1,
    (number(options?.get("Columns"), 1) *
      number(options?.get("Colors"), 1) *
      number(options?.get("BitsPerComponent"), 8) +
      7) >>
      3,
  );
  if (predictor === 2) {
    const out = data.slice();
    for (let i = 0; i < out.length; i++) if (i % row >= pixel) out[i] = out[i]! + out[i - pixel]!;
    return out;
  }

  const rows = Math.ceil(data.length / (row + 1));
  const out = new Uint8Array(rows * row);
  let written = 0;
  for (let y = 0; y < rows; y++) {
    const from = y * (row + 1);
    const type = data[from]!;
    const width = Math.min(row, data.length - from - 1);
    const to = y * row;
    for (let x = 0; x < width; x++) {
      const left = x >= pixel ? out[to + x - pixel]! : 0;
      const up = y > 0 ? out[to + x - row]! : 0;
      const corner = x >= pixel && y > 0 ? out[to + x - row - pixel]! : 0;
      out[to + x] = data[from + 1 + x]! + predicted(type, left, up, corner);
    }
    written = to + Math.max(0, width);
  }
  return out.subarray(0, written);
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

function decodeAsciiHex(data: Uint8Array): Uint8Array {
  const out: number[] = [];
  let high = -1;
  for (const code of data) {
    if (code === GREATER_THAN) break;
    const digit = Number.parseInt(String.fromCharCode(code), 16);
    if (Number.isNaN(digit)) continue;
    if (high < 0) high = digit;
    else {
      out.push(high * 16 + digit);
      high = -1;
    }
  }
  if (high >= 0) out.push(high * 16);
  return Uint8Array.from(out);
}

function decodeAscii85(data: Uint8Array): Uint8Array {
  const out: number[] = [];
  let group: number[] = [];
  const flush = (digits: number[]) => {
    let value = 0;
    for (let i = 0; i < 5; i++) value = value * 85 + (digits[i] ?? 84);
    for (let i = 0; i < digits.length - 1; i++) out.push(Math.floor(value / 2 ** (24 - 8 * i)) & 0xff);
  };
  for (const code of data) {
    if (code === TILDE) break;
    if (isWhite(code)) continue;
    if (code === LOWER_Z && group.length === 0) out.push(0, 0, 0, 0);
    else if (code >= EXCLAMATION && code <= LOWER_U) group.push(code - EXCLAMATION);
    if (group.length === 5) {
      flush(group);
      group = [];
    }
  }
  if (group.length > 1) flush(group);
  return Uint8Array.from(out);
}

function decodeLzw(data: Uint8Array, early: number): Uint8Array {
  const CLEAR = 256;
  const END = 257;
  // Each code stands for a range of what has been written already.
  const starts = new Int32Array(4097);
  const lengths = new Int32Array(4097);
  let out = new Uint8Array(Math.max(4096, data.length * 4));
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
    if (code > 257 && (code > next || previous < 0)) throw new Malformed("an LZW stream is damaged");
    const length = code < 256 ? 1 : code === next ? written - previousStart + 1 : lengths[code]!;
    if (written + length > LARGEST_DECODED) throw new Malformed("a stream is too large when decoded");
    if (written + length > out.length) {
      const larger = new Uint8Array(Math.max(out.length * 2, written + length));
      larger.set(out);
      out = larger;
    }
    const start = written;
    if (code < 256) out[written++] = code;
    else {
      // The code being defined right now stands for the previous string plus its own first byte.
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
  return out.subarray(0, written);
}
