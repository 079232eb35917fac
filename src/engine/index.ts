/**
 * Overprint's engine: it puts a text or an image on every page of a PDF, at about the cost of copying the file. The
 * engine runs in Node, workerd and browsers, and needs no files outside this folder except fonts. This module is the
 * only public entry of the engine.
 */

import { plain } from "./bytes.ts";
import type { LoadFont } from "./fonts/library.ts";
import { checkImage, readImage } from "./images/readImage.ts";
import { isInvisible } from "./marks/contrast.ts";
import { markWithImage } from "./marks/imageMark.ts";
import type { MarkOutline } from "./marks/placeOnPages.ts";
import { checkText, markWithText } from "./marks/textMark.ts";
import { DEFAULTS, type ImageMark, type TextMark } from "./options.ts";
import { pageRanges } from "./pageRanges.ts";
import { coveredPages } from "./pdf/document/annotations.ts";
import { openPdf } from "./pdf/document/openPdf.ts";
import { paintedPages } from "./pdf/document/paintedPages.ts";
import { type PdfaNotice, pdfaNotices } from "./pdf/document/pdfa.ts";
import type { PdfDocument } from "./pdf/document/pdfDocument.ts";
import { breaksPdfx } from "./pdf/document/pdfx.ts";
import { planOutput } from "./pdf/output/outputPlan.ts";
import { MemorySource, type RangeReader, RangeSource } from "./pdf/source/byteSource.ts";

export { EngineError, type EngineErrorCode } from "./errors.ts";
export { FONT_STYLES, type FontStyle } from "./fonts/language.ts";
export type { LoadFont } from "./fonts/library.ts";
export { SCRIPTS } from "./fonts/scripts.ts";
export { MAX_SIDE } from "./images/checkSize.ts";
export { detectFormat, IMAGE_FORMATS } from "./images/detectFormat.ts";
export { FRAME_BOXES } from "./marks/geometry.ts";
export { PLACEHOLDERS, unknownPlaceholder } from "./marks/placeholders.ts";
export type { MarkOutline } from "./marks/placeOnPages.ts";
export { IMAGE_POSITIONS, type ImagePosition, POSITIONS, type Position } from "./marks/positions.ts";
export { TEMPLATES, type TemplateName } from "./marks/templates.ts";
export { isVisible, loadFonts } from "./marks/textMark.ts";
export { BOUNDS, DEFAULTS, EDGES, type ImageMark, type TextMark } from "./options.ts";
export { LAYERS, type Layer } from "./pdf/document/layers.ts";
export { PlanOutdated } from "./pdf/output/eraser.ts";
export type { RangeReader } from "./pdf/source/byteSource.ts";
export { WORK_LIMITS } from "./pdf/source/meter.ts";

/** Options of {@link watermark}. */
export interface WatermarkOptions {
  /** User or owner password of an encrypted PDF. The engine also always tries the empty password. */
  password?: string | undefined;
  /** Maximum number of pages. A PDF with more pages is rejected. */
  maxPages?: number | undefined;
  /** Maximum number of pixels. An image with more pixels is rejected. */
  maxPixels?: number | undefined;
  /** Date that replaces `{date}` and `{time}` in a text, in UTC. Defaults to the current date. */
  date?: Date | undefined;
  /** Name of the source, which replaces `{filename}` in a text. Defaults to `document.pdf`. A path is shortened to its name. */
  filename?: string | undefined;
  /**
   * Whether to read the whole source before planning. If false, some parts of a source that is not in memory are
   * checked only while they are copied. Set this option to true when you plan again after {@link PlanOutdated}.
   */
  thorough?: boolean | undefined;
  /** Receives the place of the mark on each page, in the order of the pages. */
  onPlace?: ((outline: MarkOutline) => void) | undefined;
}

/**
 * A fact about the output that the recipient of the file should know. A notice that concerns only some pages lists
 * these pages, as in `;pages="1-3 7"`.
 */
export type Notice = Exclude<NoticeCode, PageNoticeCode> | `${PageNoticeCode};pages="${string}"`;

/** The code of a notice that lists pages. */
type PageNoticeCode = "text-cut" | "mark-covered" | "mark-outside";

/** The code of a notice. */
export type NoticeCode =
  | PageNoticeCode
  | "signatures-invalidated"
  | "attachments-not-marked"
  | "xfa-removed"
  | "source-repaired"
  | "pages-missing"
  | "pdfx-broken"
  | "mark-invisible"
  | PdfaNotice;

/** The plan of a marked PDF. It determines every byte of the output before the first byte is written. */
export interface WatermarkPlan {
  readonly pages: number;
  /** Length of the output in bytes. */
  readonly length: number;
  readonly notices: readonly Notice[];
  /**
   * Returns the output in order. Each chunk is valid until the next chunk is requested.
   * @throws PlanOutdated if a source that is not in memory contradicts the plan. Plan again with `thorough`.
   */
  chunks(): AsyncIterable<Uint8Array>;
}

