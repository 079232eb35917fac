/**
 * Drafts of PDFs. A draft can be changed before it is written, because the writer computes the correct offsets and
 * lengths.
 */
import type { Cipher } from "../../src/engine/pdf/security/encryption.ts";
import { encode } from "./bytes.ts";
import { type Filter, filterEntries, filtered } from "./filters.ts";

/**
 * A part of a file, in file order. A part with a number is an object. A part without a number is a header, a
 * cross-reference section or junk. The writer replaces these placeholders in the text of a part:
 *
 * - `{size}`: one more than the largest object number
 * - `{rows}`: table entries of the objects since the last cross-reference section
 * - `{index}`: the /Index of a cross-reference stream
 * - `{start}`, `{previous}`: offsets of the last written cross-reference section and of the section before it
 * - `{length 5}`: length of the data of object 5
 * - `{count}`, `{first}`: number of members of an object stream, and the offset of the first member
 */
export interface Part {
  num?: number;
  gen?: number;
  /** For a stream, its dictionary without the entries that the writer adds. */
  text: string;
  /** For a stream, its data before encoding. Each character stands for one byte. */
  data?: string;
  /** The members of an object stream, which replace `data`. */
  members?: Member[];
  /** The kind of objects that a cross-reference stream lists. Entries for these objects replace `data`. */
  rows?: "all" | "members";
  /** Filters in the order in which they encode the data. */
  filters?: Filter[];
  /** Entries that replace those computed by the writer, such as /Length and /Filter. */
  entries?: string;
  /** Returns a damaged version of the encoded data. */
  damage?: (data: string) => string;
  /** Whether all cross-reference sections omit this object. */
  isUnlisted?: boolean;
  tweaks?: Tweak[];
}

export interface Member {
  num: number;
  text: string;
}

/** A deliberately wrong value in one entry of a cross-reference section. */
export interface Tweak {
  /** Position of the entry, as a fraction of the number of entries. */
  row: number;
  field: "number" | "kind" | "place" | "detail";
  value: number;
  isRelative: boolean;
}

export interface Draft {
  readonly parts: readonly Part[];
  /** Cipher that encrypts all streams except cross-reference streams. */
  readonly cipher?: Cipher;
}

interface Entry {
  number: number;
  kind: number;
  place: number;
  detail: number;
}

const WIDTHS = [1, 4, 2] as const;

/** Returns the PDF file that a draft describes. */
export function written({ parts, cipher }: Draft): Uint8Array<ArrayBuffer> {
  const numbers = parts.flatMap(({ num, members }) => [num ?? 0, ...(members ?? []).map((member) => member.num)]);
  const size = Math.max(...numbers) + 1;
  let text = "";
  /** Entries of the objects that no cross-reference section lists yet. */
  let entries: Entry[] = [];
  const sections: number[] = [];

  for (const part of parts) {
    const { num, gen = 0 } = part;
    const isSection = part.rows !== undefined || part.text.startsWith("xref");
    const own = { number: num ?? 0, kind: 1, place: text.length, detail: gen };
    if (isSection) sections.push(text.length);
    if (num !== undefined && part.isUnlisted !== true) entries.push(own);
    for (const [index, member] of (part.members ?? []).entries())
      if (num !== undefined) entries.push({ number: member.num, kind: 2, place: num, detail: index });

    let listed: Entry[] = [];
    if (isSection) {
      const isListed = ({ kind }: Entry) => part.rows !== "members" || kind === 2;
      listed = tweaked(latest(entries.filter(isListed)), part.tweaks ?? []);
      entries =
        part.rows === "members" ? entries.map((entry) => (entry.kind === 2 ? { ...entry, kind: 0 } : entry)) : [];
    }
    const data = dataOf(part, listed);
    const encrypted = data && cipher && !part.rows ? bytesOf(cipher.encryptStream(num ?? 0, gen, encode(data))) : data;
    const value = fill(bodyOf(part, encrypted), {
      size: () => size,
      start: () => sections.at(-1) ?? 0,
      previous: () => sections.at(-2) ?? 0,
      rows: () => tableOf(listed),
      index: () =>
        runsOf(listed)
          .map((run) => `${run[0]!.number} ${run.length}`)
          .join(" "),
      count: () => (part.members ?? []).length,
      first: () => headOf(part.members ?? []).length,
      length: (object) => (dataOf(parts.find((each) => each.num === object) ?? { text: "" }, []) ?? "").length,
    });
    text += num === undefined ? value : `${num} ${gen} obj\n${value}\nendobj\n`;
  }
  return encode(text);
}

