import { largestScale, type Size } from "./geometry.ts";
import { type Measure, pieces, type TextLine, type WrappedLine, wrap } from "./wrap.ts";

/** A share of the page's shorter side: text this large needs no second line. */
const COMFORTABLE_SHARE = 0.04;
/** Points: rather than get smaller than this, words are broken. */
const READABLE_PT = 6;
const MAX_LINES_TRIED = 24;

/** How a text is broken and how large it is set. */
interface Fit {
  lines: readonly TextLine[];
  fontSizePt: number;
}

/** What a text must fit into. */
export interface TextArea {
  page: Size;
  rotation: number;
  marginPt: number;
  maxFontSizePt: number;
  /** The size in em of a block of lines as they will be drawn, frame and all. */
  blockEm(lines: readonly TextLine[]): Size;
}

/**
 * Sets a text as large as it may be without leaving the page's margins at its rotation. It stays as the caller broke it
 * while that is comfortable to read; else it is wrapped to whatever lets it be largest, judged by estimate: only the best
 * is set.
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
    const fit = sized(best.lines, area);
    return fit.fontSizePt > fallback.fontSizePt ? fit : fallback;
  };

  const unbroken = largest(widths(whole, longestWord), asGiven);
  if (unbroken.fontSizePt >= Math.min(READABLE_PT, area.maxFontSizePt)) return unbroken;
  return largest(widths(whole, 1), unbroken);
}

/** Line widths worth trying, in em: what 2, 3, 4 … lines would need. */
function widths(whole: number, least: number): number[] {
  const tried = Array.from({ length: MAX_LINES_TRIED - 1 }, (_, i) => Math.max(least, (whole / (i + 2)) * 1.1));
  return [...new Set(tried)];
}

function sized(lines: readonly TextLine[], { page, rotation, marginPt, maxFontSizePt, blockEm }: TextArea): Fit {
  return { lines, fontSizePt: Math.min(maxFontSizePt, largestScale(blockEm(lines), page, rotation, marginPt)) };
}
