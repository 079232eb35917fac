/** Breaks paragraphs into lines. Widths are in em. All functions are pure. */

import { DIGIT_PLACEHOLDERS, isDigitPlaceholder } from "../fonts/digitPlaceholders.ts";
import { graphemesOf } from "../fonts/graphemes.ts";
import { pieces } from "./lineBreaks.ts";

/** A line of text and the direction of its paragraph. */
export interface TextLine {
  readonly text: string;
  readonly rightToLeft: boolean;
}

/** Returns the width in em of a part of a line. */
export type Measure = (part: TextLine) => number;

/** A part of a paragraph that stays on one line. */
interface Piece {
  /** Length of the piece in UTF-16 code units. */
  readonly length: number;
  readonly width: number;
  /** Width of the piece without its trailing spaces. */
  readonly inkWidth: number;
}

/** A piece that is never broken. */
interface Grapheme extends Piece {
  readonly isBlank: boolean;
}

/** A piece that is broken only if it is wider than a line. */
interface Word extends Piece {
  readonly text: string;
  /** The graphemes of the word, measured on first use. */
  graphemes?: readonly Grapheme[];
}

/**
 * A paragraph to wrap. Each part is measured once, on first use, regardless of the number of line widths that are
 * tried.
 */
export class Paragraph implements TextLine {
  readonly text: string;
  readonly rightToLeft: boolean;
  readonly #measure: Measure;
  readonly #widths = new Map<string, number>();
  #words: readonly Word[] | undefined;

  constructor({ text, rightToLeft }: TextLine, measure: Measure) {
    this.text = text;
    this.rightToLeft = rightToLeft;
    this.#measure = measure;
  }

  /** Width of the paragraph on one line. */
  get width(): number {
    return this.widthOf(this.text);
  }

  get words(): readonly Word[] {
    this.#words ??= pieces(this.text).map((text) => ({
      text,
      length: text.length,
      width: this.widthOf(text),
      inkWidth: this.widthOf(text.trimEnd()),
    }));
    return this.#words;
  }

  graphemesOf(word: Word): readonly Grapheme[] {
    word.graphemes ??= graphemes(word.text).map((text) => {
      const width = this.widthOf(text);
      const isBlank = text.trim() === "";
      return { length: text.length, width, inkWidth: isBlank ? 0 : width, isBlank };
    });
    return word.graphemes;
  }

  /** Returns the width of a text in the paragraph's direction. */
  widthOf(text: string): number {
    const known = this.#widths.get(text) ?? this.#measure({ text, rightToLeft: this.rightToLeft });
    this.#widths.set(text, known);
    return known;
  }
}

/**
 * A line of a paragraph's text from `start` to `end` (exclusive). Its `width` is an estimate. The estimate is the sum
 * of the widths of the words, and ignores that neighboring words may affect each other.
 */
export interface WrappedLine {
  readonly paragraph: Paragraph;
  readonly start: number;
  readonly end: number;
  readonly width: number;
}

/** Returns the text of wrapped lines without trailing spaces. */
export function textOf(lines: readonly WrappedLine[]): TextLine[] {
  return lines.map(({ paragraph: { text, rightToLeft }, start, end }) => ({
    text: text.slice(start, end).trimEnd(),
    rightToLeft,
  }));
}

/**
 * Breaks paragraphs into lines no wider than `maxWidth`. A break inside a word occurs only if the word is wider than a
 * line.
 */
export function wrap(paragraphs: readonly Paragraph[], maxWidth: number): WrappedLine[] {
  const lines: WrappedLine[] = [];
  for (const paragraph of paragraphs) wrapParagraph(paragraph, maxWidth, lines);
  return lines;
}

function wrapParagraph(paragraph: Paragraph, maxWidth: number, lines: WrappedLine[]): void {
  let [start, end] = [0, 0];
  // `width` includes trailing spaces, `inkWidth` does not
  let [width, inkWidth] = [0, 0];
  const add = (piece: Piece) => {
    end += piece.length;
    inkWidth = width + piece.inkWidth;
    width += piece.width;
  };
  const close = () => {
    lines.push({ paragraph, start, end, width: inkWidth });
    start = end;
    width = 0;
    inkWidth = 0;
  };

  for (const word of paragraph.words) {
    if (end > start && width + word.inkWidth > maxWidth) close();
    if (word.inkWidth <= maxWidth) {
      add(word);
      continue;
    }
    for (const grapheme of paragraph.graphemesOf(word)) {
      if (end > start && !grapheme.isBlank && width + grapheme.width > maxWidth) close();
      add(grapheme);
    }
  }
  close();
}

/** Returns the graphemes of a text. A page number counts as one grapheme. */
export function graphemes(text: string): string[] {
  return text
    .split(new RegExp(`(${DIGIT_PLACEHOLDERS.source}+)`))
    .flatMap((part) => (isDigitPlaceholder(part) ? part : Array.from(graphemesOf(part), ({ segment }) => segment)));
}
