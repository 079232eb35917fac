import { largestScale, type Size } from "./geometry.ts";
import { graphemes, type Paragraph, type TextLine, textOf, type WrappedLine, wrap } from "./wrap.ts";

/** A share of the page's shorter side: text at least this large is not wrapped. */
const COMFORTABLE_SHARE = 0.04;
/** Points: words are broken rather than set smaller than this. */
const READABLE_PT = 6;
/** Points: the smallest size of text that is cut short otherwise, and the largest of any template on a small page. */
export const LEGIBLE_PT = 8;
const MAX_LINES_TRIED = 24;
/** Halvings of the widths between which the narrowest lines are looked for. */
const BALANCING_STEPS = 8;

/** What a text ends in that is cut short. */
export const ELLIPSIS = "…";

/** How a text is broken into lines, and its font size. */
interface Fit {
  lines: readonly TextLine[];
  fontSizePt: number;
}

/** The area that a text must fit into. */
export interface TextArea {
  page: Size;
  /** What the turned block must fit into, in points. */
  room: Size;
  rotation: number;
  maxFontSizePt: number;
  /** More lines than this are cut off, unless they are the caller's own. */
  mostLines?: number | undefined;
  /** Returns the size in em of a block of lines as drawn, including any frame. */
  blockEm(lines: readonly TextLine[]): Size;
}

/**
 * Fits a text at the largest size allowed that stays within the room at its rotation. The caller's line breaks are kept
 * if the text is comfortable to read with them. Otherwise it is wrapped to the width that allows the largest size;
 * candidates are compared by estimate, and only the best is laid out.
 */
export function fitText(paragraphs: readonly Paragraph[], area: TextArea): Fit {
  const asGiven = sized(paragraphs, area);
  if (area.mostLines !== undefined) return fitLines(paragraphs, asGiven, area);
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

/** Fits a text in few lines: on those it has as long as they are legible, then on more, and cut short at last. */
function fitLines(paragraphs: readonly Paragraph[], asGiven: Fit, area: TextArea): Fit {
  const leastPt = Math.min(LEGIBLE_PT, area.maxFontSizePt);
  if (asGiven.fontSizePt >= leastPt) return asGiven;
  const count = Math.max(area.mostLines!, paragraphs.length);
  const wrapped = sized(narrowest(paragraphs, count, longestWord(paragraphs)), area);
  if (wrapped.fontSizePt >= leastPt) return wrapped;

  const around = area.blockEm(paragraphs).width - widest(paragraphs);
  const width = largestScale({ width: leastPt, height: 0 }, area.room, area.rotation) - around;
  const lines = wrap(paragraphs, width);
  const kept = textOf(lines.slice(0, count));
  if (lines.length > count) kept[count - 1] = cutShort(kept[count - 1]!.text, width, lines[count - 1]!.paragraph);
  return sized(kept, area);
}

/** Returns as much of a line as fits with an ellipsis behind it. */
function cutShort(text: string, width: number, paragraph: Paragraph): TextLine {
  const characters = graphemes(text);
  const first = (count: number) => characters.slice(0, count).join("");
  // what is looked for is near to where characters that do not affect each other would end: every try lays out a line
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

/** Returns line widths to try, in em: what 2, 3, 4 … lines would need, but at least `least`. */
function widths(whole: number, least: number): number[] {
  const tried = Array.from({ length: MAX_LINES_TRIED - 1 }, (_, i) => Math.max(least, (whole / (i + 2)) * 1.1));
  return [...new Set(tried)];
}

/**
 * Breaks paragraphs into at most `count` lines, of widths as equal as can be: no line is left with two letters.
 * @param least the narrowest width, in em
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
