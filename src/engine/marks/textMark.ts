import { EngineError } from "../errors.ts";
import { chooseFonts } from "../fonts/choose.ts";
import { type Typesetter, typesetterFor } from "../fonts/layout.ts";
import type { LoadFont } from "../fonts/library.ts";
import { DIGIT_SLOT } from "../fonts/slot.ts";
import type { TextMark } from "../options.ts";
import type { PdfDocument } from "../pdf/document/pdfDocument.ts";
import type { Page } from "../pdf/pages/page.ts";
import { type Block, edgeAround } from "./block.ts";
import { UNITS_PER_EM } from "./draw.ts";
import { ELLIPSIS } from "./fit.ts";
import { diagonalAngle, displayedSize, haveSameShape, type Matrix, marginOn, placeAt, type Size } from "./geometry.ts";
import { lookOf } from "./look.ts";
import { fillIn } from "./placeholders.ts";
import { type Placement, placeOnPages } from "./placeOnPages.ts";
import { spotOf } from "./positions.ts";
import { layOutText } from "./textLayout.ts";
import { TextMarks } from "./textMarks.ts";
import { type Tiling, Tilings } from "./tilings.ts";

/** Where a block is on pages of one size. */
interface Place {
  readonly matrix: Matrix;
  /** The copies around it, if there are any. */
  readonly tiling: Tiling | undefined;
}

/**
 * Lays a text over every page. The font is embedded once, and each way of breaking the text into lines is drawn once,
 * however many pages and page sizes there are.
 * @throws EngineError unsupported_character if no font has a character, or none is seen; too_complex
 */
export async function markWithText(
  document: PdfDocument,
  mark: TextMark,
  { loadFont, date }: { loadFont: LoadFont; date: Date },
): Promise<void> {
  expectVisible(mark);
  const look = lookOf(mark);
  const sizes = document.pages.map(displayedSize);
  const text = textOf(mark, sizes.length, date);
  const typesetter = await typesetterOf(mark, text, loadFont, document.language);
  const layout = await layOutText(text, sizes, mark, look, typesetter, document.objects.source.meter);
  const marks = new TextMarks(document, layout.clusters(), look, edgeAround(look, layout.smallestPt));
  const spot = spotOf(look.position);
  const tilings = new Tilings(document);

  const placeOf = (block: Block, fontSizePt: number, shown: Size): Place => {
    const size: Size = { width: block.width * UNITS_PER_EM, height: block.height * UNITS_PER_EM };
    const scale = fontSizePt / UNITS_PER_EM;
    const rotation = look.rotation ?? diagonalAngle(shown);
    return {
      matrix: placeAt(spot, size, scale, rotation, shown, marginOn(shown, mark.marginPt)),
      tiling: spot.isTiled && tilings.of(size, scale, rotation, shown),
    };
  };

  /** The page before, and where its blocks are: mostly where this one's are. */
  let last: { page: Page; block: Block; place: Place } | undefined;
  await placeOnPages(document, (page): Placement => {
    const shown = sizes[page.index]!;
    const { fontSizePt, blocks } = layout.settingOn(shown);
    const number = String(page.index + 1);
    const block = blocks.get(number.length) ?? blocks.get(0)!;
    if (last?.block !== block || !haveSameShape(last.page, page))
      last = { page, block, place: placeOf(block, fontSizePt, shown) };
    const { matrix, tiling } = last.place;
    const parts = marks.partsOf(block, number);
    if (!tiling) return { matrix, parts };
    // Search and copying find the text in the middle of the page only, and read its parts there one after the other.
    const echoes = marks.partsOf(block, number, true).flatMap((part) => {
      const around = tiling.around(part.mark);
      return around ? { ...part, mark: around } : [];
    });
    return { matrix, parts: [...parts, ...echoes] };
  });
}

/**
 * Loads the fonts of a text before there is a document, so that they are at hand then. What the document says of its
 * language may call for another one.
 * @throws EngineError unsupported_character
 */
export async function loadFonts(mark: TextMark, loadFont: LoadFont, date = new Date()): Promise<void> {
  await typesetterOf(mark, textOf(mark, 1, date), loadFont);
}

/**
 * Checks that every character of a text has a font, and one is seen, before there is a document.
 * @throws EngineError unsupported_character
 */
export function checkText(mark: TextMark, date: Date): void {
  expectVisible(mark);
  chooseFonts(textOf(mark, 1, date).replaceAll(DIGIT_SLOT, "0"), lookOf(mark).weight);
}

/** Returns whether a text has something that is seen. */
export function isVisible(text: string): boolean {
  return /[^\s\p{Default_Ignorable_Code_Point}]/u.test(text);
}

function expectVisible({ text }: TextMark): void {
  if (!isVisible(text))
    throw new EngineError("unsupported_character", "The text has no visible character. Give it one.");
}

function textOf({ text }: TextMark, pages: number, date: Date): string {
  return fillIn(text.normalize("NFC"), { pages, date });
}

function typesetterOf(mark: TextMark, text: string, loadFont: LoadFont, document?: string): Promise<Typesetter> {
  const { weight, mostLines } = lookOf(mark);
  return typesetterFor(mostLines ? text + ELLIPSIS : text, weight, loadFont, { text: mark.lang, document });
}
