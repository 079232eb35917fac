import { largestScale, type Size } from "./geometry.ts";
import { type Measure, pieces, wrap } from "./wrap.ts";

/** A share of the page's shorter side: text this large needs no second line. */
const COMFORTABLE_SHARE = 0.04;
/** Points: rather than get smaller than this, words are broken. */
const READABLE_PT = 6;
const MAX_LINES_TRIED = 24;

/** How a text is broken and how large it is set. */
export interface Fit {
  lines: string[];
  fontSizePt: number;
}

/** What a text must fit into. */
export interface Room {
  page: Size;
  rotation: number;
  marginPt: number;
  maxFontSizePt: number;
  /** The size in em of a block of lines, frame included. */
  blockEm(lines: readonly string[]): Size;
}

/**
 * Sets a text as large as it may be without leaving the page's margins at its rotation. It stays as the caller broke it
 * while that is comfortable to read; else it is wrapped to whatever lets it be largest.
 */
export function fitText(text: string, measure: Measure, room: Room): Fit {
  const comfortable = Math.min(room.maxFontSizePt, COMFORTABLE_SHARE * Math.min(room.page.width, room.page.height));
  const asGiven = sized(text.split("\n"), room);
  if (asGiven.fontSizePt >= comfortable) return asGiven;

  const whole = Math.max(...text.split("\n").map(measure));
  const longestWord = Math.max(
    ...text.split("\n").flatMap((line) => pieces(line).map((piece) => measure(piece.trimEnd()))),
  );
  const unbroken = largest(text, measure, room, widths(whole, longestWord), asGiven);
  if (unbroken.fontSizePt >= Math.min(READABLE_PT, room.maxFontSizePt)) return unbroken;
  return largest(text, measure, room, widths(whole, 1), unbroken);
}

/** Line widths worth trying, in em: what 2, 3, 4 … lines would need. */
function widths(whole: number, least: number): number[] {
  return Array.from({ length: MAX_LINES_TRIED - 1 }, (_, index) => Math.max(least, (whole / (index + 2)) * 1.1));
}

function largest(text: string, measure: Measure, room: Room, tried: number[], first: Fit): Fit {
  return tried
    .map((width) => sized(wrap(text, width, measure), room))
    .reduce((best, next) => (next.fontSizePt > best.fontSizePt ? next : best), first);
}

function sized(lines: string[], { page, rotation, marginPt, maxFontSizePt, blockEm }: Room): Fit {
  return { lines, fontSizePt: Math.min(maxFontSizePt, largestScale(blockEm(lines), page, rotation, marginPt)) };
}
