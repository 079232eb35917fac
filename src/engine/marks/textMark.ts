import { EngineError } from "../errors.ts";
import { chooseFonts } from "../fonts/choose.ts";
import { withDigits, withNumber } from "../fonts/digitPlaceholders.ts";
import { type Typesetter, typesetterFor } from "../fonts/layout.ts";
import type { LoadFont } from "../fonts/library.ts";
import { DEFAULTS, type TextMark } from "../options.ts";
import type { PdfDocument } from "../pdf/document/pdfDocument.ts";
import type { Page } from "../pdf/pages/page.ts";
import { appearanceOf } from "./appearance.ts";
import { type Block, edgeAround } from "./block.ts";
import { rgbOf } from "./contrast.ts";
import { darkPages } from "./darkPages.ts";
import { UNITS_PER_EM } from "./draw.ts";
import { ELLIPSIS } from "./fit.ts";
import { diagonalAngle, haveSameShape } from "./geometry.ts";
import { digitCounts, fillIn, type PlaceholderValues } from "./placeholders.ts";
import { type MarkOutline, type PlacedMarks, type Placement, placeOnPages } from "./placeOnPages.ts";
import { type Place, Placer } from "./placer.ts";
import { placesFor } from "./places.ts";
import { spotOf } from "./positions.ts";
import { layOutText } from "./textLayout.ts";
import { TextMarks } from "./textMarks.ts";

/** Facts about a source that replace placeholders: the name of the file, and the date of marking. */
type SourceFacts = Pick<PlaceholderValues, "date" | "filename">;

/**
 * Puts a text on every page. The font is embedded once. Each layout of lines is drawn once, regardless of the number of
 * pages and page sizes.
 * @returns the numbers of the pages that the mark misses, and of the pages on which the text is cut short
 * @throws EngineError unsupported_character if no font covers a character, or if no character is visible; too_complex
 * if the text exceeds the work limits
 */
export async function markWithText(
  document: PdfDocument,
  mark: TextMark,
  {
    loadFont,
    onPlace,
    ...source
  }: { loadFont: LoadFont; onPlace?: ((outline: MarkOutline) => void) | undefined } & SourceFacts,
): Promise<PlacedMarks & { cutPages: number[] }> {
  expectVisible(mark);
  const appearance = appearanceOf(mark);
  const placer = new Placer(document, mark);
  const frames = document.pages.map((page) => placer.frameOn(page));
  const values = valuesOf(mark, frames.length, source);
  const text = textOf(mark, values);
  const typesetter = await typesetterOf(mark, text, loadFont, document.language);
  const content = { text, digits: digitCounts(mark.text, values) };
  const layout = await layOutText(content, frames, appearance, typesetter, document.objects.source.meter);
  const marks = TextMarks.of(document, layout.clusters(), appearance, edgeAround(appearance, layout.smallestPt));
  const numberOn = ({ index }: Page) => String(values.pageStart + index);
  const blockOn = (page: Page): { block: Block; fontSizePt: number } => {
    const { fontSizePt, blocks } = layout.layoutOn(frames[page.index]!);
    return { block: blocks.get(numberOn(page).length) ?? blocks.get(0)!, fontSizePt };
  };
  const sizeOf = ({ width, height }: Block) => ({ width: width * UNITS_PER_EM, height: height * UNITS_PER_EM });
  const placeOn = await placesFor(document, placer, { ...appearance, spot: spotOf(appearance.position) }, (page) => {
    const { block, fontSizePt } = blockOn(page);
    return {
      size: sizeOf(block),
      scale: fontSizePt / UNITS_PER_EM,
      rotation: appearance.rotation ?? diagonalAngle(frames[page.index]!),
    };
  });

  document.adaptsToDark = appearance.hasEdge;
  const paint = { color: rgbOf(appearance.color), opacity: appearance.opacity };
  const dark = await darkPages(document, paint, (page) => {
    const { matrix, tiling } = placeOn(page);
    return tiling ? undefined : { size: sizeOf(blockOn(page).block), matrix };
  });

  const allWords = new Map<Block, string>();
  const wordsOn = (block: Block, number: string): string => {
    const words = allWords.get(block) ?? wordsOf(block, withDigits(text, number.length));
    allWords.set(block, words);
    return withNumber(words, number);
  };

  /** The previous page and its placement, cached because consecutive pages are mostly alike. */
  let previous: { page: Page; block: Block; place: Place } | undefined;
  const placementOn = (page: Page): Placement => {
    const number = numberOn(page);
    const { block } = blockOn(page);
    if (appearance.isAuto || previous?.block !== block || !haveSameShape(previous.page, page))
      previous = { page, block, place: placeOn(page) };
    const { matrix, tiling } = previous.place;
    const drawn = dark.has(page.index) ? marks.onDark : marks;
    const parts = drawn.partsOf(block, number);
    const words = wordsOn(block, number);
    const size = sizeOf(block);
    if (!tiling) return { matrix, size, parts, words };
    // In a tiled mark, only the copy in the middle of the page can be searched and copied. Readers then extract the
    // parts of the text in order. The other copies are echoes: they are drawn, but readers extract no text from them.
    const echoes = drawn.partsOf(block, number, true).flatMap((part) => {
      const copies = tiling.copiesOf(part.mark);
      return copies ? { ...part, mark: copies } : [];
    });
    return { matrix, size, parts, echoes, words, isTiled: true };
  };
  const { outsidePages } = await placeOnPages(document, placementOn, onPlace);
  return {
    outsidePages,
    cutPages: frames.flatMap((frame, index) => (layout.layoutOn(frame).isCut ? [index + 1] : [])),
  };
}

