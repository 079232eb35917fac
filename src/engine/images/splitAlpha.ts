import { FILTER } from "./scanlines.ts";
import { type Content, Deflater } from "./zlibStreams.ts";

/** Compressed scanlines of an image's colours and, unless every pixel is opaque, of its alpha. */
interface ColorAndAlpha {
  color: Uint8Array;
  alpha: Uint8Array | undefined;
}

/**
 * Splits scanlines into colours and alpha without undoing their filters. A filter relates bytes of one channel at a
 * distance of one pixel (PNG, 9.2), so the bytes of some channels, extracted, are those channels filtered the same way.
 * @param pixel bytes of colour in a pixel and, after those, of alpha
 */
export async function splitAlpha(
  lines: AsyncIterable<Uint8Array>,
  width: number,
  pixel: { color: number; alpha: number },
  content: Content,
): Promise<ColorAndAlpha> {
  const [colorLength, alphaLength] = [1 + width * pixel.color, 1 + width * pixel.alpha];
  const color = new Deflater(content, colorLength);
  const alpha = new Deflater(content, alphaLength);
  let isOpaque = true;
  let isFirst = true;

  for await (const line of lines) {
    const alphaLine = await alpha.next(alphaLength);
    split(line, await color.next(colorLength), alphaLine, pixel);
    isOpaque &&= isOpaqueLine(alphaLine, pixel.alpha, isFirst);
    isFirst = false;
  }

  const [colorData, alphaData] = await Promise.all([color.finish(), alpha.finish()]);
  return { color: colorData, alpha: isOpaque ? undefined : alphaData };
}

function split(line: Uint8Array, color: Uint8Array, alpha: Uint8Array, pixel: { color: number; alpha: number }): void {
  color[0] = alpha[0] = line[0]!;
  for (let from = 1, c = 1, a = 1; from < line.length; ) {
    for (const end = c + pixel.color; c < end; ) color[c++] = line[from++]!;
    for (const end = a + pixel.alpha; a < end; ) alpha[a++] = line[from++]!;
  }
}

/** Returns whether a filtered scanline is 255 throughout, given that all those above it are (PNG, 9.2). */
function isOpaqueLine(line: Uint8Array, pixelBytes: number, isFirst: boolean): boolean {
  const [leftmost, others] = opaqueBytes(line[0]!, isFirst);
  return line.every((byte, i) => i === 0 || byte === (i <= pixelBytes ? leftmost : others));
}

/** Returns what a filter turns 255 into: in the leftmost pixel, with nothing to its left, and in the others. */
function opaqueBytes(filter: number, isFirst: boolean): [leftmost: number, others: number] {
  switch (filter) {
    case FILTER.NONE:
      return [255, 255];
    case FILTER.SUB:
      return [255, 0];
    case FILTER.UP:
      return isFirst ? [255, 255] : [0, 0];
    case FILTER.AVERAGE:
      return isFirst ? [255, 128] : [128, 0];
    default:
      return isFirst ? [255, 0] : [0, 0];
  }
}
