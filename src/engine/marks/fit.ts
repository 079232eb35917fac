import { largestScale, type Size } from "./geometry.ts";
import { pieces } from "./lineBreaks.ts";
import { type Measure, type TextLine, type WrappedLine, wrap } from "./wrap.ts";

/** A share of the page's shorter side: text at least this large is not wrapped. */
const COMFORTABLE_SHARE = 0.04;
/** Points: words are broken rather than set smaller than this. */
const READABLE_PT = 6;
const MAX_LINES_TRIED = 24;
/** Halvings of the widths between which the narrowest lines are looked for. */
const BALANCING_STEPS = 8;

/** How a text is broken into lines, and its font size. */
interface Fit {
  lines: readonly TextLine[];
  fontSizePt: number;
}

/** The area that a text must fit into. */
export interface TextArea {
  page: Size;
  rotation: number;
  marginPt: number;
  maxFontSizePt: number;
  /** Returns the size in em of a block of lines as drawn, including any frame. */
  blockEm(lines: readonly TextLine[]): Size;
}

/**
 * Fits a text at the largest size allowed that stays within the page's margins at its rotation. The caller's line
 * breaks are kept if the text is comfortable to read with them. Otherwise it is wrapped to the width that allows the
 * largest size; candidates are compared by estimate, and only the best is laid out.
 */
export function fitText(paragraphs: readonly TextLine[], measure: Measure, area: TextArea): Fit {
  const comfortable = Math.min(area.maxFontSizePt, COMFORTABLE_SHARE * Math.min(area.page.width, area.page.height));
  const asGiven = sized(paragraphs, area);
  if (asGiven.fontSizePt >= comfortable) return asGiven;

  const whole = Math.max(...paragraphs.map(measure));
  const longestWord = Math.max(
    ...paragraphs.flatMap(({ text, rightToLeft }) =>
      pieces(text).map((piece) => measure({ text: piece.trimEnd(), rightToLeft })),
    ),
  );
  const given = area.blockEm(paragraphs);
  const estimate = (lines: readonly WrappedLine[]) => ({
    width: Math.max(...lines.map(({ width }) => width)) + given.width - whole,
    height: (given.height / paragraphs.length) * lines.length,
  });
  const largest = (tried: readonly number[], fallback: Fit): Fit => {
    const estimates = tried.map((width) => {
      const lines = wrap(paragraphs, width, measure);
      const scale = largestScale(estimate(lines), area.page, area.rotation, area.marginPt);
      return { lines, fontSizePt: Math.min(area.maxFontSizePt, scale) };
    });
    const best = estimates.reduce((a, b) => (b.fontSizePt > a.fontSizePt ? b : a));
    const fit = sized(balanced(paragraphs, best.lines, measure), area);
    return fit.fontSizePt > fallback.fontSizePt ? fit : fallback;
  };

  const unbroken = largest(widths(whole, longestWord), asGiven);
  if (unbroken.fontSizePt >= Math.min(READABLE_PT, area.maxFontSizePt)) return unbroken;
  return largest(widths(whole, 1), unbroken);
}

/** Returns line widths to try, in em: what 2, 3, 4 … lines would need, but at least `least`. */
function widths(whole: number, least: number): number[] {
  const tried = Array.from({ length: MAX_LINES_TRIED - 1 }, (_, i) => Math.max(least, (whole / (i + 2)) * 1.1));
  return [...new Set(tried)];
}

/** Breaks paragraphs into as many lines as `lines`, of widths as equal as can be: no line is left with two letters. */
function balanced(
  paragraphs: readonly TextLine[],
  lines: readonly WrappedLine[],
  measure: Measure,
): readonly WrappedLine[] {
  let best = lines;
  let most = Math.max(...lines.map(({ width }) => width));
  let least = 0;
  for (let i = 0; i < BALANCING_STEPS; i++) {
    const width = (least + most) / 2;
    const tried = wrap(paragraphs, width, measure);
    const isFit = tried.length === lines.length && tried.every((line) => line.width <= width);
    if (isFit) [best, most] = [tried, width];
    else least = width;
  }
  return best;
}

function sized(lines: readonly TextLine[], { page, rotation, marginPt, maxFontSizePt, blockEm }: TextArea): Fit {
  return { lines, fontSizePt: Math.min(maxFontSizePt, largestScale(blockEm(lines), page, rotation, marginPt)) };
}
