import bidiFactory from "bidi-js";

const bidi = bidiFactory();

/**
 * Maps each bidirectional class of characters beyond U+FFFF to a character of the class in the Basic Multilingual
 * Plane.
 */
const SUBSTITUTE_OF_CLASS: Record<string, string> = {
  L: "a",
  R: "\u05d0",
  AL: "\u0627",
  EN: "0",
  AN: "\u0660",
  ET: "%",
  NSM: "\u0300",
  BN: "\u00ad",
  ON: "!",
};

/**
 * Replaces each character beyond U+FFFF by two characters of the same bidirectional class. Without the replacement,
 * bidi-js treats each half of a surrogate pair as a left-to-right letter. The length in UTF-16 code units stays the
 * same.
 */
function withBmpSubstitutes(text: string): string {
  return text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, (character) =>
    SUBSTITUTE_OF_CLASS[bidi.getBidiCharTypeName(character)]!.repeat(2),
  );
}

/**
 * Returns whether a paragraph runs from right to left. The first strong character determines the direction (UAX #9,
 * rules P2 and P3).
 */
export function isRightToLeft(paragraph: string): boolean {
  return bidi.getEmbeddingLevels(withBmpSubstitutes(paragraph)).paragraphs[0]?.level === 1;
}

/**
 * Returns the embedding level of each UTF-16 code unit of a line. Odd levels run from right to left (UAX #9, rules X1
 * to I2 and L1).
 */
export function embeddingLevels(line: string, rightToLeft: boolean): Uint8Array {
  return bidi.getEmbeddingLevels(withBmpSubstitutes(line), rightToLeft ? "rtl" : "ltr").levels;
}

/** Reorders the runs of a line from logical to visual order, left to right (UAX #9, rule L2). */
export function inVisualOrder<R extends { level: number }>(runs: readonly R[]): R[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    let start = 0;
    while (start < ordered.length) {
      let end = start;
      while (end < ordered.length && ordered[end]!.level >= level) end++;
      ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
      start = end + 1;
    }
  }
  return ordered;
}
