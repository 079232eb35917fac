/** Estimates how the colors of page content look in RGB. */

/** The red, green and blue components of a color, each from 0 to 1. */
export type Color = readonly [number, number, number];

export const BLACK: Color = [0, 0, 0];
export const WHITE: Color = [1, 1, 1];

/**
 * Returns the color of one gray value, three RGB values or four CMYK values (ISO 32000-2, 10.4.2). Returns undefined
 * for another number of values.
 */
export function colorOf(values: ArrayLike<number>): Color | undefined {
  const share = (i: number) => Math.max(0, Math.min(1, values[i]!));
  if (values.length === 1) return [share(0), share(0), share(0)];
  if (values.length === 3) return [share(0), share(1), share(2)];
  if (values.length !== 4) return undefined;
  const light = 1 - share(3);
  return [(1 - share(0)) * light, (1 - share(1)) * light, (1 - share(2)) * light];
}

/** Returns the relative luminance of a color (WCAG 2.2), from 0 to 1. */
export function luminanceOf([red, green, blue]: Color): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(share: number): number {
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