function fill(text: string, words: Record<string, (argument: number) => number | string>): string {
  return text.replace(/\{(\w+) ?(\d*)\}/g, (whole, word: string, argument: string) =>
    String(words[word]?.(Number(argument)) ?? whole),
  );
}

function bodyOf(part: Part, data: string | undefined): string {
  if (data === undefined) return part.text;
  const entries = part.entries ?? `/Length ${data.length}${filterEntries(part.filters ?? [])}`;
  return `${part.text.replace("<<", () => `<< ${entries}`)}\nstream\n${data}\nendstream`;
}

function dataOf({ data, members, rows, filters = [], damage }: Part, listed: readonly Entry[]): string | undefined {
  const plain = rows ? rowsOf(listed) : (data ?? (members && packed(members)));
  if (plain === undefined) return undefined;
  const out = filters.reduce(filtered, plain);
  return damage ? damage(out) : out;
}

/** Encodes the data of an object stream (ISO 32000-2, 7.5.7). */
function packed(members: readonly Member[]): string {
  return headOf(members) + members.map(({ text }) => `${text}\n`).join("");
}

/** Encodes the beginning of an object stream's data: the object number and the offset of each member. */
function headOf(members: readonly Member[]): string {
  let length = 0;
  const pairs = members.map(({ num, text }) => {
    const pair = `${num} ${length} `;
    length += text.length + 1;
    return pair;
  });
  return pairs.join("");
}

/**
 * Returns cross-reference entries sorted by object number. The last of several entries with the same number remains.
 */
function latest(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.number, entry])).values()].sort((a, b) => a.number - b.number);
}

function tweaked(entries: readonly Entry[], tweaks: readonly Tweak[]): Entry[] {
  const out = entries.map((entry) => ({ ...entry }));
  for (const { row, field, value, isRelative } of tweaks) {
    const entry = out[Math.floor(row * out.length)];
    if (entry) entry[field] = Math.max(0, isRelative ? entry[field] + value : value);
  }
  return latest(out);
}

/** Splits cross-reference entries into runs of consecutive object numbers. */
function runsOf(entries: readonly Entry[]): Entry[][] {
  const runs: Entry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run && run.at(-1)!.number + 1 === entry.number) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

function tableOf(entries: readonly Entry[]): string {
  const all = entries[0]?.number === 0 ? entries : [{ number: 0, kind: 0, place: 0, detail: 65_535 }, ...entries];
  const digits = (value: number, count: number) => String(value).padStart(count, "0");
  const line = ({ kind, place, detail }: Entry) =>
    `${digits(kind === 1 ? place : 0, 10)} ${digits(detail, 5)} ${kind === 1 ? "n" : "f"} \n`;
  return runsOf(all)
    .map((run) => `${run[0]!.number} ${run.length}\n${run.map(line).join("")}`)
    .join("");
}

function rowsOf(entries: readonly Entry[]): string {
  return entries
    .map(({ kind, place, detail }) =>
      [kind, place, detail].map((value, field) => bigEndian(value, WIDTHS[field]!)).join(""),
    )
    .join("");
}

function bigEndian(value: number, width: number): string {
  let text = "";
  for (let shift = width - 1; shift >= 0; shift--) text += String.fromCharCode(Math.floor(value / 256 ** shift) % 256);
  return text;
}

function bytesOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}
