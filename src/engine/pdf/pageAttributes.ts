/**
 * Finds the relevant entries of page and page-tree dictionaries without building anything (ISO 32000-2, Tables 30 and
 * 31).
 */
import { BRACKET_CLOSE, HASH, UPPER_R } from "./characters.ts";
import {
  eachEntry,
  isDictionary,
  isDigit,
  nameIs,
  readInteger,
  readName,
  skipRegular,
  skipValue,
  skipWhite,
} from "./lexer.ts";

/** The bytes [start, end) of a text. */
export interface Span {
  start: number;
  end: number;
}

/** Values as spans of the text they were found in. If a key occurs twice, the last one counts. */
export interface PageAttributes {
  /** The end of the dictionary. */
  end: number;
  /** /Type is /Page. */
  isPage: boolean;
  kids: Span | undefined;
  contents: Span | undefined;
  resources: Span | undefined;
  mediaBox: Span | undefined;
  cropBox: Span | undefined;
  rotate: Span | undefined;
  userUnit: Span | undefined;
  /**
   * Whole entries, keys included, that a marked page must not have: /Contents that a later one overrides, as some
   * readers would take the first; /Thumb, a picture of the page (12.3.4), and /PieceInfo, a program's own copy of it
   * (14.5), as both are without the mark.
   */
  dropped: Span[] | undefined;
}

/**
 * Scans the dictionary whose `<<` is at `at`.
 * @throws Malformed if a value in it cannot be skipped
 */
export function scanPageAttributes(text: Uint8Array, at: number): PageAttributes {
  const found: PageAttributes = {
    end: 0,
    isPage: false,
    kids: undefined,
    contents: undefined,
    resources: undefined,
    mediaBox: undefined,
    cropBox: undefined,
    rotate: undefined,
    userUnit: undefined,
    dropped: undefined,
  };
  let contentsKey = 0;
  const drop = (start: number, end: number) => {
    found.dropped ??= [];
    found.dropped.push({ start, end });
  };
  found.end = eachEntry(text, at, (key, keyEnd, start, end) => {
    switch (lengthOfName(text, key, keyEnd)) {
      case 5:
        if (nameIs(text, key, keyEnd, "Type")) found.isPage = nameIs(text, start, end, "Page");
        else if (nameIs(text, key, keyEnd, "Kids")) found.kids = { start, end };
        return;
      case 6:
        if (nameIs(text, key, keyEnd, "Thumb")) drop(key, end);
        return;
      case 7:
        if (nameIs(text, key, keyEnd, "Rotate")) found.rotate = { start, end };
        return;
      case 8:
        if (nameIs(text, key, keyEnd, "CropBox")) found.cropBox = { start, end };
        return;
      case 9:
        if (nameIs(text, key, keyEnd, "MediaBox")) found.mediaBox = { start, end };
        else if (nameIs(text, key, keyEnd, "UserUnit")) found.userUnit = { start, end };
        else if (nameIs(text, key, keyEnd, "Contents")) {
          if (found.contents) drop(contentsKey, found.contents.end);
          found.contents = { start, end };
          contentsKey = key;
        }
        return;
      case 10:
        if (nameIs(text, key, keyEnd, "Resources")) found.resources = { start, end };
        else if (nameIs(text, key, keyEnd, "PieceInfo")) drop(key, end);
        return;
    }
  });
  return found;
}

/** Returns the length of the name [start, end), slash included, without its `#xx` escapes (7.3.5). */
function lengthOfName(text: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) if (text[at] === HASH) return readName(text, start, end).length + 1;
  return end - start;
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
