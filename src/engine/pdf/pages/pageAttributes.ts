/**
 * Finds the relevant entries of page and page-tree dictionaries without building values (ISO 32000-2, Tables 30 and
 * 31).
 */
import { hasEscape, nameIs, readName, skipWhite, wordIs } from "../syntax/lexer.ts";
import { eachWellFormedEntry } from "../syntax/wellFormed.ts";

/** The bytes [start, end) of a text. */
export interface Span {
  start: number;
  end: number;
}

/** An entry of a dictionary: the span of its value, and the start of its key. */
export interface EntrySpan extends Span {
  key: number;
}

/** Values as spans of the scanned text. If a key occurs twice, the last occurrence counts. */
export interface PageAttributes {
  /** The end of the dictionary; -1 if it is malformed, so that the other fields may be incomplete. */
  end: number;
  /** Whether /Type is /Page. */
  isPage: boolean;
  /** Whether the content is part of the document's logical structure (14.7.5.4). */
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
   * Whole entries that the output's page dictionary does not copy, in ascending order. These are the entries that the
   * skeleton writes, and the unmarked data in /Thumb, a picture of the page (12.3.4), and /PieceInfo, a program's own
   * copy of the page (14.5). The last /Resources and the last /Group are not included.
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

/** Other keys whose entries the output's page dictionary does not copy. */
const CUT_KEYS = new Set(["Parent", "Thumb", "PieceInfo"]);
const PRIVATE_KEYS = new Set(["Thumb", "PieceInfo"]);

/** The keys to find, by their length with the slash. */
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
 * @throws EndOfBytes if the bytes end within it
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
 * Returns the key of KEYS that the name [start, end) stands for. Returns undefined, or the name itself, for any other
 * name.
 */
function keyAt(text: Uint8Array, start: number, end: number): string | undefined {
  for (const name of KEYS[end - start] ?? []) if (wordIs(text, start + 1, end, name)) return name;
  return hasEscape(text, start, end) ? readName(text, start, end) : undefined;
}
