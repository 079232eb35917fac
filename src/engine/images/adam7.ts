import { EngineError } from "../errors.ts";
import { pause } from "../platform/pause.ts";
import { bitsPerPixel, INDEXED, type Png, scanlineLength } from "./pngChunks.ts";
import { FILTER, LINES_AT_ONCE, scanlines, Unfilter } from "./scanlines.ts";

/** A pass of Adam7 interlacing: its first column and row, and its steps (PNG, 8.2). */
interface Pass {
  x: number;
  y: number;
  stepX: number;
  stepY: number;
}

const PASSES: readonly Pass[] = [
  { x: 0, y: 0, stepX: 8, stepY: 8 },
  { x: 4, y: 0, stepX: 8, stepY: 8 },
  { x: 0, y: 4, stepX: 4, stepY: 8 },
  { x: 2, y: 0, stepX: 4, stepY: 4 },
  { x: 0, y: 2, stepX: 2, stepY: 4 },
  { x: 1, y: 0, stepX: 2, stepY: 2 },
  { x: 0, y: 1, stepX: 1, stepY: 2 },
];

/** Maximum size of the scanlines in bytes. Only deinterlacing needs all pixels in memory at the same time. */
const MAX_BYTES = 50_000_000;

/**
 * Yields the scanlines of an interlaced PNG from top to bottom. PDF does not support Adam7 interlacing. Scanlines start
 * with their filter type. The filter is Sub, which compresses better, if samples have at least 8 bits and no palette.
 * @throws EngineError image_too_large if the scanlines exceed `MAX_BYTES`, or damaged_image
 */
export async function* deinterlaced({ header, data }: Png): AsyncGenerator<Uint8Array> {
  const { width, height, bitDepth, colorType } = header;
  const lineLength = scanlineLength(header, width);
  if (lineLength * height > MAX_BYTES)
    throw new EngineError(
      "image_too_large",
      `An interlaced PNG of ${width} x ${height} pixels is too large. Save it without interlacing.`,
    );

  const image = new Uint8Array(lineLength * height);
  const bits = bitsPerPixel(header);
  const sources = PASSES.flatMap((pass) => linesOf(pass, width, height));
  const lengths = sources.map(({ pixels }) => scanlineLength(header, pixels));
  let unfilter = new Unfilter(0, 1);
  let source = 0;

  for await (const line of scanlines(data, lengths)) {
    const { pass, y, pixels } = sources[source++]!;
    if (y === pass.y) unfilter = new Unfilter(bits, line.length);
    spread(unfilter.next(line), pixels, bits, image.subarray(y * lineLength + 1, (y + 1) * lineLength), pass);
  }

  const isFiltered = bitDepth >= 8 && colorType !== INDEXED;
  for (let y = 0; y < height; y++) {
    const line = image.subarray(y * lineLength, (y + 1) * lineLength);
    if (isFiltered) filterBySub(line, bits / 8);
    yield line;
    if ((y + 1) % LINES_AT_ONCE === 0) await pause();
  }
}

/** Returns the rows of a pass, each with its row number in the image and its number of pixels. */
function linesOf(pass: Pass, width: number, height: number): { pass: Pass; y: number; pixels: number }[] {
  const pixels = Math.ceil((width - pass.x) / pass.stepX);
  const count = pixels > 0 ? Math.max(0, Math.ceil((height - pass.y) / pass.stepY)) : 0;
  return Array.from({ length: count }, (_, i) => ({ pass, y: pass.y + i * pass.stepY, pixels }));
}

/** Copies the pixels of a row of a pass to their columns in the image row. */
function spread(pixels: Uint8Array, count: number, bits: number, row: Uint8Array, { x, stepX }: Pass): void {
  if (bits >= 8) {
    const bytes = bits / 8;
    for (let i = 0, from = 0, to = x * bytes; i < count; i++, to += (stepX - 1) * bytes)
      for (let b = 0; b < bytes; b++) row[to++] = pixels[from++]!;
    return;
  }

  const mask = (1 << bits) - 1;
  for (let i = 0; i < count; i++) {
    const [from, to] = [i * bits, (x + i * stepX) * bits];
    const value = (pixels[from >> 3]! >> (8 - bits - (from & 7))) & mask;
    row[to >> 3]! |= value << (8 - bits - (to & 7));
  }
}

function filterBySub(line: Uint8Array, pixelBytes: number): void {
  line[0] = FILTER.SUB;
  for (let i = line.length - 1; i > pixelBytes; i--) line[i]! -= line[i - pixelBytes]!;
}
