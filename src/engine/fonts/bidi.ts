import bidiFactory from "bidi-js";

const bidi = bidiFactory();

/**
 * Returns whether a paragraph runs from right to left, decided by its first strong character (Unicode Standard
 * Annex #9, P2, P3).
 */
export function isRightToLeft(paragraph: string): boolean {
  return bidi.getEmbeddingLevels(paragraph).paragraphs[0]?.level === 1;
}

/**
 * Returns the embedding level of each UTF-16 code unit of a line; odd levels run from right to left (UAX #9, rules X1
 * to I2 and L1).
 */
export function embeddingLevels(line: string, rightToLeft: boolean): Uint8Array {
  return bidi.getEmbeddingLevels(line, rightToLeft ? "rtl" : "ltr").levels;
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
