import { FAMILIES, type Family, SLICE } from "./families.ts";

/** Weight of a font. */
export type Weight = "regular" | "bold";

/** Matches characters that need no glyph: joiners, variation selectors, directional marks. */
const IGNORABLE = /^\p{Default_Ignorable_Code_Point}/u;

/** Cache of decoded ranges of code points. The key is the encoded form of the ranges. */
const ranges = new Map<string, Uint32Array>();

/**
 * Returns the ranges of a family's code points in ascending order: the first and last code point of each range,
 * alternating.
 */
export function rangesOf(family: Family): Uint32Array {
  return decoded(family.coverage);
}

function decoded(encoded: string): Uint32Array {
  const known = ranges.get(encoded) ?? readRanges(encoded);
  ranges.set(encoded, known);
  return known;
}

/**
 * Returns whether `value` lies in one of the ranges. `bounds` contains the first and last value of each range, in
 * ascending order.
 */
function includes(bounds: Uint32Array, value: number): boolean {
  let low = 0;
  let high = bounds.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bounds[middle * 2 + 1]! < value) low = middle + 1;
    else high = middle;
  }
  return low * 2 < bounds.length && bounds[low * 2]! <= value;
}

function readRanges(coverage: string): Uint32Array {
  const bounds: number[] = [];
  let next = 0;
  for (const range of coverage.match(/[^,]+/g) ?? []) {
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
  /**
   * Whether the file is lighter than the requested weight. Its glyphs are then also stroked, which makes them look
   * bolder.
   */
  readonly embolden: boolean;
}

/** Returns the file of a family that covers all of `characters`, or undefined. */
export function fileWith(family: Family, characters: string, weight: Weight): FontFile | undefined {
  const bounds = rangesOf(family);
  if (!areDrawn(characters, (codePoint) => includes(bounds, codePoint))) return undefined;

  switch (family.files) {
    case "regular and bold":
      return { family, path: `${family.name}-${weight}.ttf`, embolden: false };
    case "regular":
      return { family, path: `${family.name}-regular.ttf`, embolden: weight === "bold" && !isEmoji(characters) };
    case "sliced":
      return sliceWith(family, characters, weight);
  }
}

/**
 * Returns the file of a family if the file may contain glyphs for all of `characters`, even if other families draw
 * these characters by default. Only the loaded file shows whether it contains the glyphs.
 */
export function fileWithForms(family: Family, characters: string, weight: Weight): FontFile | undefined {
  if (family.forms === undefined) return fileWith(family, characters, weight);
  const slices = decoded(family.forms);
  if (!areDrawn(characters, (codePoint) => includes(slices, Math.floor(codePoint / SLICE)))) return undefined;
  return sliceWith(family, characters, weight);
}

/**
 * Returns the file of the slice with all of `characters`, if the family is split into slices of code points. Returns
 * undefined if no slice contains all characters.
 */
function sliceWith(family: Family, characters: string, weight: Weight): FontFile | undefined {
  const drawn = Array.from(characters).filter((character) => !IGNORABLE.test(character));
  const [start, ...others] = new Set(drawn.map((character) => Math.floor(character.codePointAt(0)! / SLICE) * SLICE));
  if (start === undefined || others.length > 0) return undefined;
  return { family, path: `${family.name}/${start.toString(16).padStart(4, "0")}.ttf`, embolden: weight === "bold" };
}

/**
 * Returns whether a font draws all of `characters`. `has` returns whether the font has a glyph for a code point.
 * Ignorable characters need no glyph.
 */
export function areDrawn(characters: string, has: (codePoint: number) => boolean): boolean {
  for (const character of characters) if (!has(character.codePointAt(0)!) && !IGNORABLE.test(character)) return false;
  return true;
}

/** Matches characters that are emoji by default or by variation selector 16. */
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;

/** Returns whether a grapheme is drawn as an emoji. */
export function isEmoji(grapheme: string): boolean {
  return EMOJI.test(grapheme);
}

const emojiFirst = FAMILIES.toSorted((a, b) => Number(b.name === "noto-emoji") - Number(a.name === "noto-emoji"));

/** Returns the families to search for a grapheme, in order of preference. */
export function familiesFor(grapheme: string): readonly Family[] {
  return isEmoji(grapheme) ? emojiFirst : FAMILIES;
}
