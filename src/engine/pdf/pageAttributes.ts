/**
 * Finds the relevant entries of page and page-tree dictionaries without building anything (ISO 32000-2, Tables 30 and
 * 31).
 */
import { BRACKET_CLOSE, UPPER_R } from "./characters.ts";
import {
  eachEntry,
  hasEscape,
  isDictionary,
  isDigit,
  nameIs,
  readInteger,
  readName,
  skipRegular,
  skipValue,
  skipWhite,
  wordIs,
} from "./lexer.ts";

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
  /** The end of the dictionary. */
  end: number;
  /** /Type is /Page. */
  isPage: boolean;
  parent: EntrySpan | undefined;
  kids: EntrySpan | undefined;
  contents: EntrySpan | undefined;
  resources: EntrySpan | undefined;
  mediaBox: EntrySpan | undefined;
  cropBox: EntrySpan | undefined;
  rotate: EntrySpan | undefined;
  userUnit: EntrySpan | undefined;
  /**
   * Whole entries, keys included, that a marked page must not have: /Contents that a later one overrides, as some
   * readers would take the first; /Thumb, a picture of the page (12.3.4), and /PieceInfo, a program's own copy of it
   * (14.5), as both are without the mark; and a last key without a value, at which PDFium gives up the page.
   */
  dropped: Span[] | undefined;
}

/** The keys that are looked for, by their length with the slash. */
const KEYS: Record<number, readonly string[]> = {
  5: ["Type", "Kids"],
  6: ["Thumb"],
  7: ["Rotate", "Parent"],
  8: ["CropBox"],
  9: ["MediaBox", "Contents", "UserUnit"],
  10: ["Resources", "PieceInfo"],
};

/**
 * Scans the dictionary whose `<<` is at `at`.
 * @throws Malformed if a value in it cannot be skipped
 */
export function scanPageAttributes(text: Uint8Array, at: number): PageAttributes {
  const found: PageAttributes = {
    end: 0,
    isPage: false,
    parent: undefined,
    kids: undefined,
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
    switch (name) {
      case "Type":
        found.isPage = nameIs(text, start, end, "Page");
        return;
      case "Parent":
        found.parent = { key, start, end };
        return;
      case "Kids":
        found.kids = { key, start, end };
        return;
      case "Rotate":
        found.rotate = { key, start, end };
        return;
      case "CropBox":
        found.cropBox = { key, start, end };
        return;
      case "MediaBox":
        found.mediaBox = { key, start, end };
        return;
      case "UserUnit":
        found.userUnit = { key, start, end };
        return;
      case "Resources":
        found.resources = { key, start, end };
        return;
      case "Contents":
        if (found.contents) drop(found.contents.key, found.contents.end);
        found.contents = { key, start, end };
        return;
      case "Thumb":
      case "PieceInfo":
        drop(key, end);
    }
  };
  found.end = eachEntry(
    text,
    at,
    (key, keyEnd, start, end) => {
      const name = keyAt(text, key, keyEnd);
      if (name) note(name, key, start, end);
    },
    drop,
  );
  return found;
}

/** Returns the one of KEYS that the name [start, end) is; any other name may be left out. */
function keyAt(text: Uint8Array, start: number, end: number): string | undefined {
  for (const name of KEYS[end - start] ?? []) if (wordIs(text, start + 1, end, name)) return name;
  return hasEscape(text, start, end) ? readName(text, start, end) : undefined;
}

/**
 * Reads the elements of the /Kids or /Contents array at `at`: the object number of a reference, the negated position of
 * a direct dictionary. Other elements are left out, as readers do.
 * @throws Malformed if an element cannot be skipped
 */
export function readKids(text: Uint8Array, at: number): number[] {
  const kids: number[] = [];
  at = skipWhite(text, at + 1);
  while (text[at] !== BRACKET_CLOSE) {
    const start = at;
    const end = skipValue(text, start);
    at = skipWhite(text, end);
    if (isDictionary(text, start)) kids.push(-start);
    if (!isDigit(text[start]) || !isDigit(text[at])) continue;
    const num = readInteger(text, start, end);
    const keyword = skipWhite(text, skipRegular(text, at));
    if (num === undefined || num === 0 || text[keyword] !== UPPER_R) continue;
    kids.push(num);
    at = skipWhite(text, keyword + 1);
  }
  return kids;
}
