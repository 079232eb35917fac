import { expect } from "vitest";
import { readImage } from "../../../src/engine/images/readImage.ts";
import type { EngineError } from "../../../src/engine/index.ts";
import type { PngSpec } from "./encodePng.ts";
import { BACKGROUND, type Rgb } from "./render.ts";

export const LIMITS = { maxPixels: 40_000_000 };

/** Red, green, blue and alpha, from 0 to 1. */
export type Rgba = readonly [number, number, number, number];

/** Returns a reproducible pseudorandom sample of `bits` bits. The samples of neighboring pixels are unrelated. */
export function noise(x: number, y: number, channel: number, bits: number): number {
  let value = Math.imul(x + 1, 0x9e3779b1) ^ Math.imul(y + 1, 0x85ebca6b) ^ Math.imul(channel + 1, 0xc2b2ae35);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (value ^ (value >>> 13)) & (2 ** bits - 1);
}

/** Returns the color of a pixel of a PNG without tRNS. */
export function colorOf({ colorType, bitDepth, palette }: PngSpec, samples: number[]): Rgba {
  // PDFium reduces 16-bit samples to 8 bits by rounding down.
  const shares = samples.map((sample) =>
    bitDepth === 16 ? Math.floor(sample / 257) / 255 : sample / (2 ** bitDepth - 1),
  );
  const [a, b, c, d] = shares as [number, number, number, number];
  switch (colorType) {
    case 0:
      return [a, a, a, 1];
    case 2:
      return [a, b, c, 1];
    case 3:
      return [...(palette![samples[0]!]!.map((value) => value / 255) as [number, number, number]), 1];
    case 4:
      return [a, a, a, b];
    case 6:
      return [a, b, c, d];
  }
}

/**
 * Returns the expected pixels of a PNG that is drawn over the background color. `paint` converts samples to a color.
 */
export function pixelsOf(spec: PngSpec, paint = (samples: number[]) => colorOf(spec, samples)): Rgb[] {
  const pixels: Rgb[] = [];
  for (let y = 0; y < spec.height; y++)
    for (let x = 0; x < spec.width; x++) pixels.push(overBackground(paint(spec.samples(x, y))));
  return pixels;
}

/**
 * Expects each channel of each pixel to differ by at most `tolerance` of 255 levels. Reports the first pixel that
 * differs by more.
 */
export function expectPixels(actual: Rgb[], expected: Rgb[], tolerance = 1): void {
  expect(actual).toHaveLength(expected.length);
  const isOff = (pixel: Rgb, i: number) => pixel.some((value, c) => Math.abs(value - expected[i]![c]!) > tolerance);
  const at = actual.findIndex(isOff);
  if (at >= 0)
    expect({ at, count: actual.filter(isOff).length, pixel: actual[at] }).toEqual({
      at,
      count: 0,
      pixel: expected[at],
    });
}

/** Returns the code and the message of the error that rejects an image. */
export async function rejection(
  bytes: Uint8Array,
  limits = LIMITS,
): Promise<{ code: string; detail: string } | "accepted"> {
  return readImage(bytes, limits).then(
    () => "accepted" as const,
    ({ code, message }: EngineError) => ({ code, detail: message }),
  );
}

function overBackground([r, g, b, alpha]: Rgba): Rgb {
  return [r, g, b].map((value, i) => Math.round(value * 255 * alpha + BACKGROUND[i]! * (1 - alpha))) as unknown as Rgb;
}
