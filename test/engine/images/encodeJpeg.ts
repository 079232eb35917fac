import { encode } from "../../support/bytes.ts";
import { concat, uint16, uint32 } from "./encodePng.ts";

/** Describes an image to encode: blocks of 8 x 8 pixels, each of one color. */
export interface JpegSpec {
  /** Width of the image in blocks of 8 pixels. */
  width: number;
  height: number;
  /** Returns the color of a block in the stored components, such as YCbCr. */
  color(x: number, y: number): readonly number[];
  componentIds?: number[];
  /** Marker segments between SOI and the tables. */
  segments?: Uint8Array[];
  /** Fill bytes before each marker except SOI. */
  fill?: number[];
  /** Second byte of the frame header's marker, for example 0xC0 for a baseline JPEG. */
  frameMarker?: number;
  precision?: number;
  tablesAfterFrame?: boolean;
}

/**
 * Quantization step that makes the quantized DC coefficient of a one-color block equal to the color minus 128 (ITU-T
 * T.81, A.3.3).
 */
const QUANTIZER = 8;

/**
 * Contents of the Huffman tables (DHT). The DC table has 4-bit codes for the difference categories 0 to 11. The AC
 * table has the single code 0, which ends a block.
 */
const DC_TABLE = Uint8Array.of(
  0x00,
  0,
  0,
  0,
  12,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  1,
  2,
  3,
  4,
  5,
  6,
  7,
  8,
  9,
  10,
  11,
);
const AC_TABLE = Uint8Array.of(0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00);

/**
 * Encodes a baseline JPEG. Implements only the parts of ITU-T T.81 that the tests need: every kind of segment, and
 * exact colors.
 */
export function encodeJpeg(spec: JpegSpec): Uint8Array {
  const { width, height, color, fill = [], frameMarker = 0xc0, precision = 8 } = spec;
  const ids = spec.componentIds ?? color(0, 0).map((_, i) => i + 1);
  const filled = (bytes: Uint8Array) => concat(Uint8Array.from(fill), bytes);

  const quantizers = new Uint8Array(65).fill(QUANTIZER, 1);
  const tables = [segment(0xdb, quantizers), segment(0xc4, DC_TABLE), segment(0xc4, AC_TABLE)];
  const components = ids.flatMap((id) => [id, 0x11, 0]);
  const frame = segment(
    frameMarker,
    concat(Uint8Array.of(precision), uint16(height * 8, width * 8), Uint8Array.of(ids.length, ...components)),
  );
  const scan = segment(0xda, Uint8Array.of(ids.length, ...ids.flatMap((id) => [id, 0x00]), 0, 63, 0));

  const headers = spec.tablesAfterFrame ? [frame, ...tables] : [...tables, frame];
  const segments = [...(spec.segments ?? []), ...headers, scan].map(filled);
  return concat(
    Uint8Array.of(0xff, 0xd8),
    ...segments,
    entropyCode(spec, ids.length),
    filled(Uint8Array.of(0xff, 0xd9)),
  );
}

/** Returns a marker segment. `marker` is the byte after 0xFF. */
export function segment(marker: number, data: Uint8Array): Uint8Array {
  return concat(Uint8Array.of(0xff, marker), uint16(data.length + 2), data);
}

export const JFIF = segment(0xe0, concat(encode("JFIF\0"), Uint8Array.of(1, 2, 0, 0, 1, 0, 1, 0, 0)));

/** Returns an Adobe segment (APP14). `transform` is 0 for unconverted colors, 1 for YCbCr, 2 for YCCK. */
export function adobe(transform: number): Uint8Array {
  return segment(0xee, concat(encode("Adobe"), uint16(100, 0, 0), Uint8Array.of(transform)));
}

/** Returns an APP1 segment with Exif tags, including an orientation, in the byte order `order`. */
export function exif(orientation: number, { order = "MM", type = 3 } = {}): Uint8Array {
  const tiff = concat(
    encode(order),
    uint16(42),
    uint32(8),
    uint16(2, 0x0100, 4),
    uint32(1, 24),
    uint16(0x0112, type),
    uint32(1),
    uint16(orientation, 0),
    uint32(0),
  );
  if (order === "II")
    for (const [at, size] of [
      [2, 2],
      [4, 4],
      [8, 2],
      [10, 2],
      [12, 2],
      [14, 4],
      [18, 4],
      [22, 2],
      [24, 2],
      [26, 4],
      [30, 2],
    ])
      tiff.subarray(at, at! + size!).reverse();
  return segment(0xe1, concat(encode("Exif\0\0"), tiff));
}

/** Converts RGB to YCbCr (JFIF 1.02). */
export function toYcc([r, g, b]: readonly [number, number, number]): number[] {
  const y = 0.299 * r + 0.587 * g + 0.114 * b;
  return [y, 128 + (b - y) / 1.772, 128 + (r - y) / 1.402].map((value) =>
    Math.max(0, Math.min(255, Math.round(value))),
  );
}

function entropyCode({ width, height, color }: JpegSpec, components: number): Uint8Array {
  let bits = "";
  const previous = new Array<number>(components).fill(0);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      color(x, y).forEach((value, c) => {
        const difference = value - 128 - previous[c]!;
        previous[c] = value - 128;
        bits += `${differenceBits(difference)}0`;
      });

  const bytes = (bits.padEnd(Math.ceil(bits.length / 8) * 8, "1").match(/.{8}/g) ?? []).map((byte) =>
    Number.parseInt(byte, 2),
  );
  return Uint8Array.from(bytes.flatMap((byte) => (byte === 0xff ? [0xff, 0x00] : [byte])));
}

/** Encodes the category and the value of a DC difference (ITU-T T.81, F.1.2.1). */
function differenceBits(difference: number): string {
  const category = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
  const value = difference < 0 ? difference + 2 ** category - 1 : difference;
  return category.toString(2).padStart(4, "0") + (category ? value.toString(2).padStart(category, "0") : "");
}
