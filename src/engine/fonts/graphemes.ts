/**
 * The segmenter for grapheme clusters. It is created on first use, because its creation takes as long as laying out ten
 * lines.
 */
let segmenter: Intl.Segmenter | undefined;

/** Returns the grapheme clusters of a text (UAX #29). */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}
