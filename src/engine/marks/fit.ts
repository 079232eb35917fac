import { largestScale, type Size } from "./geometry.ts";
import { graphemes, type Paragraph, type TextLine, textOf, type WrappedLine, wrap } from "./wrap.ts";

/** Font size, as a share of the page's shorter side, that is comfortable to read. Larger text is not wrapped. */
const COMFORTABLE_SHARE = 0.04;
/** Font size in points below which words may be broken to make the text larger. */
const READABLE_PT = 6;
/**
 * Minimum font size in points of a text with a line limit. A text that does not fit at this size is cut short. Every
 * template allows at least this size, even on a small page.
 */
export const LEGIBLE_PT = 8;
const MAX_LINES_TRIED = 24;
/** Number of bisection steps in the search for balanced line widths. */
const BALANCING_STEPS = 8;

/** Replaces the end of a text that is cut short. */
export const ELLIPSIS = "…";

/** The lines of a text and the font size at which they fit. */
interface Fit {
  lines: readonly TextLine[];
  fontSizePt: number;
}

/** The area that a text must fit into, and the limits of its template. */
export interface TextArea {
  page: Size;
  /** Available space for the rotated block, in points. */
  room: Size;
  rotation: number;
  maxFontSizePt: number;
  /** Maximum number of lines. Line breaks of the caller may exceed it. */
  maxLines?: number | undefined;
  /** Returns the size in em of a block of lines as drawn, including any frame. */
  blockEm(lines: readonly TextLine[]): Size;
}

/**
 * Returns the lines of a text and the largest allowed font size at which the rotated text fits. The caller's line
 * breaks remain if the text is then comfortable to read. Otherwise, the text is wrapped to the width that allows the
 * largest size. The size of each candidate is estimated, and only the best one is laid out.
 */
export function fitText(paragraphs: readonly Paragraph[], area: TextArea): Fit {
  const asGiven = sized(paragraphs, area);
  if (area.maxLines !== undefined) return fitLines(paragraphs, asGiven, area);
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
 * Fits a text with a maximum number of lines. It keeps the caller's lines while they are legible, then wraps the text
 * to the maximum number of lines, and finally cuts it short.
 */
function fitLines(paragraphs: readonly Paragraph[], asGiven: Fit, area: TextArea): Fit {
  const leastPt = Math.min(LEGIBLE_PT, area.maxFontSizePt);
  if (asGiven.fontSizePt >= leastPt) return asGiven;
  const count = Math.max(area.maxLines!, paragraphs.length);
  const wrapped = sized(narrowest(paragraphs, count, longestWord(paragraphs)), area);
  if (wrapped.fontSizePt >= leastPt) return wrapped;

  const around = area.blockEm(paragraphs).width - widest(paragraphs);
  const width = largestScale({ width: leastPt, height: 0 }, area.room, area.rotation) - around;
  const lines = wrap(paragraphs, width);
  const kept = textOf(lines.slice(0, count));
  if (lines.length > count) kept[count - 1] = cutShort(kept[count - 1]!.text, width, lines[count - 1]!.paragraph);
  return sized(kept, area);
}

/** Returns the longest beginning of a line that fits into `width` em together with an ellipsis. */
function cutShort(text: string, width: number, paragraph: Paragraph): TextLine {
  const characters = graphemes(text);
  const first = (count: number) => characters.slice(0, count).join("");
  // Each step of the search lays out a line, so it starts at an estimate from the widths of single characters.
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

/** Returns candidate line widths in em for two or more lines, each at least `least`. */
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
