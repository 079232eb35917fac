/** Writes the output's only cross-reference section as a complete table or stream (ISO 32000-2, 7.5.4 and 7.5.8). */
import { deflate } from "#platform/zlib";
import type { ByteWriter } from "./byteWriter.ts";
import { DIGIT_0, LINE_FEED, LOWER_F, LOWER_N, SPACE } from "./characters.ts";
import { FREE, IN_FILE, type Kind } from "./xrefTable.ts";

/** The entries of the section in ascending order of object number: the first `count` of each array. */
export interface Entries {
  count: number;
  number: Uint32Array;
  kind: Uint8Array;
  /** IN_FILE: offset in the output. IN_STREAM: number of the object stream. FREE: next free object number. */
  place: Float64Array;
  /** IN_FILE: generation. FREE: generation of the next use. IN_STREAM: index. */
  detail: Uint32Array;
}

/** Creates an empty list of at most `capacity` entries. */
export function makeEntries(capacity: number): Entries {
  return {
    count: 0,
    number: new Uint32Array(capacity),
    kind: new Uint8Array(capacity),
    place: new Float64Array(capacity),
    detail: new Uint32Array(capacity),
  };
}

/** Appends an entry; its object number has to be larger than those before. */
export function addEntry(entries: Entries, num: number, kind: Kind, place: number, detail: number): void {
  const i = entries.count++;
  entries.number[i] = num;
  entries.kind[i] = kind;
  entries.place[i] = place;
  entries.detail[i] = detail;
}

/** Links the free entries into the free list of a table, in ascending order and back to 0 (7.5.4). */
export function linkFreeEntries(entries: Entries): void {
  let next = 0;
  for (let i = entries.count - 1; i >= 0; i--) {
    if (entries.kind[i] !== FREE) continue;
    entries.place[i] = next;
    next = entries.number[i]!;
  }
}

/**
 * Writes a table and its trailer.
 * @param trailer text of the trailer dictionary without `<<`, `>>` and /Size
 */
export function writeTable(out: ByteWriter, entries: Entries, trailer: string): void {
  out.text("xref\n");
  eachRun(entries, (from, to) => {
    out.text(`${entries.number[from]} ${to - from}\n`);
    const lines = new Uint8Array((to - from) * 20).fill(SPACE);
    for (let i = from; i < to; i++) {
      const at = (i - from) * 20;
      putDigits(lines, at, 10, entries.place[i]!);
      putDigits(lines, at + 11, 5, entries.detail[i]!);
      lines[at + 17] = entries.kind[i] === IN_FILE ? LOWER_N : LOWER_F;
      lines[at + 19] = LINE_FEED;
    }
    out.bytes(lines);
  });
  out.text(`trailer\n<<${trailer}/Size ${size(entries)}>>\n`);
}

/**
 * Writes a cross-reference stream, which is never encrypted (7.5.8.2).
 * @param num object number of the stream, which `entries` has to list already
 * @param trailer text of the trailer entries without /Size
 */
export function writeStream(out: ByteWriter, num: number, entries: Entries, trailer: string): void {
  let largest = 1;
  let widest = 1;
  for (let i = 0; i < entries.count; i++) {
    if (entries.place[i]! > largest) largest = entries.place[i]!;
    if (entries.detail[i]! > widest) widest = entries.detail[i]!;
  }
  const placeWidth = bytesFor(largest);
  const detailWidth = bytesFor(widest);
  const width = 1 + placeWidth + detailWidth;

  // Predictor 12 (PNG Up): each row minus the one above, which deflates to a fraction.
  const rows = new Uint8Array(entries.count * (width + 1));
  const above = new Uint8Array(width);
  const row = new Uint8Array(width);
  for (let i = 0; i < entries.count; i++) {
    row[0] = entries.kind[i]!;
    putInteger(row, 1, placeWidth, entries.place[i]!);
    putInteger(row, 1 + placeWidth, detailWidth, entries.detail[i]!);
    const at = i * (width + 1);
    rows[at] = 2;
    for (let x = 0; x < width; x++) rows[at + 1 + x] = row[x]! - above[x]!;
    above.set(row);
  }

  let index = "";
  eachRun(entries, (from, to) => (index += `${entries.number[from]} ${to - from} `));
  const data = deflate(rows);
  out.text(
    `${num} 0 obj\n<</Type/XRef${trailer}/Size ${size(entries)}/W[1 ${placeWidth} ${detailWidth}]/Index[${index.trimEnd()}]`,
  );
  out.text(`/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns ${width}>>/Length ${data.length}>>\nstream\n`);
  out.bytes(data);
  out.text("\nendstream\nendobj\n");
}

function size(entries: Entries): number {
  return entries.number[entries.count - 1]! + 1;
}

/** Visits the runs of consecutive object numbers, which are the subsections. */
function eachRun(entries: Entries, visit: (from: number, to: number) => void): void {
  for (let from = 0, to = 1; from < entries.count; from = to++) {
    while (to < entries.count && entries.number[to] === entries.number[to - 1]! + 1) to++;
    visit(from, to);
  }
}

function bytesFor(value: number): number {
  let bytes = 1;
  while (value >= 256) {
    value = Math.floor(value / 256);
    bytes++;
  }
  return bytes;
}

/** Writes `value` in decimal, padded with zeros to `width` digits, which has to be a multiple of five. */
function putDigits(line: Uint8Array, at: number, width: number, value: number): void {
  // Five digits at a time fit a small integer, on which arithmetic is several times faster.
  for (let end = at + width - 1; end > at; end -= 5) {
    let part = value % 100_000;
    value = (value - part) / 100_000;
    for (let i = end; i > end - 5; i--) {
      line[i] = DIGIT_0 + (part % 10);
      part = (part / 10) | 0;
    }
  }
}

function putInteger(row: Uint8Array, at: number, width: number, value: number): void {
  for (let i = width - 1; i >= 0; i--) {
    row[at + i] = value % 256;
    value = Math.floor(value / 256);
  }
}
