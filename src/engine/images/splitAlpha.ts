import type { Color } from "../pdf/content/color.ts";
import { ColorBleed, type ColorLayout } from "./colorBleed.ts";
import { type Colors, ColorWriter } from "./colorWriter.ts";
import { MeanColor } from "./meanColor.ts";
import { bitsPerPixel, GRAY_ALPHA, INDEXED, type PngHeader, RGB, RGB_ALPHA, scanlineLength } from "./pngChunks.ts";
import { type Transparency, unpack } from "./pngTransparency.ts";
import { Unfilter } from "./scanlines.ts";
import { type Content, Deflater } from "./zlibStreams.ts";

/** Maximum number of rows from which the mean color is estimated. */
const MEAN_ROWS = 64;

/** Compressed scanlines of an image's alpha. */
export interface SoftMask {
  data: Uint8Array;
  bits: 1 | 8 | 16;
  /** Whether no pixel is visible. */
  isBlank: boolean;
  /** Mean color of the visible pixels, estimated from some of them. */
  color: Color | undefined;
}

/** Compressed scanlines of an image's colors and of its alpha. */
interface ColorsAndMask {
  colors: Colors;
  /** Compressed alpha; undefined if every pixel is opaque. */
  softMask: SoftMask | undefined;
}

/** Returns the layout of a PNG's colors without alpha. Each sample occupies whole bytes. */
export function layoutOf({ width, bitDepth, colorType }: PngHeader): ColorLayout {
  const components = colorType === RGB || colorType === RGB_ALPHA ? 3 : 1;
  return { width, components, sampleBytes: bitDepth === 16 ? 2 : 1 };
}

/**
 * Splits scanlines into colors and alpha. Invisible pixels receive the colors of their neighbors. A scanline without
 * invisible pixels keeps its filter if possible.
 */
export async function splitAlpha(
  lines: AsyncIterable<Uint8Array>,
  header: PngHeader,
  { bits, readAlpha, drawMask }: Transparency,
  { content, mayBeGray, palette }: { content: Content; mayBeGray: boolean; palette: Uint8Array },
): Promise<ColorsAndMask> {
  const { width, height, bitDepth, colorType } = header;
  const unfilter = new Unfilter(bitsPerPixel(header), scanlineLength(header, width));
  const layout = layoutOf(header);
  const colors = new ColorWriter(layout, content, mayBeGray);
  const copyColors = colorsOf(header);
  const bleed = new ColorBleed(layout, copyColors, (line) => colors.add(line));
  const mean = new MeanColor(layout, colorType === INDEXED ? palette : undefined);
  const samples = new Uint8Array(width * layout.components * layout.sampleBytes);
  const rowStep = Math.ceil(height / MEAN_ROWS);
  let row = 0;
  const alpha = new Uint8Array(width);
  const maskLength = 1 + Math.ceil((width * bits) / 8);
  const mask = new Deflater(bits === 1 ? "drawing" : content, maskLength);
  let isOpaque = true;
  let isBlank = true;
  const leastVisible = bits === 1 ? 128 : 1;

  for await (const line of lines) {
    const pixels = unfilter.next(line);
    readAlpha(pixels, alpha);
    drawMask(line, alpha, await mask.next(maskLength));
    isOpaque &&= alpha.every((value) => value === 255);
    isBlank &&= alpha.every((value) => value < leastVisible);
    if (row++ % rowStep === 0) {
      copyColors(pixels, samples);
      mean.add(samples, alpha);
    }
    const isVisible = bitDepth >= 8 && !alpha.includes(0);
    await (isVisible ? bleed.addVisible(line, pixels) : bleed.add(pixels, alpha));
  }

  await bleed.finish();
  const [data, maskData] = await Promise.all([colors.finish(), mask.finish()]);
  return { colors: data, softMask: isOpaque ? undefined : { data: maskData, bits, isBlank, color: mean.color } };
}

/** Returns a function that copies the colors of a row's pixels without their alpha. */
function colorsOf({ colorType, bitDepth }: PngHeader): (bytes: Uint8Array, samples: Uint8Array) => void {
  switch (colorType) {
    case RGB_ALPHA:
      return bitDepth === 8 ? takeRgb : (bytes, samples) => takeFirst(6, bytes, 8, samples);
    case GRAY_ALPHA:
      return bitDepth === 8 ? takeGray : (bytes, samples) => takeFirst(2, bytes, 4, samples);
  }
  if (bitDepth >= 8) return (bytes, samples) => samples.set(bytes);
  const scale = colorType === INDEXED ? 1 : 255 / (2 ** bitDepth - 1);
  return (bytes, samples) => {
    unpack(bytes, bitDepth, samples);
    if (scale > 1) for (let x = 0; x < samples.length; x++) samples[x]! *= scale;
  };
}

function takeRgb(bytes: Uint8Array, samples: Uint8Array): void {
  for (let from = 0, to = 0; to < samples.length; from += 4, to += 3) {
    samples[to] = bytes[from]!;
    samples[to + 1] = bytes[from + 1]!;
    samples[to + 2] = bytes[from + 2]!;
  }
}

function takeGray(bytes: Uint8Array, samples: Uint8Array): void {
  for (let x = 0; x < samples.length; x++) samples[x] = bytes[2 * x]!;
}

/** Copies the first `count` bytes of each group of `length` bytes. */
function takeFirst(count: number, bytes: Uint8Array, length: number, samples: Uint8Array): void {
  for (let from = 0, to = 0; to < samples.length; from += length, to += count)
    for (let i = 0; i < count; i++) samples[to + i] = bytes[from + i]!;
}
