/**
 * Overprint's engine: lays a text or an image over every page of a PDF, at about the cost of copying the file. It runs
 * in Node, in workerd and in browsers, and needs no file outside this folder but fonts. This is its only public entry.
 */

import { plain } from "./bytes.ts";
import type { LoadFont } from "./fonts/library.ts";
import { checkImage, readImage } from "./images/readImage.ts";
import { markWithImage } from "./marks/imageMark.ts";
import { checkText, markWithText } from "./marks/textMark.ts";
import type { ImageMark, TextMark } from "./options.ts";
import { openPdf, type PdfDocument } from "./pdf/document/document.ts";
import { type PdfaNotice, pdfaNotices } from "./pdf/document/pdfa.ts";
import { planOutput } from "./pdf/output/outputPlan.ts";
import { MemorySource, type RangeReader, RangeSource } from "./pdf/source/byteSource.ts";

export { EngineError, type EngineErrorCode } from "./errors.ts";
export type { LoadFont } from "./fonts/library.ts";
export { SCRIPTS } from "./fonts/scripts.ts";
export { MAX_SIDE } from "./images/checkSize.ts";
export { detectFormat, IMAGE_FORMATS } from "./images/detectFormat.ts";
export { PLACEHOLDERS, unknownPlaceholder } from "./marks/placeholders.ts";
export { IMAGE_POSITIONS, type ImagePosition, POSITIONS, type Position } from "./marks/positions.ts";
export { TEMPLATES, type TemplateName } from "./marks/templates.ts";
export { isVisible, loadFonts } from "./marks/textMark.ts";
export { DEFAULTS, type ImageMark, type TextMark } from "./options.ts";
export { PlanOutdated } from "./pdf/output/eraser.ts";
export type { RangeReader } from "./pdf/source/byteSource.ts";
export { WORK_LIMITS } from "./pdf/source/meter.ts";

/** Options of {@link watermark}. */
export interface WatermarkOptions {
  /** User or owner password of an encrypted PDF; the empty password is always tried. */
  password?: string | undefined;
  /** A PDF with more pages is rejected. */
  maxPages?: number | undefined;
  /** An image with more pixels is rejected. */
  maxPixels?: number | undefined;
  /** Date that replaces `{date}` in a text, in UTC. Defaults to now. */
  date?: Date | undefined;
  /**
   * Reads the whole source before planning; otherwise parts of it are only checked while they are copied. Set it for a
   * source that is not in memory, to plan again after {@link PlanOutdated}.
   */
  thorough?: boolean | undefined;
}

/** Something that the recipient of the output has to be told. */
export type Notice = "signatures-invalidated" | "attachments-not-marked" | PdfaNotice;

/** The plan of a marked PDF: every byte of the output is determined, none is written yet. */
export interface WatermarkPlan {
  readonly pages: number;
  /** Length of the output in bytes. */
  readonly length: number;
  readonly notices: readonly Notice[];
  /**
   * Returns the output in order; each chunk is valid until the next is requested.
   * @throws PlanOutdated if a source that is not in memory contradicts what the plan assumed; plan again with
   * `thorough`
   */
  chunks(): AsyncIterable<Uint8Array>;
}

/**
 * Plans to lay a mark over every page of a PDF. The output is byte-identical for the same source, mark and options,
 * `date` included.
 * @param source the file in memory, which must not change until the output is written, or a reader for ranges of it
 * @param options `loadFont` loads the fonts for texts, which are files of this project's `fonts/`
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
  await lay(mark, document, options);

  const { length, chunks } = await planOutput(document);
  const notices: Notice[] = [];
  if (document.signed) notices.push("signatures-invalidated");
  if (document.isPortfolio) notices.push("attachments-not-marked");
  notices.push(...pdfaNotices(document));
  return { pages: document.pages.length, length, notices, chunks };
}

/**
 * Checks what can be told of a mark before its PDF is there: that a font has each character, that the image is whole.
 * @throws EngineError unsupported_character, unsupported_image, damaged_image or image_too_large
 */
export function checkMark(
  mark: TextMark | ImageMark,
  { maxPixels = Number.POSITIVE_INFINITY, date = new Date() }: Pick<WatermarkOptions, "maxPixels" | "date"> = {},
): void {
  if ("image" in mark) checkImage(plain(mark.image), { maxPixels });
  else checkText(mark, date);
}

async function lay(
  mark: TextMark | ImageMark,
  document: PdfDocument,
  { maxPixels = Number.POSITIVE_INFINITY, date = new Date(), loadFont }: WatermarkOptions & { loadFont?: LoadFont },
): Promise<void> {
  if ("image" in mark) {
    // 16 bits came with PDF 1.5
    const limits = { maxPixels, maxBitDepth: document.pdfa?.part === 1 ? (8 as const) : undefined };
    return markWithImage(document, await readImage(plain(mark.image), limits), mark);
  }
  if (!loadFont) throw new TypeError("`loadFont` is needed for texts");
  return markWithText(document, mark, { loadFont, date });
}
