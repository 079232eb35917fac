import { largestScale, type Size } from "./geometry.ts";
import { graphemes, type Paragraph, type TextLine, textOf, type WrappedLine, wrap } from "./wrap.ts";

/**
 * Font size that is comfortable to read, as a share of the page's shorter side. Text that is at least this large is not
 * wrapped.
 */
const COMFORTABLE_SHARE = 0.04;
/** Font size in points to which a text shrinks before it is broken inside a word or cut short. */
const READABLE_PT = 6;
/** Lower bound, in points, of a template's maximum font size on small pages. */
export const LEGIBLE_PT = 8;
/**
 * A text with `maxDepthPt` keeps only the caller's line breaks if it then reaches this share of the maximum font size.
 * Otherwise, it is wrapped.
 */
const UNWRAPPED_SHARE = 0.9;
/** Number of bisection steps in the search for the largest font size of a text with `maxDepthPt`. */
const SIZING_STEPS = 8;
const MAX_LINES_TRIED = 24;
/** Number of bisection steps in the search for balanced line widths. */
const BALANCING_STEPS = 8;

/** Replaces the end of a text that is cut short. */
export const ELLIPSIS = "…";

/** The lines of a text and the font size at which they fit. */
interface Fit {
  lines: readonly TextLine[];
  fontSizePt: number;
  /** Whether the end of the text is missing. */
  isCut?: boolean;
}

/** The area that a text must fit into, and the limits of its template. */
export interface TextArea {
  page: Size;
  /** Available space for the rotated block, in points. */
  room: Size;
  rotation: number;
  maxFontSizePt: number;
  /**
   * Maximum height of all lines together, in points. The caller's line breaks are kept, even if the lines exceed the
   * limit.
   */
  maxDepthPt?: number | undefined;
  /** Returns the size in em of a block of lines as drawn. The size includes the frame if the block has one. */
  blockEm(lines: readonly TextLine[]): Size;
}

/**
 * Returns the lines of a text and the largest allowed font size at which the rotated text fits. The caller's line
 * breaks remain if the text is then comfortable to read. Otherwise, the text is wrapped to the width that allows the
 * largest size. The font size for each candidate width is only estimated. The text is laid out for the best candidate
 * width.
 */
export function fitText(paragraphs: readonly Paragraph[], area: TextArea): Fit {
  const asGiven = sized(paragraphs, area);
  if (area.maxDepthPt !== undefined) return fitDepth(paragraphs, asGiven, area, area.maxDepthPt);
  const comfortable = Math.min(area.maxFontSizePt, COMFORTABLE_SHARE * Math.min(area.page.width, area.page.height));
  if (asGiven.fontSizePt >= comfortable) return asGiven;

  const whole = widest(paragraphs);
  const given = area.blockEm(paragraphs);
  const estimate = (lines: readonly WrappedLine[]) => ({
    width: widest(lines) + given.width - whole,
    height: (given.height / paragraphs.length) * lines.length,
  });
  const largest = (least: number, fallback: Fit): Fit => {
    const estimates = widths(whole, least).map((width) => {
      const lines = wrap(paragraphs, width);
      const scale = largestScale(estimate(lines), area.room, area.rotation);
      return { count: lines.length, fontSizePt: Math.min(area.maxFontSizePt, scale) };
    });
    const best = estimates.reduce((a, b) => (b.fontSizePt > a.fontSizePt ? b : a));
    const fit = sized(narrowest(paragraphs, best.count, least), area);
    return fit.fontSizePt > fallback.fontSizePt ? fit : fallback;
  };

  const unbroken = largest(longestWord(paragraphs), asGiven);
  if (unbroken.fontSizePt >= Math.min(READABLE_PT, area.maxFontSizePt)) return unbroken;
  return largest(1, unbroken);
}

/**
 * Fits a text into lines that together are at most `maxDepthPt` high. First adds lines, then reduces the font size, but
 * not below `READABLE_PT`. At that size, breaks words, and finally cuts a text that still does not fit.
 */
