import { Problem } from "../problems.ts";
import type { Font } from "./truetype.ts";

/** A glyph in a line, and the text it stands for: what a reader copies or searches. */
export interface LineGlyph {
  /** Its id in the font, never 0. */
  readonly id: number;
  readonly text: string;
}

/** Glyphs from left to right, each moving the pen by its advance. */
export interface Line {
  readonly glyphs: readonly LineGlyph[];
  /** Sum of the advances, in em: times the font size gives points. */
  readonly widthEm: number;
}

/**
 * Lays one line of text out in `font`, one glyph per character of its composed form (NFC).
 * Throws the problem `unsupported_character` for a character that the font lacks, control characters included.
 */
export function encodeLine(font: Font, text: string): Line {
  const composed = text.normalize("NFC");
  const glyphs: LineGlyph[] = [];
  let width = 0;
  let read = "";

  for (const character of composed) {
    read += character;
    const id = font.glyphOf(character.codePointAt(0)!);
    if (id === 0) throw unsupportedCharacter(character, read, composed);
    glyphs.push({ id, text: character });
    width += font.advance(id);
  }
  return { glyphs, widthEm: width / font.unitsPerEm };
}

/** Counts characters as a reader does, in grapheme clusters: whichever form the caller wrote, they are the same. */
function unsupportedCharacter(character: string, read: string, text: string): Problem {
  const name = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
  const place = [...new Intl.Segmenter().segment(read)].length;
  const where = `character ${place} of ${JSON.stringify(text)}`;
  return new Problem("unsupported_character", `No font here has ${name}, ${where}. Replace it or leave it out.`);
}
