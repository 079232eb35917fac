import { adobe, encodeJpeg, exif, type JpegSpec, toYcc } from "../../test/engine/images/encodeJpeg.ts";
import { encodePng, KINDS, type Kind, type PngSpec, uint16, uint32 } from "../../test/engine/images/encodePng.ts";
import vectors from "../../test/engine/images/jpegVectors.json" with { type: "json" };

const [WIDTH, HEIGHT] = [96, 72];
type Rgb = readonly [number, number, number];
/** Width and height of a JPEG block in pixels. */
const BLOCK = 8;

/** tRNS data that makes white transparent, or the colors of a palette increasingly transparent. */
const TRANSPARENCY: [Kind, Uint8Array][] = [
  [{ colorType: 0, bitDepth: 8 }, uint16(255)],
  [{ colorType: 0, bitDepth: 16 }, uint16(65_535)],
  [{ colorType: 2, bitDepth: 8 }, uint16(255, 255, 255)],
  [{ colorType: 2, bitDepth: 16 }, uint16(65_535, 65_535, 65_535)],
  [{ colorType: 3, bitDepth: 4 }, Uint8Array.from({ length: 16 }, (_, i) => (i === 15 ? 0 : 255 - i * 8))],
];

/**
 * One motif as an image of each accepted kind: a gradient from red to blue, white in the lower right, and a black L in
 * the upper left. Images with alpha fade towards the bottom.
 */
export const IMAGE_SAMPLES: Record<string, Uint8Array> = Object.fromEntries([
  ...KINDS.flatMap((kind) =>
    [false, true].map((interlaced) => [`PNG ${nameOf(kind)}${interlaced ? ", Adam7" : ""}`, png(kind, { interlaced })]),
  ),
  ...TRANSPARENCY.map(([kind, data]) => [`PNG ${nameOf(kind)}, tRNS`, png(kind, { chunks: [{ type: "tRNS", data }] })]),
  ["PNG gamma 1.0", png({ colorType: 2, bitDepth: 8 }, { chunks: [{ type: "gAMA", data: uint32(100_000) }] })],
  ["JPEG gray", jpeg({ color: (x, y) => [luma(motif(x, y))] })],
  ["JPEG YCbCr", jpeg({ color: (x, y) => toYcc(motif(x, y)) })],
  ["JPEG RGB", jpeg({ color: (x, y) => motif(x, y), componentIds: [82, 71, 66] })],
  ["JPEG CMYK without Adobe marker", jpeg({ color: (x, y) => toInks(motif(x, y)) })],
  [
    "JPEG CMYK with Adobe marker",
    jpeg({ color: (x, y) => toInks(motif(x, y)).map((ink) => 255 - ink), segments: [adobe(0)] }),
  ],
  ["JPEG YCCK", jpeg({ color: (x, y) => [...toYcc(inverted(motif(x, y))), 255], segments: [adobe(2)] })],
  ["JPEG with fill bytes", jpeg({ color: (x, y) => toYcc(motif(x, y)), fill: [0xff, 0xff] })],
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => [
    `JPEG EXIF orientation ${orientation}`,
    jpeg({ color: (x, y) => toYcc(motif(x, y)), segments: [exif(orientation)] }),
  ]),
  ...vectors.map(({ encoder, jpeg: base64 }) => [`JPEG ${encoder}`, new Uint8Array(Buffer.from(base64, "base64"))]),
]);

function nameOf({ colorType, bitDepth }: Kind): string {
  return `color type ${colorType}, ${bitDepth} bits`;
}

/** Returns red, green and blue (0 to 255) of a pixel. */
function motif(x: number, y: number): Rgb {
  const isL = (x >= 8 && x < 16 && y >= 8 && y < 48) || (y >= 40 && y < 48 && x >= 8 && x < 32);
  if (isL) return [0, 0, 0];
  if (x >= 64 && y >= 48) return [255, 255, 255];
  const share = x / WIDTH;
  return [Math.round(255 * (1 - share)), Math.round((120 * y) / HEIGHT), Math.round(255 * share)];
}

function luma(rgb: Rgb): number {
  return toYcc(rgb)[0]!;
}

function png(kind: Kind, more: Partial<PngSpec>): Uint8Array {
  const { colorType, bitDepth } = kind;
  const top = 2 ** bitDepth - 1;
  const scaled = (value: number) => Math.round((value / 255) * top);
  const alpha = (y: number) => scaled(255 * (1 - y / HEIGHT));
  const samples = (x: number, y: number): number[] => {
    const rgb = motif(x, y);
    switch (colorType) {
      case 0:
        return [scaled(luma(rgb))];
      case 2:
        return rgb.map(scaled);
      case 3:
        return [Math.round((luma(rgb) / 255) * top)];
      case 4:
        return [scaled(luma(rgb)), alpha(y)];
      case 6:
        return [...rgb.map(scaled), alpha(y)];
    }
  };
  const palette = Array.from({ length: top + 1 }, (_, i) => {
    const share = i / top;
    return [Math.round(255 * share), Math.round(200 * share), Math.round(255 * (1 - share))];
  });
  return encodePng({ width: WIDTH, height: HEIGHT, ...kind, samples, ...(colorType === 3 && { palette }), ...more });
}

function jpeg({ color, ...more }: Pick<JpegSpec, "color"> & Partial<JpegSpec>): Uint8Array {
  return encodeJpeg({
    width: WIDTH / BLOCK,
    height: HEIGHT / BLOCK,
    color: (x, y) => color(x * BLOCK, y * BLOCK),
    ...more,
  });
}

function inverted([r, g, b]: Rgb): Rgb {
  return [255 - r, 255 - g, 255 - b];
}

/** Converts RGB to cyan, magenta, yellow and black. Black is always 0. */
function toInks(rgb: Rgb): number[] {
  return [...inverted(rgb), 0];
}
