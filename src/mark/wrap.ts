/** Breaking text into lines. Pure; widths are in em. */

/** A text and how wide parts of it are. */
export type Measure = (text: string) => number;

/**
 * Breaks each line of `text` so that none is wider than `maxWidth`: between words (Unicode's, so also where a script writes
 * no spaces), and inside a word only where it alone is wider. Trailing spaces are dropped.
 */
export function wrap(text: string, maxWidth: number, measure: Measure): string[] {
  return text.split("\n").flatMap((paragraph) => wrapParagraph(paragraph, maxWidth, measure));
}

function wrapParagraph(paragraph: string, maxWidth: number, measure: Measure): string[] {
  const lines: string[] = [];
  let line = "";
  for (const piece of pieces(paragraph)) {
    if (measure((line + piece).trimEnd()) <= maxWidth) {
      line += piece;
      continue;
    }
    if (line !== "") lines.push(line.trimEnd());
    line = "";
    for (const grapheme of graphemes(piece)) {
      if (line !== "" && measure((line + grapheme).trimEnd()) > maxWidth) {
        lines.push(line.trimEnd());
        line = "";
      }
      line += grapheme;
    }
  }
  return [...lines, line.trimEnd()];
}

/** What must stay together on a line, with the spaces that follow it. */
export function pieces(paragraph: string): string[] {
  const result: string[] = [];
  let mayBreak = true;
  for (const { segment, isWordLike } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(paragraph)) {
    const space = /^\s+$/.test(segment);
    if (result.length > 0 && (space || !mayBreak || !isWordLike)) result[result.length - 1] += segment;
    else result.push(segment);
    mayBreak = space || isWordLike === true || segment === "-" || segment === "–" || segment === "—";
  }
  return result;
}

function* graphemes(text: string): Generator<string> {
  for (const { segment } of new Intl.Segmenter().segment(text)) yield segment;
}
