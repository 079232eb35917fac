import { inflateSync } from "node:zlib";
import type { ObjectSink } from "../../pdf/objects.ts";
import { deviceSpace, isUsableProfile } from "./icc.ts";
import { GRAY, GRAY_ALPHA, INDEXED, type Png } from "./pngChunks.ts";

/** A profile of three components is rarely over 1 MB; more than this is not read. */
const MAX_PROFILE_BYTES = 4_000_000;

/** PNG's numbers for gamma and chromaticities are in units of 1/100000. */
const UNIT = 100_000;

/** The gamma of sRGB as an image states it, and how far off it may be to be taken for that (libpng's threshold, too). */
const SRGB_GAMMA = 45_455;
const GAMMA_TOLERANCE = 0.05;

/** White, red, green and blue of sRGB, x and y each, as a cHRM chunk has them, and what counts as the same. */
const SRGB_CHROMATICITIES: readonly number[] = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000];
const CHROMATICITY_TOLERANCE = 500;

/**
 * Writes what the colour space of a PNG needs and returns it (ISO 32000-2, 8.6). In this order: an ICC profile that fits
 * (iCCP), sRGB, gamma and chromaticities (gAMA, cHRM) as a CIE-based space unless they amount to sRGB. sRGB itself is
 * written as device colour, which is how viewers show that. Not honoured: cICP, a decoder that does not know it goes by
 * the others (PNG, 4.3); sBIT, bKGD, and pHYs, as browsers do.
 */
export function pngColorSpace(png: Png, sink: ObjectSink): string {
  const { colorType } = png.header;
  const base = samplesSpace(png, colorType === GRAY || colorType === GRAY_ALPHA ? 1 : 3, sink);
  if (colorType !== INDEXED) return base;
  return `[/Indexed ${base} ${png.palette.length / 3 - 1} ${sink.add({ dict: "", data: png.palette })}]`;
}

function samplesSpace({ ancillary }: Png, components: 1 | 3, sink: ObjectSink): string {
  const device = deviceSpace(components);
  const profile = compressedProfile(ancillary.get("iCCP"), components);
  if (profile) {
    const dict = `/N ${components} /Alternate ${device} /Filter /FlateDecode`;
    return `[/ICCBased ${sink.add({ dict, data: profile })}]`;
  }
  if (ancillary.has("sRGB")) return device;

  const [gamma] = uint32s(ancillary.get("gAMA"), 1) ?? [];
  const chromaticities = uint32s(ancillary.get("cHRM"), 8);
  return calibratedSpace(gamma || SRGB_GAMMA, chromaticities ?? SRGB_CHROMATICITIES, components) ?? device;
}

/** The zlib stream in an iCCP chunk (PNG, 11.3.2.3) if it holds a profile for such an image. */
function compressedProfile(chunk: Uint8Array | undefined, components: number): Uint8Array | undefined {
  if (!chunk) return undefined;
  // After the name come its terminator and the compression method.
  const compressed = chunk.subarray(chunk.indexOf(0) + 2);
  try {
    const profile = inflateSync(compressed, { maxOutputLength: MAX_PROFILE_BYTES });
    return isUsableProfile(profile, components) ? compressed : undefined;
  } catch {
    return undefined;
  }
}

/** CalGray or CalRGB (ISO 32000-2, 8.6.5.2 and 8.6.5.3); undefined for what is sRGB, or makes no sense. */
function calibratedSpace(gamma: number, chromaticities: readonly number[], components: 1 | 3): string | undefined {
  const hasGammaOfSrgb = Math.abs(gamma / SRGB_GAMMA - 1) <= GAMMA_TOLERANCE;
  const hasColorsOfSrgb = chromaticities.every(
    (value, i) => Math.abs(value - SRGB_CHROMATICITIES[i]!) <= CHROMATICITY_TOLERANCE,
  );
  if (hasGammaOfSrgb && (hasColorsOfSrgb || components === 1)) return undefined;

  const [white, ...primaries] = [0, 2, 4, 6].map((i) => toXyz(chromaticities[i]!, chromaticities[i + 1]!));
  const amounts = solve(primaries as Matrix3, white!);
  if (![...white!, ...amounts].every((value) => value > 0 && value < Infinity)) return undefined;

  const exponent = decimal(UNIT / gamma);
  const whitePoint = `/WhitePoint [${white!.map(decimal).join(" ")}]`;
  if (components === 1) return `[/CalGray << ${whitePoint} /Gamma ${exponent} >>]`;
  const matrix = primaries.flatMap((primary, i) => primary.map((value) => decimal(value * amounts[i]!)));
  return `[/CalRGB << ${whitePoint} /Gamma [${exponent} ${exponent} ${exponent}] /Matrix [${matrix.join(" ")}] >>]`;
}

type Vector3 = [number, number, number];
type Matrix3 = [Vector3, Vector3, Vector3];

/** The colour of this chromaticity whose Y is 1. */
function toXyz(x: number, y: number): Vector3 {
  return [x / y, 1, (UNIT - x - y) / y];
}

/** How much of each column adds up to `sum` (Cramer's rule); not finite if nothing does. */
function solve(columns: Matrix3, sum: Vector3): number[] {
  const whole = determinant(columns);
  return columns.map((_, i) => determinant(columns.with(i, sum) as Matrix3) / whole);
}

function determinant([a, b, c]: Matrix3): number {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

function decimal(value: number): string {
  return String(Number(value.toFixed(6)));
}

function uint32s(chunk: Uint8Array | undefined, count: number): number[] | undefined {
  if (chunk?.length !== count * 4) return undefined;
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Array.from({ length: count }, (_, i) => view.getUint32(i * 4));
}
