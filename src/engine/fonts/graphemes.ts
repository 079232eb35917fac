/** The segmenter, created on first use because its creation takes as long as ten lines of text. */
let segmenter: Intl.Segmenter | undefined;

/** Returns the grapheme clusters of a text (Unicode Standard Annex #29). */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}
