import { isRightToLeft } from "../fonts/bidi.ts";
import { withDigits } from "../fonts/digitPlaceholders.ts";
import { BYTES_PER_CLUSTER, type Cluster, type Line, type Typesetter } from "../fonts/layout.ts";
import type { Meter } from "../pdf/source/meter.ts";
import type { Appearance } from "./appearance.ts";
import { type Block, stack } from "./block.ts";
import { fitText, LEGIBLE_PT } from "./fit.ts";
import { diagonalAngle, marginOn, type PageSize, roomOn, type Size, sizeKey } from "./geometry.ts";
import { Paragraph, type TextLine } from "./wrap.ts";

/** Maximum font size in units of user space. Poppler does not draw larger text than 1,440 units at any resolution. */
const MAX_FONT_UNITS = 1400;

/**
 * Layout of a text on pages of one size. The layout has one block for each possible number of digits of a page number.
 */
interface PageLayout {
  readonly fontSizePt: number;
  /** Whether the end of the text is missing. */
  readonly isCut: boolean;
  /**
   * Blocks by the number of digits of the page number. The only block of a text without a page number has the key 0.
   */
  readonly blocks: ReadonlyMap<number, Block>;
}

/** Layouts of a text by page size, and all clusters in these layouts. */
interface TextLayout {
  layoutOn(page: PageSize): PageLayout;
  /** The smallest font size on any page, in points. */
  readonly smallestPt: number;
  clusters(): Iterable<Cluster>;
}

/**
 * Fits a text, with its placeholders filled in, on pages of the given sizes. A text with the page number is fitted for
 * the longest number. All pages of one size therefore have the same font size and line breaks.
 * @param digits possible numbers of digits of a page number; see {@link digitCounts}
 * @throws EngineError too_complex if laying out the text exceeds the work limits, for example on too many page sizes
 */
export async function layOutText(
  { text, digits }: { text: string; digits: readonly number[] },
  pages: readonly PageSize[],
  appearance: Appearance,
  typesetter: Typesetter,
  meter: Meter,
): Promise<TextLayout> {
  const typeset = (line: TextLine) => {
    meter.charge("layOutCharacter", line.text.length);
    return typesetter.layOut(line.text, line.rightToLeft);
  };
  const paragraphs = text
    .split("\n")
    .map((part) => new Paragraph({ text: part, rightToLeft: isRightToLeft(part) }, (line) => typeset(line).width));
  const sizeOf = memoized((lines): Size => {
    const { width, height } = stack(lines.map(typeset), appearance);
    return { width, height };
  });
  /** Lays out a line that will be drawn. Charges the memory that the line occupies until it is drawn. */
  const retainedLine = memoized(([line]): Line => {
    const laidOut = typeset(line!);
    meter.retainMark(BYTES_PER_CLUSTER * laidOut.clusters.length);
    return laidOut;
  });
  const blocksOf = memoized((lines) => {
    const { width } = sizeOf(lines);
    return new Map(
      (digits.length > 0 ? digits : [0]).map((count) => {
        const numbered = lines.map((line) => retainedLine([{ ...line, text: withDigits(line.text, count) }]));
        return [count, stack(numbered, appearance, width)];
      }),
    );
  });

  const layouts = new Map<string, PageLayout>();
  const keyOf = (page: PageSize) => `${sizeKey(page)} ${page.userUnit}`;
  for (const page of pages) {
    if (layouts.has(keyOf(page))) continue;
    meter.charge("fitCharacter", text.length);
    await meter.yieldIfDue();
    const {
      lines,
      fontSizePt,
      isCut = false,
    } = fitText(paragraphs, {
      page,
      rotation: appearance.rotation ?? diagonalAngle(page),
      room: roomOn(page, marginOn(page, appearance.marginPt), appearance.maxShares),
      maxDepthPt: appearance.maxDepth && appearance.maxDepth * Math.min(page.width, page.height),
      maxFontSizePt: Math.min(
        MAX_FONT_UNITS * page.userUnit,
        appearance.fontSizePt ?? Math.max(LEGIBLE_PT, appearance.sizeShare * Math.min(page.width, page.height)),
      ),
      blockEm: sizeOf,
    });
    layouts.set(keyOf(page), { fontSizePt, isCut, blocks: blocksOf(lines) });
  }

  return {
    layoutOn: (page) => layouts.get(keyOf(page))!,
    smallestPt: Math.min(...Array.from(layouts.values(), ({ fontSizePt }) => fontSizePt)),
    *clusters() {
      // most page sizes share their blocks, and most blocks share their lines
      const blocks = new Set(Array.from(layouts.values(), (layout) => layout.blocks));
      const lines = new Set<Line>();
      for (const byDigits of blocks)
        for (const { rows } of byDigits.values()) for (const { line } of rows) lines.add(line);
      for (const { clusters } of lines) yield* clusters;
    },
  };
}

function memoized<R>(make: (lines: readonly TextLine[]) => R): (lines: readonly TextLine[]) => R {
  const made = new Map<string, R>();
  return (lines) => {
    const key = lines.map(({ text, rightToLeft }) => `${rightToLeft ? "<" : ">"}${text}`).join("\n");
    const known = made.get(key) ?? make(lines);
    made.set(key, known);
    return known;
  };
}
