/**
 * Recognizes barcodes: square codes such as QR, and linear codes. Some logos and two-color patterns also count as
 * barcodes. Such a false alarm costs little: the mark only avoids the place of the logo or pattern.
 */
import { areaOf, type Bounds } from "./bounds.ts";
import { type Samples, sampleAt } from "./samples.ts";

/** Minimum number of bars of a linear code. */
const MIN_BARS = 12;
/** Minimum number of rectangles of a square code. */
const MIN_MODULES = 40;
/** Minimum share of a barcode that is dark. */
const MIN_DARK = 0.2;
/** Maximum share of a linear code that is dark. */
const MAX_DARK = 0.8;
/** Maximum ratio of the sides of a square code. */
const MAX_RATIO = 1.4;
/** Maximum thickness of a bar, as a share of the longer side of a linear code. */
const MAX_BAR = 0.06;
/**
 * Maximum side of a part of a square code, as a share of the code's side. The largest part is the frame of a finder
 * pattern.
 */
const MAX_PART = 0.4;
/** Minimum length of a bar, as a share of the longest bar. */
const MIN_BAR_LENGTH = 0.7;
/** Maximum gap between rectangles of a group, as a multiple of their thickness. */
const MAX_GAP = 24;
/**
 * Maximum ratio of the thickest to the thinnest rectangle of a group. The finder pattern of a QR code is seven modules
 * thick.
 */
const MAX_THICKNESS_RATIO = 12;

/** A group of rectangles that content draws one after the other. */
export class RectangleGroup {
  #count = 0;
  #area = 0;
  #thickest = 0;
  #thinnest = 0;
  #least = { width: 0, height: 0 };
  #bounds: Bounds = [0, 0, 0, 0];

  /** Adds a rectangle. If the rectangle does not belong to the group, returns false and leaves the group unchanged. */
  add(rectangle: Bounds): boolean {
    const [x0, y0, x1, y1] = rectangle;
    const [width, height] = [x1 - x0, y1 - y0];
    const thickness = Math.min(width, height);
    const [left, bottom, right, top] = this.#bounds;
    if (this.#count === 0) {
      this.#least = { width, height };
      this.#bounds = rectangle;
      this.#area = this.#thickest = 0;
      this.#thinnest = thickness;
    } else {
      const gap = Math.max(x0 - right, left - x1, y0 - top, bottom - y1);
      const ratio = Math.max(thickness, this.#thickest) / Math.min(thickness, this.#thinnest);
      if (gap > MAX_GAP * thickness || ratio > MAX_THICKNESS_RATIO) return false;
      this.#least = { width: Math.min(this.#least.width, width), height: Math.min(this.#least.height, height) };
      this.#bounds = [Math.min(left, x0), Math.min(bottom, y0), Math.max(right, x1), Math.max(top, y1)];
    }
    this.#count++;
    this.#area += width * height;
    this.#thickest = Math.max(this.#thickest, thickness);
    this.#thinnest = Math.min(this.#thinnest, thickness);
    return true;
  }

  /** Empties the group. Returns the bounds of the group if it looks like a barcode. */
  end(): Bounds | undefined {
    const isBarcode = this.#count >= MIN_BARS && (this.#isLinear() || this.#isSquare());
    this.#count = 0;
    return isBarcode ? this.#bounds : undefined;
  }

  #size() {
    const [x0, y0, x1, y1] = this.#bounds;
    const [width, height] = [x1 - x0, y1 - y0];
    return { width, height, dark: this.#area / areaOf(this.#bounds) };
  }

  #isLinear(): boolean {
    const { width, height, dark } = this.#size();
    const areBars = this.#least.height > MIN_BAR_LENGTH * height || this.#least.width > MIN_BAR_LENGTH * width;
    return areBars && dark > MIN_DARK && dark < MAX_DARK && this.#thickest < MAX_BAR * Math.max(width, height);
  }

  #isSquare(): boolean {
    const { width, height, dark } = this.#size();
    const [shorter, longer] = width < height ? [width, height] : [height, width];
    // A traced square code has no maximum share of dark area. Its outlines may overlap, so the sum of their areas may
    // exceed the area of the code.
    return (
      this.#count >= MIN_MODULES &&
      longer < MAX_RATIO * shorter &&
      dark > MIN_DARK &&
      this.#thickest < MAX_PART * shorter
    );
  }
}

/** Maximum number of rows, and of columns, that are inspected in an image. */
const MAX_LINES = 40;
/** Minimum average number of changes between light and dark in the rows and columns of a square code. */
const MIN_CHANGES = 5;
/** Minimum average number of such changes in the rows, or in the columns, of a linear code. */
const MIN_BAR_CHANGES = 2 * MIN_BARS;
/**
 * Minimum share of extreme samples among all samples. An extreme sample is nearly as light or dark as the lightest or
 * darkest sample.
 */
const MIN_EXTREME = 0.9;
/**
 * Maximum difference between an extreme sample and the lightest or darkest sample, as a share of the whole range of
 * samples.
 */
const NEAR_EXTREME = 0.2;

/** Returns whether an image looks like a barcode. */
export function showsBarcode(image: Samples): boolean {
  const { width, height } = image;
  const [rows, columns] = [linesOf(image, true), linesOf(image, false)];
  const values = rows.flat();
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  if (least === most) return false;
  const near = NEAR_EXTREME * (most - least);
  const extreme = values.filter((value) => value <= least + near || value >= most - near).length;
  const middle = (least + most) / 2;
  const dark = values.filter((value) => value < middle).length / values.length;
  if (extreme < MIN_EXTREME * values.length || Math.min(dark, 1 - dark) < MIN_DARK) return false;
  const changes = (lines: number[][]) =>
    lines.reduce(
      (sum, line) => sum + line.filter((value, i) => i > 0 && value < middle !== line[i - 1]! < middle).length,
      0,
    ) / lines.length;
  const [across, up] = [changes(rows), changes(columns)];
  const isSquare = Math.max(width, height) < MAX_RATIO * Math.min(width, height);
  return (isSquare && Math.min(across, up) > MIN_CHANGES) || Math.max(across, up) > MIN_BAR_CHANGES;
}

/** Returns the first component of each sample in at most `MAX_LINES` evenly spaced rows or columns of an image. */
function linesOf(image: Samples, areRows: boolean): number[][] {
  const { width, height } = image;
  const [count, length] = areRows ? [height, width] : [width, height];
  const lines = Math.min(count, MAX_LINES);
  return Array.from({ length: lines }, (_, i) => {
    const line = Math.floor(((i + 0.5) * count) / lines);
    return Array.from({ length }, (_, along) =>
      areRows ? sampleAt(image, along, line) : sampleAt(image, line, along),
    );
  });
}
