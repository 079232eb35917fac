import { FAMILIES, type Family, SLICE } from "./families.ts";

export type Weight = "regular" | "bold";

/** Drawn by nothing, so no font has to have it: joiners, variation selectors, directional marks. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** By family: first and last code point of each range, ascending, in turn. Read when a text is first set. */
const ranges = new Map<Family, Uint32Array>();

/** Whether a family has a code point. */
function covers(family: Family, codePoint: number): boolean {
  let bounds = ranges.get(family);
  if (!bounds) {
    bounds = readRanges(family.coverage);
    ranges.set(family, bounds);
  }

  let low = 0;
  let high = bounds.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bounds[middle * 2 + 1]! < codePoint) low = middle + 1;
    else high = middle;
  }
  return low * 2 < bounds.length && bounds[low * 2]! <= codePoint;
}

function readRanges(coverage: string): Uint32Array {
  const bounds: number[] = [];
  let next = 0;
  for (const range of coverage.split(",")) {
    const [gap, more] = range.split("+") as [string, string?];
    const first = next + Number.parseInt(gap, 36);
    const last = first + (more === undefined ? 0 : Number.parseInt(more, 36));
    bounds.push(first, last);
    next = last + 1;
  }
  return Uint32Array.from(bounds);
}

/** A font file of `fonts/`. */
export interface FontFile {
  readonly family: Family;
  readonly path: string;
  /** It is lighter than what was asked for, and to be drawn bolder than it is. */
  readonly embolden: boolean;
}

/** The file in which a family has all of `characters`, if there is one. */
export function fileWith(family: Family, characters: string, weight: Weight): FontFile | undefined {
  const codePoints = Array.from(characters.replaceAll(IGNORABLE, ""), (character) => character.codePointAt(0)!);
  if (!codePoints.every((codePoint) => covers(family, codePoint))) return undefined;

  switch (family.files) {
    case "regular and bold":
      return { family, path: `${family.name}-${weight}.ttf`, embolden: false };
    case "regular":
      return { family, path: `${family.name}-regular.ttf`, embolden: weight === "bold" && !isPicture(characters) };
    case "sliced": {
      const [start, ...others] = new Set(codePoints.map((codePoint) => Math.floor(codePoint / SLICE) * SLICE));
      if (start === undefined || others.length > 0) return undefined;
      return { family, path: `${family.name}/${start.toString(16).padStart(4, "0")}.ttf`, embolden: weight === "bold" };
    }
  }
}

/** Kana show that ideographs are meant as Japan draws them. */
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Characters that are pictures unless told otherwise, or told to be. */
const PICTURE = /\p{Emoji_Presentation}|\ufe0f/u;

export function isPicture(grapheme: string): boolean {
  return PICTURE.test(grapheme);
}

const japaneseFirst = FAMILIES.toSorted((a, b) => Number(b.name.endsWith("-jp")) - Number(a.name.endsWith("-jp")));
const emojiFirst = FAMILIES.toSorted((a, b) => Number(b.name === "noto-emoji") - Number(a.name === "noto-emoji"));

/** The families to look for a grapheme of `text` in, in order. */
export function familiesFor(grapheme: string, text: string): readonly Family[] {
  if (isPicture(grapheme)) return emojiFirst;
  return KANA.test(text) ? japaneseFirst : FAMILIES;
}