/**
 * Plans a watermark on every page of a PDF. The output is byte-identical for the same source, mark and options,
 * including `date` and `filename`.
 * @param source the file in memory, or a reader for ranges of the file; a file in memory must not change until the
 * output is written
 * @param options `loadFont` loads the fonts for texts by their path in this project's `fonts/`
 * @throws EngineError if the file, the image or the text cannot be marked
 * @throws TypeError if the mark is a text and `loadFont` is missing
 * @example
 * const plan = await watermark(pdf, { text: "DRAFT" }, { loadFont: (path) => readFile(`fonts/${path}`) });
 * for await (const chunk of plan.chunks()) output.write(chunk);
 */
export function watermark(
  source: Uint8Array | RangeReader,
  mark: TextMark,
  options: WatermarkOptions & { loadFont: LoadFont },
): Promise<WatermarkPlan>;
export function watermark(
  source: Uint8Array | RangeReader,
  mark: ImageMark,
  options?: WatermarkOptions,
): Promise<WatermarkPlan>;
export async function watermark(
  source: Uint8Array | RangeReader,
  mark: TextMark | ImageMark,
  options: WatermarkOptions & { loadFont?: LoadFont } = {},
): Promise<WatermarkPlan> {
  const bytes = source instanceof Uint8Array ? new MemorySource(plain(source)) : new RangeSource(source);
  const document = await openPdf(bytes, options);
  document.layer = mark.layer ?? DEFAULTS.layer;
  const painted = document.layer === "under" ? await paintedPages(document) : [];
  const { cutPages, outsidePages, isBlank } = await applyMark(mark, document, options);

  const { length, chunks } = await planOutput(document);
  const notices: Notice[] = [];
  if (document.signed) notices.push("signatures-invalidated");
  if (document.isPortfolio) notices.push("attachments-not-marked");
  if (document.isXfaRemoved) notices.push("xfa-removed");
  if (document.isRepaired) notices.push("source-repaired");
  if (document.missesPages) notices.push("pages-missing");
  if (breaksPdfx(document)) notices.push("pdfx-broken");
  notices.push(...pdfaNotices(document));
  const covered = coveredPages(document, painted);
  if (covered.length > 0) notices.push(`mark-covered;pages="${pageRanges(covered)}"`);
  if (isBlank || isInvisible(mark)) notices.push("mark-invisible");
  if (outsidePages.length > 0) notices.push(`mark-outside;pages="${pageRanges(outsidePages)}"`);
  if (cutPages.length > 0) notices.push(`text-cut;pages="${pageRanges(cutPages)}"`);
  return { pages: document.pages.length, length, notices, chunks };
}

/**
 * Checks a mark without a PDF. For a text, checks whether the fonts have every character. For an image, checks whether
 * the file is intact.
 * @throws EngineError unsupported_character, unsupported_image, damaged_image or image_too_large
 */
export function checkMark(
  mark: TextMark | ImageMark,
  { maxPixels = Number.POSITIVE_INFINITY, date = new Date() }: Pick<WatermarkOptions, "maxPixels" | "date"> = {},
): void {
  if ("image" in mark) checkImage(plain(mark.image), { maxPixels });
  else checkText(mark, date);
}

/**
 * Puts a mark on every page. Returns the numbers of the pages on which the text is cut short, and of the pages that the
 * mark misses. Also returns whether an image has no visible pixel.
 */
async function applyMark(
  mark: TextMark | ImageMark,
  document: PdfDocument,
  {
    maxPixels = Number.POSITIVE_INFINITY,
    date = new Date(),
    filename,
    loadFont,
    onPlace,
  }: WatermarkOptions & { loadFont?: LoadFont },
): Promise<{ cutPages: readonly number[]; outsidePages: readonly number[]; isBlank: boolean }> {
  if ("image" in mark) {
    // PDF/A-1 is based on PDF 1.4, but 16-bit images require PDF 1.5.
    const limits = {
      ...{ maxPixels, maxBitDepth: document.pdfa?.part === 1 ? (8 as const) : undefined },
      hasHardMask: document.layer === "under",
    };
    const picture = await readImage(plain(mark.image), limits);
    const { outsidePages } = await markWithImage(document, picture, mark, onPlace);
    return { cutPages: [], outsidePages, isBlank: picture.isBlank };
  }
  if (!loadFont) throw new TypeError("`loadFont` is required for texts. Pass it in the options.");
  return { ...(await markWithText(document, mark, { loadFont, onPlace, date, filename })), isBlank: false };
}
