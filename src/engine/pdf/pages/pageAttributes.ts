/**
 * Finds the entries of page and page-tree dictionaries that the engine needs (ISO 32000-2, tables 30 and 31). The
 * values of the entries are parsed only on request.
 */
import type { Objects } from "../objects/objects.ts";
import { tooComplex } from "../source/meter.ts";
import { hasEscape, nameIs, readName, skipWhite, wordIs } from "../syntax/lexer.ts";
import { parseCharged, type Value } from "../syntax/values.ts";
import { eachWellFormedEntry } from "../syntax/wellFormed.ts";

/** Maximum length in bytes of a parsed entry. Real boxes and numbers are less than a tenth as long. */
export const LONGEST_ENTRY = 64 * 1024;

/** The bytes [start, end) of a text. */
export interface Span {
  start: number;
  end: number;
}

/** An entry of a dictionary: the span of its value, and the start of its key. */
export interface EntrySpan extends Span {
  key: number;
}

/**
 * The entries that were found in a dictionary, as spans of its text. If a key occurs twice, the last occurrence counts.
 */
export interface PageAttributes {
  /**
   * End of the dictionary, or -1 if the dictionary is malformed. For a malformed dictionary, the other fields may be
   * incomplete.
   */
  end: number;
  /** Whether /Type is /Page. */
  isPage: boolean;
  /** Whether the page's content is part of the document's logical structure (ISO 32000-2, 14.7.5.4). */
  isTagged: boolean;
  type: EntrySpan | undefined;
  count: EntrySpan | undefined;
  kids: EntrySpan | undefined;
  contents: EntrySpan | undefined;
  resources: EntrySpan | undefined;
  mediaBox: EntrySpan | undefined;
  cropBox: EntrySpan | undefined;
  rotate: EntrySpan | undefined;
  userUnit: EntrySpan | undefined;
  group: EntrySpan | undefined;
  annotations: EntrySpan | undefined;
  trimBox: EntrySpan | undefined;
  /**
   * Spans of the entries that are omitted when the page dictionary is copied to the output, in ascending order. These
   * are the entries that the skeleton writes, and the entries with unmarked data: /Thumb, a picture of the page (ISO
   * 32000-2, 12.3.4), and /PieceInfo, a program's own copy of the page (14.5). The spans of the last /Resources and the
   * last /Group are not included.
   */
  cuts: Span[];
  /** Whether the page has a /Thumb or /PieceInfo. */
  hasPrivateData: boolean;
}

type Field =
  | "type"
  | "kids"
  | "count"
  | "contents"
  | "resources"
  | "mediaBox"
  | "cropBox"
  | "rotate"
  | "userUnit"
  | "group";

const FIELDS: Record<string, Field> = {
  Type: "type",
  Kids: "kids",
  Count: "count",
  Contents: "contents",
  Resources: "resources",
  MediaBox: "mediaBox",
  CropBox: "cropBox",
  Rotate: "rotate",
  UserUnit: "userUnit",
  Group: "group",
};

/** Keys whose entries are omitted in the output, in addition to the keys of `FIELDS`. */
const CUT_KEYS = new Set(["Parent", "Thumb", "PieceInfo"]);
const PRIVATE_KEYS = new Set(["Thumb", "PieceInfo"]);

/** The keys to find. They are grouped by their length including the slash. */
const KEYS: Record<number, readonly string[]> = {
  5: ["Type", "Kids"],
  6: ["Thumb", "Count", "Group"],
  7: ["Rotate", "Parent", "Annots"],
  8: ["CropBox", "TrimBox"],
  9: ["MediaBox", "Contents", "UserUnit"],
  10: ["Resources", "PieceInfo"],
  14: ["StructParents"],
};

/**
 * Scans the dictionary whose `<<` is at `at`.
 * @throws EndOfBytes if the bytes end within the dictionary
 */
export function scanPageAttributes(text: Uint8Array, at: number): PageAttributes {
  const found: PageAttributes = {
    end: 0,
    isPage: false,
    isTagged: false,
    type: undefined,
    kids: undefined,
    count: undefined,
    contents: undefined,
    resources: undefined,
    mediaBox: undefined,
    cropBox: undefined,
    rotate: undefined,
    userUnit: undefined,
    group: undefined,
    annotations: undefined,
    trimBox: undefined,
    cuts: [],
    hasPrivateData: false,
  };
  const cut = (start: number, end: number) => {
    const last = found.cuts.at(-1);
    if (last && skipWhite(text, last.end) === start) last.end = end;
    else found.cuts.push({ start, end });
  };
  const note = (name: string, key: number, start: number, end: number) => {
    if (name === "StructParents") found.isTagged = true;
    if (name === "Annots") found.annotations = { key, start, end };
    if (name === "TrimBox") found.trimBox = { key, start, end };
    const field = FIELDS[name];
    if (field === "resources" || field === "group") {
      const overridden = found[field];
      if (overridden) cut(overridden.key, overridden.end);
    } else if (field || CUT_KEYS.has(name)) cut(key, end);
    if (PRIVATE_KEYS.has(name)) found.hasPrivateData = true;
    if (!field) return;
    found[field] = { key, start, end };
    if (field === "type") found.isPage = nameIs(text, start, end, "Page");
  };
  found.end = eachWellFormedEntry(text, at, (key, keyEnd, start, end) => {
    const name = keyAt(text, key, keyEnd);
    if (name) note(name, key, start, end);
  });
  return found;
}

/**
 * Returns the key in the name [start, end) if the key is one of KEYS. For any other name, returns undefined or that
 * name.
 */
function keyAt(text: Uint8Array, start: number, end: number): string | undefined {
  for (const name of KEYS[end - start] ?? []) if (wordIs(text, start + 1, end, name)) return name;
  return hasEscape(text, start, end) ? readName(text, start, end) : undefined;
}

/**
 * Parses the value of an entry of a page or node.
 * @throws Malformed if the value cannot be parsed
 * @throws EngineError too_complex if the value is longer than {@link LONGEST_ENTRY}
 */
export function parseEntry(text: Uint8Array, { start, end }: Span, { source }: Objects): Value {
  if (end - start > LONGEST_ENTRY) throw tooComplex("a page has a very long entry");
  return parseCharged(text, start, source.meter);
}
