/**
 * `@overprint/engine`: puts a text or an image on every page of a PDF, in Node.js, browsers and Workers. It never changes
 * the bytes of the source, and needs no service and no network.
 */
import {
  checkMark as check,
  EngineError,
  type ImageMark,
  type LoadFont,
  watermark as plan,
  type RangeReader,
  type TextMark,
  type WatermarkOptions,
  type WatermarkPlan,
} from "../../src/engine/index.ts";
import { checkOptions, checkSource } from "./checkArguments.ts";
import { inflated } from "./platform/inflated.ts";

export {
  DEFAULTS,
  EngineError,
  type EngineErrorCode,
  FONT_STYLES,
  type FontStyle,
  IMAGE_POSITIONS,
  type ImageMark,
  type ImagePosition,
  LAYERS,
  type Layer,
  type LoadFont,
  type MarkOutline,
  type Notice,
  PlanOutdated,
  POSITIONS,
  type Position,
  type RangeReader,
  TEMPLATES,
  type TemplateName,
  type TextMark,
  type WatermarkOptions,
  type WatermarkPlan,
} from "../../src/engine/index.ts";

/** The plan of a marked PDF, and functions that write the PDF. */
export interface MarkedPdf extends WatermarkPlan {
  /** Returns the marked PDF as a stream of bytes. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Returns the marked PDF in memory. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

/** The fonts in this package, by their path in the project's `fonts/`. They cover Latin, Greek and Cyrillic letters. */
const FONTS: Readonly<Record<string, () => Promise<{ font: string }>>> = {
  "noto-sans-regular.ttf": () => import("#data/regular"),
  "noto-sans-bold.ttf": () => import("#data/bold"),
};

/**
 * Plans a watermark on every page of a PDF. The output is byte-identical for the same source, mark and options,
 * including `date` and `filename`.
 * @param source the file in memory, which must not change until the output is written, or a reader for ranges of the
 * file
 * @param mark a text, or the bytes of a PNG or JPEG image
 * @param options `loadFont` loads fonts for scripts other than Latin, Greek and Cyrillic: pass `loadFont` of
 * `@overprint/fonts`
 * @throws EngineError if the file, the image or the text cannot be marked
 * @throws TypeError if an argument is missing, unknown or out of range
 * @example
 * const marked = await watermark(pdf, { text: "DRAFT" });
 * await writeFile("marked.pdf", marked.stream());
 */
export async function watermark(
  source: Uint8Array | RangeReader,
  mark: TextMark | ImageMark,
  { loadFont = builtInFont, ...options }: WatermarkOptions & { loadFont?: LoadFont | undefined } = {},
): Promise<MarkedPdf> {
  checkSource(source);
  checkOptions(mark, { ...options, loadFont });
  const planned = await ("image" in mark ? plan(source, mark, options) : plan(source, mark, { ...options, loadFont }));
  return {
    ...planned,
    stream: () => streamOf(planned.chunks()),
    bytes: () => bytesOf(planned),
  };
}

/**
 * Checks a mark without a PDF. For a text, checks whether the fonts have every character. For an image, checks whether
 * the file is intact.
 * @throws EngineError unsupported_character, unsupported_image, damaged_image or image_too_large
 * @throws TypeError if an option is missing, unknown or out of range
 */
export function checkMark(
  mark: TextMark | ImageMark,
  options: Pick<WatermarkOptions, "maxPixels" | "date"> = {},
): void {
  checkOptions(mark, options);
  check(mark, options);
}

async function builtInFont(path: string): Promise<Uint8Array> {
  if (!Object.hasOwn(FONTS, path))
    throw new EngineError(
      "unsupported_character",
      `The text needs the font ${path}. Install @overprint/fonts, and pass its \`loadFont\` in the options.`,
    );
  const { font } = await FONTS[path]!();
  return inflated(font);
}

function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value)); // a copy, because a chunk is valid only until the next one
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

async function bytesOf({ length, chunks }: WatermarkPlan): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for await (const chunk of chunks()) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
