/**
 * Finds the relevant entries of page and page-tree dictionaries without building anything (ISO 32000-2, Tables 30 and
 * 31).
 */
import { hasEscape, nameIs, readName, wordIs } from "../syntax/lexer.ts";
import { eachWellFormedEntry } from "../syntax/wellFormed.ts";

/** The bytes [start, end) of a text. */
export interface Span {
  start: number;
  end: number;
}

/** An entry of a dictionary: the bytes of its value, and where its key begins. */
export interface EntrySpan extends Span {
  key: number;
}

/** Values as spans of the text they were found in. If a key occurs twice, the last one counts. */
export interface PageAttributes {
  /** The end of the dictionary; -1 if it is malformed: then the rest is not complete. */
  end: number;
  /** /Type is /Page. */
  isPage: boolean;
  type: EntrySpan | undefined;
  count: EntrySpan | undefined;
  parent: EntrySpan | undefined;
  kids: EntrySpan | undefined;
  contents: EntrySpan | undefined;
  resources: EntrySpan | undefined;
  mediaBox: EntrySpan | undefined;
  cropBox: EntrySpan | undefined;
  rotate: EntrySpan | undefined;
  userUnit: EntrySpan | undefined;
  /**
   * Whole entries, keys included, that a marked page must not have: those of these names that a later one overrides, as
   * some readers would take the first; /Thumb, a picture of the page (12.3.4), and /PieceInfo, a program's own copy of it
   * (14.5), as both are without the mark.
   */
  dropped: Span[] | undefined;
}

type Field =
  | "type"
  | "parent"
  | "kids"
  | "count"
  | "contents"
  | "resources"
  | "mediaBox"
  | "cropBox"
  | "rotate"
  | "userUnit";

const FIELDS: Record<string, Field> = {
  Type: "type",
  Parent: "parent",
  Kids: "kids",
  Count: "count",
  Contents: "contents",
  Resources: "resources",
  MediaBox: "mediaBox",
  CropBox: "cropBox",
  Rotate: "rotate",
  UserUnit: "userUnit",
};

/** The keys that are looked for, by their length with the slash. */
const KEYS: Record<number, readonly string[]> = {
  5: ["Type", "Kids"],
  6: ["Thumb", "Count"],
  7: ["Rotate", "Parent"],
  8: ["CropBox"],
  9: ["MediaBox", "Contents", "UserUnit"],
  10: ["Resources", "PieceInfo"],
};

/**
 * Scans the dictionary whose `<<` is at `at`.
 * @throws EndOfBytes if the bytes end within it
 */
export function scanPageAttributes(text: Uint8Array, at: number): PageAttributes {
  const found: PageAttributes = {
    end: 0,
    isPage: false,
    type: undefined,
    parent: undefined,
    kids: undefined,
    count: undefined,
    contents: undefined,
    resources: undefined,
    mediaBox: undefined,
    cropBox: undefined,
    rotate: undefined,
    userUnit: undefined,
    dropped: undefined,
  };
  const drop = (start: number, end: number) => {
    found.dropped ??= [];
    found.dropped.push({ start, end });
  };
  const note = (name: string, key: number, start: number, end: number) => {
    if (name === "Thumb" || name === "PieceInfo") drop(key, end);
    const field = FIELDS[name];
    if (!field) return;
    const earlier = found[field];
    if (earlier) drop(earlier.key, earlier.end);
    found[field] = { key, start, end };
    if (field === "type") found.isPage = nameIs(text, start, end, "Page");
  };
  found.end = eachWellFormedEntry(text, at, (key, keyEnd, start, end) => {
    const name = keyAt(text, key, keyEnd);
    if (name) note(name, key, start, end);
  });
  return found;
}

/** Returns the one of KEYS that the name [start, end) is; any other name may be left out. */
function keyAt(text: Uint8Array, start: number, end: number): string | undefined {
  for (const name of KEYS[end - start] ?? []) if (wordIs(text, start + 1, end, name)) return name;
  return hasEscape(text, start, end) ? readName(text, start, end) : undefined;
}