/**
 * Returns the words that a block shows, with digit placeholders for the page number. The words are usually the text
 * with the caller's line breaks. If the text is cut short or runs from right to left, the words are the lines as drawn,
 * because readers reverse right-to-left lines.
 */
function wordsOf({ rows }: Block, text: string): string {
  const lines = rows.map(({ line }) => line.clusters.map((cluster) => cluster.placeholder ?? cluster.text).join(""));
  const letters = (part: string) => part.replaceAll(/\s/g, "");
  return letters(lines.join("")) === letters(text) ? text : lines.join("\n");
}

/**
 * Loads the fonts of a text into the cache before the document is open. The language of the document may still require
 * another font.
 * @throws EngineError unsupported_character if no font covers a character
 */
export async function loadFonts(mark: TextMark, loadFont: LoadFont, date = new Date()): Promise<void> {
  await typesetterOf(mark, textOf(mark, valuesOf(mark, 1, { date })), loadFont);
}

/**
 * Checks a text before the document is open: every character needs a font, and at least one character must be visible.
 * @throws EngineError unsupported_character if a check fails
 */
export function checkText(mark: TextMark, date: Date): void {
  expectVisible(mark);
  chooseFonts(withNumber(textOf(mark, valuesOf(mark, 1, { date }))), appearanceOf(mark).weight);
}

/** Returns whether a text has a visible character. The Braille pattern without dots (U+2800) is blank in all fonts. */
export function isVisible(text: string): boolean {
  return /[^\s\u2800\p{Default_Ignorable_Code_Point}]/u.test(text);
}

function expectVisible({ text }: TextMark): void {
  if (!isVisible(text))
    throw new EngineError(
      "unsupported_character",
      "The text has no visible characters. Send a text with at least one.",
    );
}

function valuesOf({ pageStart = DEFAULTS.pageStart }: TextMark, pages: number, source: SourceFacts): PlaceholderValues {
  return { pages, pageStart, ...source };
}

function textOf({ text }: TextMark, values: PlaceholderValues): string {
  return fillIn(text.normalize("NFC"), values);
}

function typesetterOf(mark: TextMark, text: string, loadFont: LoadFont, document?: string): Promise<Typesetter> {
  const { weight, maxDepth, lang, font } = appearanceOf(mark);
  return typesetterFor(maxDepth ? text + ELLIPSIS : text, weight, loadFont, { text: lang, document, font });
}
