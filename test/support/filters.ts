/** Encoders for stream filters (ISO 32000-2, 7.4). Input and output are strings with one character per byte. */
import { deflateSync } from "node:zlib";

const ENCODERS = {
  FlateDecode: (data: string) => deflateSync(Buffer.from(data, "latin1")).toString("latin1"),
  ASCIIHexDecode: (data: string) => `${Buffer.from(data, "latin1").toString("hex")}>`,
  ASCII85Decode: ascii85,
  LZWDecode: lzw,
  RunLengthDecode: runLength,
  /**
   * Flate data with a predictor. Each row has seven bytes, and each byte is stored as its difference from the byte
   * above.
   */
  Predictor: (data: string) => ENCODERS.FlateDecode(predicted(data)),
};

export type Filter = keyof typeof ENCODERS;
export const FILTERS = Object.keys(ENCODERS) as Filter[];

const ROW = 7;

export function filtered(data: string, filter: Filter): string {
  return ENCODERS[filter](data);
}

/** Returns the dictionary entries of a stream whose data were encoded with these filters, in this order. */
export function filterEntries(filters: readonly Filter[]): string {
  if (filters.length === 0) return "";
  const names = filters.map((filter) => `/${filter === "Predictor" ? "FlateDecode" : filter}`);
  const params = filters.map((filter) => (filter === "Predictor" ? `<< /Predictor 12 /Columns ${ROW} >>` : "null"));
  const list = (items: string[]) => (items.length === 1 ? items[0]! : `[${items.toReversed().join(" ")}]`);
  return ` /Filter ${list(names)}${filters.includes("Predictor") ? ` /DecodeParms ${list(params)}` : ""}`;
}

/** Encodes run-length data. A byte without equal neighbors becomes a run of one byte. */
function runLength(data: string): string {
  const runs = data.match(/([\s\S])\1{0,127}/g) ?? [];
  return `${runs.map((run) => String.fromCharCode(run.length > 1 ? 257 - run.length : 0) + run[0]).join("")}\x80`;
}

function ascii85(data: string): string {
  const padded = data.padEnd(Math.ceil(data.length / 4) * 4, "\0");
  let text = "";
  for (let at = 0; at < padded.length; at += 4) {
    let word = 0;
    for (let i = 0; i < 4; i++) word = word * 256 + padded.charCodeAt(at + i);
    let digits = "";
    for (let i = 0; i < 5; i++, word = Math.floor(word / 85)) digits = String.fromCharCode(33 + (word % 85)) + digits;
    text += digits.slice(0, Math.min(5, data.length - at + 1));
  }
  return `${text}~>`;
}

/**
 * Encodes LZW data with one code per byte, never for a repeated sequence. Clears the table before codes grow longer
 * than nine bits.
 */
function lzw(data: string): string {
  const codes: number[] = [];
  for (let at = 0; at < data.length; at++) {
    if (at % 250 === 0) codes.push(256);
    codes.push(data.charCodeAt(at));
  }
  const bits = [...codes, 257].map((code) => code.toString(2).padStart(9, "0")).join("");
  return (bits.match(/.{1,8}/g) ?? [])
    .map((byte) => String.fromCharCode(Number.parseInt(byte.padEnd(8, "0"), 2)))
    .join("");
}

function predicted(data: string): string {
  let out = "";
  for (let start = 0; start < data.length; start += ROW) {
    out += "\x02";
    for (let at = start; at < Math.min(start + ROW, data.length); at++)
      out += String.fromCharCode((256 + data.charCodeAt(at) - (at < ROW ? 0 : data.charCodeAt(at - ROW))) % 256);
  }
  return out;
}
