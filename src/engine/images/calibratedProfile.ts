import { curveTag, D50, displayProfile, sampledCurveTag, xyzTag } from "./iccWriter.ts";

/** The integer for 1.0 in gAMA and cHRM chunks, whose unit is 1/100000. */
const UNIT = 100_000;

/**
 * Gamma of sRGB in a gAMA chunk, and the relative tolerance within which a gamma counts as that of sRGB (as in libpng).
 */
const SRGB_GAMMA = 45_455;
const GAMMA_TOLERANCE = 0.05;

/** x and y of the white, red, green and blue of sRGB in a cHRM chunk, and the tolerance for each value. */
const SRGB_CHROMATICITIES: readonly number[] = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000];
const CHROMATICITY_TOLERANCE = 500;

/** Number of samples of the sRGB curve. The error of linear interpolation is less than a tenth of an 8-bit level. */
const SRGB_SAMPLES = 64;

type Vector3 = [number, number, number];
type Matrix3 = [Vector3, Vector3, Vector3];

/**
 * Bradford matrices from XYZ to cone responses and back, by rows (ICC.1:2010, annex E). Cone responses are scaled to
 * adapt colors to another white.
 */
const TO_CONES: Matrix3 = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];
const FROM_CONES: Matrix3 = [
  [0.9869929, -0.1470543, 0.1599627],
  [0.4323053, 0.5183603, 0.0492912],
  [-0.0085287, 0.0400428, 0.9684867],
];

/**
 * Returns an ICC profile for a gamma and, for RGB, chromaticities. The numbers are in the units of gAMA and cHRM
 * chunks. PDF's own CalGray and CalRGB need fewer bytes, but PDFium and Poppler treat them as device colors in images.
 * @returns undefined if the profile would equal sRGB, or if the numbers are implausible
 */
export function calibratedProfile(
  components: 1 | 3,
  {
    gamma = SRGB_GAMMA,
    chromaticities = SRGB_CHROMATICITIES,
  }: { gamma?: number | undefined; chromaticities?: readonly number[] | undefined },
): Uint8Array | undefined {
  const hasGammaOfSrgb = Math.abs(gamma / SRGB_GAMMA - 1) <= GAMMA_TOLERANCE;
  const hasColorsOfSrgb = chromaticities.every(
    (value, i) => Math.abs(value - SRGB_CHROMATICITIES[i]!) <= CHROMATICITY_TOLERANCE,
  );
  if (hasGammaOfSrgb && (hasColorsOfSrgb || components === 1)) return undefined;

  const exponent = UNIT / gamma;
  if (!(exponent > 0.01 && exponent < 100)) return undefined;
  return profileOf(components, "As the PNG says", curveTag(exponent), chromaticities);
}

/**
 * Returns an ICC profile of sRGB or, for one component, of the grays of sRGB. Colors with this profile look like device
 * colors, which readers show as sRGB.
 */
export function srgbProfile(components: 1 | 3): Uint8Array {
  const curve = Array.from({ length: SRGB_SAMPLES }, (_, i) => linear(i / (SRGB_SAMPLES - 1)));
  return profileOf(components, "sRGB", sampledCurveTag(curve), SRGB_CHROMATICITIES)!;
}

/** Converts an sRGB sample to linear light (IEC 61966-2-1). The sample and the result are from 0 to 1. */
function linear(sample: number): number {
  return sample <= 0.04045 ? sample / 12.92 : ((sample + 0.055) / 1.055) ** 2.4;
}

function profileOf(
  components: 1 | 3,
  description: string,
  curve: Uint8Array,
  chromaticities: readonly number[],
): Uint8Array | undefined {
  if (components === 1) return displayProfile("GRAY", description, { kTRC: curve });
  const colorants = adaptedColorants(chromaticities);
  if (!colorants.flat().every((value) => Math.abs(value) < 4)) return undefined;
  const [rXYZ, gXYZ, bXYZ] = colorants.map(xyzTag) as [Uint8Array, Uint8Array, Uint8Array];
  return displayProfile("RGB ", description, { rXYZ, gXYZ, bXYZ, rTRC: curve, gTRC: curve, bTRC: curve });
}

/**
 * Returns X, Y and Z of full red, green and blue, adapted to D50. The values are infinite or NaN if no mixture of these
 * colors is white.
 */
function adaptedColorants(chromaticities: readonly number[]): Vector3[] {
  const [white, ...primaries] = [0, 2, 4, 6].map((i) => toXyz(chromaticities[i]!, chromaticities[i + 1]!));
  const amounts = solve(primaries as Matrix3, white!);
  const whiteCones = multiply(TO_CONES, white!);
  const gains = multiply(TO_CONES, D50).map((cone, i) => cone / whiteCones[i]!);

  return primaries.map((primary, i) => {
    const cones = multiply(TO_CONES, primary.map((value) => value * amounts[i]!) as Vector3);
    return multiply(FROM_CONES, cones.map((cone, j) => cone * gains[j]!) as Vector3);
  });
}

/** Returns X, Y and Z of a chromaticity for Y = 1. */
function toXyz(x: number, y: number): Vector3 {
  return [x / y, 1, (UNIT - x - y) / y];
}

/** Returns one factor for each column, so that the multiplied columns add up to `sum` (Cramer's rule). */
function solve(columns: Matrix3, sum: Vector3): Vector3 {
  const whole = determinant(columns);
  return columns.map((_, i) => determinant(columns.with(i, sum) as Matrix3) / whole) as Vector3;
}

function determinant([a, b, c]: Matrix3): number {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

function multiply(rows: Matrix3, [x, y, z]: Vector3): Vector3 {
  return rows.map(([a, b, c]) => a * x + b * y + c * z) as Vector3;
}
