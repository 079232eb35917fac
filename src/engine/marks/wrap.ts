/** Breaks paragraphs into lines; pure functions. Widths are in em. */
import { graphemesOf } from "../fonts/graphemes.ts";
import { DIGIT_SLOT } from "../fonts/slot.ts";
import { pieces } from "./lineBreaks.ts";

/** A line of text and the direction of its paragraph. */
export interface TextLine {
  readonly text: string;
  readonly rightToLeft: boolean;
}

/** A line and the sum of its words' widths, which is slightly off if words affect each other's width. */
export interface WrappedLine extends TextLine {
  readonly width: number;
}

/** Returns the width of a part of a line. */
export type Measure = (part: TextLine) => number;

/**
 * Breaks paragraphs into lines no wider than `maxWidth`: between words, and inside a word only if it is wider by itself. Trailing spaces are dropped. Widths of words are
 * added up, so trying many widths costs no more than measuring each word once, if `measure` caches.
 */
export function wrap(paragraphs: readonly TextLine[], maxWidth: number, measure: Measure): WrappedLine[] {
  return paragraphs.flatMap((paragraph) => {
    const { rightToLeft } = paragraph;
    const lines = wrapParagraph(piecesOf(paragraph), maxWidth, (text) => measure({ text, rightToLeft }));
    return lines.map((line) => ({ ...line, rightToLeft }));
  });
}

/** The pieces of paragraphs, each of which is wrapped many times. */
const known = new WeakMap<TextLine, readonly string[]>();

/** Splits a paragraph into its {@link pieces}. */
export function piecesOf(paragraph: TextLine): readonly string[] {
  const parts = known.get(paragraph) ?? pieces(paragraph.text);
  known.set(paragraph, parts);
  return parts;
}

function wrapParagraph(parts: readonly string[], maxWidth: number, measure: (text: string) => number) {
  const lines: { text: string; width: number }[] = [];
  let line = "";
  // `width` includes the spaces at the line's end, `inkWidth` does not
  let width = 0;
  let inkWidth = 0;
  const add = (part: string, partWidth: number, wordWidth: number) => {
    line += part;
    inkWidth = width + wordWidth;
    width += partWidth;
  };
  const close = () => {
    lines.push({ text: line.trimEnd(), width: inkWidth });
    line = "";
    width = 0;
    inkWidth = 0;
  };

  for (const piece of parts) {
    const word = measure(piece.trimEnd());
    if (line !== "" && width + word > maxWidth) close();
    if (word <= maxWidth) {
      add(piece, measure(piece), word);
      continue;
    }
    for (const grapheme of graphemes(piece)) {
      const partWidth = measure(grapheme);
      if (line !== "" && grapheme.trim() !== "" && width + partWidth > maxWidth) close();
      add(grapheme, partWidth, grapheme.trim() === "" ? 0 : partWidth);
    }
  }
  close();
  return lines;
}

/** Yields graphemes; a page number counts as one. */
export function* graphemes(text: string): Generator<string> {
  for (const part of text.split(new RegExp(`(${DIGIT_SLOT}+)`))) {
    if (part.startsWith(DIGIT_SLOT)) yield part;
    else for (const { segment } of graphemesOf(part)) yield segment;
  }
}
