/** Writes the output's only cross-reference section as a complete table or stream (ISO 32000-2, 7.5.4 and 7.5.8). */

import { FREE, IN_FILE, type Kind } from "../objects/xrefTable.ts";
import type { Meter } from "../source/meter.ts";
import { ByteWriter } from "../syntax/byteWriter.ts";
import { DIGIT_0, LINE_FEED, LOWER_F, LOWER_N, SPACE } from "../syntax/characters.ts";
import { deflateInTurns } from "./deflateInTurns.ts";

/**
 * The entries of the new section in ascending order of object number. The first `count` elements of each array are in
 * use.
 */
export interface Entries {
  count: number;
  number: Uint32Array;
  kind: Uint8Array;
  /**
   * Field 2 of each entry, by kind. IN_FILE: offset in the output. IN_STREAM: number of the object stream. FREE: next
   * free object number.
   */
  field2: Float64Array;
  /**
   * Field 3 of each entry, by kind. IN_FILE: generation. IN_STREAM: index in the object stream. FREE: generation of the
   * next use.
   */
  field3: Uint32Array;
}

/** Creates an empty list with room for `capacity` entries. */
export function makeEntries(capacity: number): Entries {
  return {
    count: 0,
    number: new Uint32Array(capacity),
    kind: new Uint8Array(capacity),
    field2: new Float64Array(capacity),
    field3: new Uint32Array(capacity),
  };
}

/** Appends an entry. Its object number must be larger than the object numbers of the earlier entries. */
export function addEntry(entries: Entries, num: number, kind: Kind, field2: number, field3: number): void {
  const i = entries.count++;
  entries.number[i] = num;
  entries.kind[i] = kind;
  entries.field2[i] = field2;
  entries.field3[i] = field3;
}

/**
 * Links the free entries in ascending order into the free list of a table. The free list ends at object 0 (ISO 32000-2,
 * 7.5.4).
 */
export function linkFreeEntries(entries: Entries): void {
  let next = 0;
  for (let i = entries.count - 1; i >= 0; i--) {
    if (entries.kind[i] !== FREE) continue;
    entries.field2[i] = next;
    next = entries.number[i]!;
  }
}

/** The bytes of the section in the output: `length` bytes in total. */
export interface Section {
  length: number;
  /** Returns the parts of the section in order. */
  parts(): Iterable<Uint8Array>;
}

/** Number of entries that are written at once. Each part of a table has at most this number of lines. */
const ENTRIES_AT_ONCE = 8192;
const LINE = 20;

/**
 * Returns a cross-reference table and its trailer. The lines are built on demand, because the text of a table with
 * millions of objects would take as much memory as the entries.
 * @param trailer text of the trailer dictionary without `<<`, `>>` and /Size
 */
export function tableSection(entries: Entries, trailer: string): Section {
  const head = "xref\n";
  const end = `trailer\n<<${trailer}/Size ${size(entries)}>>\n`;
  let length = head.length + LINE * entries.count + end.length;
  for (const [from, to] of runs(entries)) length += headOf(entries, from, to).length;
  return {
    length,
    *parts() {
      let out = new ByteWriter();
      out.text(head);
      for (const [from, to] of runs(entries)) {
        out.text(headOf(entries, from, to));
        for (let at = from; at < to; at += ENTRIES_AT_ONCE) {
          out.bytes(tableLines(entries, at, Math.min(at + ENTRIES_AT_ONCE, to)));
          if (out.length < ENTRIES_AT_ONCE * LINE) continue;
          yield* out.parts();
          out = new ByteWriter();
        }
      }
      out.text(end);
      yield* out.parts();
    },
  };
}

/** Returns the line above the entries of a subsection. */
function headOf(entries: Entries, from: number, to: number): string {
  return `${entries.number[from]} ${to - from}\n`;
}

function tableLines(entries: Entries, from: number, to: number): Uint8Array {
  const lines = new Uint8Array((to - from) * LINE).fill(SPACE);
  for (let i = from; i < to; i++) {
    const at = (i - from) * LINE;
    putDigits(lines, at, 10, entries.field2[i]!);
    putDigits(lines, at + 11, 5, entries.field3[i]!);
    lines[at + 17] = entries.kind[i] === IN_FILE ? LOWER_N : LOWER_F;
    lines[at + 19] = LINE_FEED;
  }
  return lines;
}

/**
 * Returns a cross-reference stream. Such a stream is never encrypted (ISO 32000-2, 7.5.8.2).
 * @param num object number of the stream, which `entries` must already contain
 * @param trailer text of the trailer entries without /Size
 */
export async function streamSection(num: number, entries: Entries, trailer: string, meter: Meter): Promise<Section> {
  let largest = 1;
  let widest = 1;
  for (let i = 0; i < entries.count; i++) {
    if (entries.field2[i]! > largest) largest = entries.field2[i]!;
    if (entries.field3[i]! > widest) widest = entries.field3[i]!;
  }
  const width2 = bytesFor(largest);
  const width3 = bytesFor(widest);
  const width = 1 + width2 + width3;
  const data = await deflateInTurns(rows(entries, width2, width3, meter), entries.count * (width + 1), meter);

  let index = "";
  for (const [from, to] of runs(entries)) index += `${entries.number[from]} ${to - from} `;
  const out = new ByteWriter();
  out.text(
    `${num} 0 obj\n<</Type/XRef${trailer}/Size ${size(entries)}/W[1 ${width2} ${width3}]/Index[${index.trimEnd()}]`,
  );
  out.text(`/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns ${width}>>/Length ${data.length}>>\nstream\n`);
  out.bytes(data);
  out.text("\nendstream\nendobj\n");
  return { length: out.length, parts: () => out.parts() };
}

/**
 * Yields the rows of a cross-reference stream with predictor 12 (PNG Up): the difference between each row and the row
 * above. These differences deflate to a fraction of their size.
 */
function* rows(entries: Entries, width2: number, width3: number, meter: Meter): Generator<Uint8Array> {
  const width = 1 + width2 + width3;
  const above = new Uint8Array(width);
  const row = new Uint8Array(width);
  for (let from = 0; from < entries.count; from += ENTRIES_AT_ONCE) {
    const to = Math.min(from + ENTRIES_AT_ONCE, entries.count);
    const lines = new Uint8Array((to - from) * (width + 1));
    for (let i = from; i < to; i++) {
      row[0] = entries.kind[i]!;
      putInteger(row, 1, width2, entries.field2[i]!);
      putInteger(row, 1 + width2, width3, entries.field3[i]!);
      const at = (i - from) * (width + 1);
      lines[at] = 2;
      for (let x = 0; x < width; x++) lines[at + 1 + x] = row[x]! - above[x]!;
      above.set(row);
    }
    meter.charge("writeXrefRow", to - from);
    yield lines;
  }
}

function size(entries: Entries): number {
  return entries.number[entries.count - 1]! + 1;
}

/** Yields the start and end of each run of consecutive object numbers. The runs are the subsections. */
function* runs(entries: Entries): Generator<readonly [from: number, to: number]> {
  for (let from = 0, to = 1; from < entries.count; from = to++) {
    while (to < entries.count && entries.number[to] === entries.number[to - 1]! + 1) to++;
    yield [from, to];
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

/** Writes `value` in decimal, padded with zeros to `width` digits. `width` must be a multiple of five. */
function putDigits(line: Uint8Array, at: number, width: number, value: number): void {
  // Five digits are written at a time, because they fit into a small integer. Arithmetic on small integers is several
  // times faster.
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