function fitDepth(paragraphs: readonly Paragraph[], asGiven: Fit, area: TextArea, maxDepthPt: number): Fit {
  if (asGiven.fontSizePt >= UNWRAPPED_SHARE * area.maxFontSizePt) return asGiven;
  const leastPt = Math.min(READABLE_PT, area.maxFontSizePt);
  const given = area.blockEm(paragraphs);
  const around = given.width - widest(paragraphs);
  const line = given.height / paragraphs.length;
  const linePt = largestScale({ width: 1, height: 0 }, area.room, area.rotation);
  const linesAt = (pt: number) => wrap(paragraphs, linePt / pt - around);
  const maxLinesAt = (pt: number) => Math.max(paragraphs.length, Math.floor(maxDepthPt / (line * pt)));
  const fitsAt = (pt: number) => linesAt(pt).length <= maxLinesAt(pt);

  const word = longestWord(paragraphs);
  let tooLarge = Math.max(leastPt, Math.min(area.maxFontSizePt, linePt / (word + around)));
  let pt = fitsAt(tooLarge) ? tooLarge : leastPt;
  for (let step = 0; step < SIZING_STEPS && pt < tooLarge; step++) {
    const tried = (pt + tooLarge) / 2;
    if (fitsAt(tried)) pt = tried;
    else tooLarge = tried;
  }
  const lines = linesAt(pt);
  const count = maxLinesAt(pt);
  if (lines.length <= count)
    return sized(narrowest(paragraphs, lines.length, Math.min(word, linePt / pt - around)), area);
  const kept = textOf(lines.slice(0, count));
  kept[count - 1] = cutShort(kept[count - 1]!.text, linePt / pt - around, lines[count - 1]!.paragraph);
  return { ...sized(kept, area), isCut: true };
}

/** Returns the longest beginning of a line that, with an ellipsis, fits into `width` em. */
function cutShort(text: string, width: number, paragraph: Paragraph): TextLine {
  const characters = graphemes(text);
  const first = (count: number) => characters.slice(0, count).join("");
  // Each step of the search lays out a line, which is slow. The search therefore starts at an estimate from the widths
  // of single characters.
  let near = 0;
  for (let sum = paragraph.widthOf(ELLIPSIS); near < characters.length; near++) {
    sum += paragraph.widthOf(characters[near]!);
    if (sum > width) break;
  }
  let [fits, tooMany] = [0, characters.length + 1];
  for (let tried = Math.max(1, near), step = 1; tooMany - fits > 1; step *= 2) {
    const isTooWide = paragraph.widthOf(first(tried) + ELLIPSIS) > width;
    if (isTooWide) tooMany = tried;
    else fits = tried;
    const next = isTooWide ? tried - step : tried + step;
    tried = fits < next && next < tooMany ? next : (fits + tooMany) >> 1;
  }
  return { text: first(fits).trimEnd() + ELLIPSIS, rightToLeft: paragraph.rightToLeft };
}

function widest(lines: readonly { readonly width: number }[]): number {
  return Math.max(...lines.map(({ width }) => width));
}

function longestWord(paragraphs: readonly Paragraph[]): number {
  return Math.max(...paragraphs.flatMap(({ words }) => words.map(({ inkWidth }) => inkWidth)));
}

/**
 * Returns the line widths in em to try for a text of the width `whole`: about a half, a third and so on of `whole`, but
 * at least `least`.
 */
function widths(whole: number, least: number): number[] {
  const tried = Array.from({ length: MAX_LINES_TRIED - 1 }, (_, i) => Math.max(least, (whole / (i + 2)) * 1.1));
  return [...new Set(tried)];
}

/**
 * Breaks paragraphs into at most `count` lines of nearly equal width, so that the last line is not much shorter than
 * the others.
 * @param least minimum width of the lines, in em
 */
function narrowest(paragraphs: readonly Paragraph[], count: number, least: number): TextLine[] {
  let most = widest(paragraphs);
  let best = wrap(paragraphs, most);
  for (let i = 0; i < BALANCING_STEPS; i++) {
    const width = Math.max(least, (least + most) / 2);
    const tried = wrap(paragraphs, width);
    if (tried.length <= count && tried.every((line) => line.width <= width)) [best, most] = [tried, width];
    else least = width;
  }
  return textOf(best);
}

function sized(lines: readonly TextLine[], { room, rotation, maxFontSizePt, blockEm }: TextArea): Fit {
  return { lines, fontSizePt: Math.min(maxFontSizePt, largestScale(blockEm(lines), room, rotation)) };
}
