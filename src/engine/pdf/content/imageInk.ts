/** Finds the parts of an image that differ from its background, such as the letters of a scanned page. */
import type { Bounds } from "./bounds.ts";
import { type Samples, sampleAt } from "./samples.ts";

/** Maximum number of columns, and of rows, of inspected pixels. */
const MAX_LINES = 512;
/** Number of columns, and of rows, of the grid into which the inspected pixels are divided. */
const CELLS = 64;
/** A sample counts as ink if it differs from the background's sample by at least this share of the range of samples. */
const MIN_DIFFERENCE = 0.19;
/** Minimum share of ink among the pixels of a reported cell. */
const MIN_INK = 0.01;

/**
 * Returns the bounds of the parts of an image that differ from its most frequent color. The bounds are in the unit
 * square of the image (ISO 32000-2, 8.9.4). Adjacent cells of a row form one rectangle. Inspects at most
 * {@link inspectedPixels} pixels.
 */
export function inkOfImage(image: Samples): Bounds[] {
  const { bits, isIndexed } = image;
  const minDifference = isIndexed ? 1 : Math.max(1, MIN_DIFFERENCE * ((1 << bits) - 1));
  const [lines, length] = sizeOf(image);
  const [rows, columns] = [Math.min(CELLS, lines), Math.min(CELLS, length)];
  const background = backgroundOf(image);
  const found: Bounds[] = [];
  for (let row = 0; row < rows; row++) {
    const ink = new Uint32Array(columns);
    const [first, end] = [Math.floor((row * lines) / rows), Math.floor(((row + 1) * lines) / rows)];
    for (let line = first; line < end; line++)
      for (let i = 0; i < length; i++)
        if (differs(pixelAt(image, i, line), background, minDifference)) ink[Math.floor((i * columns) / length)]!++;
    const minInk = (MIN_INK * length * (end - first)) / columns;
    for (let column = 0; column < columns; column++) {
      const start = column;
      while (column < columns && ink[column]! > minInk) column++;
      if (column > start) found.push([start / columns, 1 - end / lines, column / columns, 1 - first / lines]);
    }
  }
  return found;
}

/** Returns the number of pixels that {@link inkOfImage} inspects. */
export function inspectedPixels(image: Samples): number {
  const [lines, length] = sizeOf(image);
  return lines * length;
}

/** Returns the number of inspected rows, and of inspected pixels in a row. */
function sizeOf({ width, height }: Samples): [lines: number, length: number] {
  return [Math.min(MAX_LINES, height), Math.min(MAX_LINES, width)];
}

/** Returns the components of an inspected pixel as one number, so that equal colors have equal numbers. */
function pixelAt(image: Samples, i: number, line: number): number {
  const [lines, length] = sizeOf(image);
  const x = Math.floor(((i + 0.5) * image.width) / length);
  const y = Math.floor(((line + 0.5) * image.height) / lines);
  let packed = 0;
  for (let component = 0; component < image.components; component++)
    packed = packed * 256 + sampleAt(image, x, y, component);
  return packed;
}

/** Estimates the most frequent color from every fourth inspected pixel. */
function backgroundOf(image: Samples): number {
  const [lines, length] = sizeOf(image);
  const counts = new Map<number, number>();
  let background = 0;
  for (let line = 0; line < lines; line += 2)
    for (let i = 0; i < length; i += 2) {
      const color = pixelAt(image, i, line);
      const count = (counts.get(color) ?? 0) + 1;
      counts.set(color, count);
      if (count > (counts.get(background) ?? 0)) background = color;
    }
  return background;
}

/** Returns whether a component of two packed colors differs by at least `minDifference`. */
function differs(one: number, other: number, minDifference: number): boolean {
  let [a, b] = [one, other];
  while (a !== b) {
    if (Math.abs((a % 256) - (b % 256)) >= minDifference) return true;
    [a, b] = [Math.floor(a / 256), Math.floor(b / 256)];
  }
  return false;
}
