/** The segmenter. It is created on first use, because creating it takes as long as laying out ten lines. */
let segmenter: Intl.Segmenter | undefined;

/** Returns the grapheme clusters of a text (UAX #29). */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}
