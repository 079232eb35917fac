import { crc32, deflateSync } from "node:zlib";
import { encode } from "../../support/bytes.ts";

/** Describes an image to encode. Samples are raw values of `bitDepth` bits, or palette indices for color type 3. */
export interface PngSpec {
  width: number;
  height: number;
  colorType: 0 | 2 | 3 | 4 | 6;
  bitDepth: number;
  samples(x: number, y: number): number[];
  palette?: number[][];
  /** Chunks between PLTE and IDAT. */
  chunks?: { type: string; data: Uint8Array }[];
  /**
   * Returns the filter type of scanline `y`, counted within its pass if the image is interlaced. By default, all five
   * filter types alternate.
   */
  filter?(y: number): number;
  interlaced?: boolean;
  /** Maximum number of bytes of an IDAT chunk. */
  idatLength?: number;
  /** Changes the filtered scanlines before compression, in order to damage the image. */
  tamper?(scanlines: Uint8Array): Uint8Array;
  level?: number;
}

export type Kind = Pick<PngSpec, "colorType" | "bitDepth">;

/** All combinations of color type and bit depth (PNG, table 11.1). */
export const KINDS: Kind[] = [
  ...[1, 2, 4, 8, 16].map((bitDepth) => ({ colorType: 0 as const, bitDepth })),
  ...[1, 2, 4, 8].map((bitDepth) => ({ colorType: 3 as const, bitDepth })),
  ...([2, 4, 6] as const).flatMap((colorType) => [8, 16].map((bitDepth) => ({ colorType, bitDepth }))),
];

export const SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10);
export const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Encodes a PNG with any color type, filter and interlacing. */
export function encodePng(spec: PngSpec): Uint8Array {
  const passes = spec.interlaced ? ADAM7 : ([[0, 0, 1, 1]] as const);
  const scanlines = concat(...passes.flatMap(([x, y, stepX, stepY]) => encodePass(spec, x, y, stepX, stepY)));
  const compressed = new Uint8Array(
    deflateSync((spec.tamper ?? ((same) => same))(scanlines), { level: spec.level ?? 6 }),
  );

  const idats: Uint8Array[] = [];
  const step = spec.idatLength ?? compressed.length;
  for (let at = 0; at < compressed.length; at += step) idats.push(chunk("IDAT", compressed.subarray(at, at + step)));

  return concat(
    SIGNATURE,
    chunk("IHDR", header(spec)),
    ...(spec.palette ? [chunk("PLTE", Uint8Array.from(spec.palette.flat()))] : []),
    ...(spec.chunks ?? []).map(({ type, data }) => chunk(type, data)),
    ...idats,
    chunk("IEND", new Uint8Array()),
  );
}

/** Returns a chunk with its length and CRC (PNG, 5.3). */
export function chunk(type: string, data: Uint8Array): Uint8Array {
  const checked = concat(encode(type), data);
  return concat(uint32(data.length), checked, uint32(crc32(checked)));
}

/** Returns the data of an IHDR chunk (PNG, 11.2.1). */
export function header({ width, height, bitDepth, colorType, interlaced }: Omit<PngSpec, "samples">): Uint8Array {
  return concat(uint32(width), uint32(height), Uint8Array.of(bitDepth, colorType, 0, 0, interlaced ? 1 : 0));
}

/** Returns the bytes of big-endian 32-bit integers. */
export function uint32(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  for (const [i, value] of values.entries()) new DataView(bytes.buffer).setUint32(i * 4, value);
  return bytes;
}

/** Returns the bytes of big-endian 16-bit integers. */
export function uint16(...values: number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [value >> 8, value & 255]));
}

export function concat(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function encodePass(spec: PngSpec, x0: number, y0: number, stepX: number, stepY: number): Uint8Array[] {
  const { width, height, bitDepth, colorType, samples, filter = (y) => y % 5 } = spec;
  const count = Math.ceil((width - x0) / stepX);
  if (count <= 0) return [];

  const pixelBytes = Math.ceil((CHANNELS[colorType] * bitDepth) / 8);
  const lines: Uint8Array[] = [];
  let above: Uint8Array | undefined;
  for (let y = y0; y < height; y += stepY) {
    const row = pack(Array.from({ length: count }, (_, i) => samples(x0 + i * stepX, y)).flat(), bitDepth);
    lines.push(filterLine(row, above, pixelBytes, filter((y - y0) / stepY)));
    above = row;
  }
  return lines;
}

function pack(samples: number[], bitDepth: number): Uint8Array {
  if (bitDepth === 16) return uint16(...samples);
  const row = new Uint8Array(Math.ceil((samples.length * bitDepth) / 8));
  for (const [i, sample] of samples.entries())
    row[(i * bitDepth) >> 3]! |= sample << (8 - bitDepth - ((i * bitDepth) & 7));
  return row;
}

/** Returns the scanline of a row of pixels with a filter type (PNG, 9.2). */
export function filterLine(
  row: Uint8Array,
  above: Uint8Array | undefined,
  pixelBytes: number,
  filter: number,
): Uint8Array {
  const line = new Uint8Array(row.length + 1);
  line[0] = filter;
  for (let i = 0; i < row.length; i++) {
    const a = row[i - pixelBytes] ?? 0;
    const b = above?.[i] ?? 0;
    const c = above?.[i - pixelBytes] ?? 0;
    line[i + 1] = row[i]! - predicted(filter, a, b, c);
  }
  return line;
}

/**
 * Returns the value that a filter predicts for a byte from its left (a), upper (b) and upper left (c) neighbors (PNG,
 * 9.2).
 */
function predicted(filter: number, a: number, b: number, c: number): number {
  switch (filter) {
    case 1:
      return a;
    case 2:
      return b;
    case 3:
      return (a + b) >> 1;
    case 4: {
      const [toA, toB, toC] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
      if (toA <= toB && toA <= toC) return a;
      return toB <= toC ? b : c;
    }
    default:
      return 0;
  }
}
