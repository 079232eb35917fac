/** Reads page boundaries, rotations and user units as readers do (ISO 32000-2, 7.7.3.3 and 14.11.2). */
import type { Objects } from "../objects/objects.ts";
import type { Value } from "../syntax/values.ts";

/** A rectangle in a page's user space with x0 < x1 and y0 < y1. */
export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** Clockwise rotation of a page in degrees. */
export type Rotation = 0 | 90 | 180 | 270;

/** Page size that readers use if the file states no size: US Letter. */
const LETTER: Box = { x0: 0, y0: 0, x1: 612, y1: 792 };

/**
 * Largest coordinate of a box. Readers calculate with 24 binary digits, so they cannot distinguish larger coordinates
 * that differ by one unit.
 */
const LARGEST_CORNER = 2 ** 24;
/** Minimum side of a page. MuPDF shows a smaller page as one unit wide and high. */
const SMALLEST_SIDE = 1;
const SMALLEST_UNIT = 0.001;
/** Maximum /UserUnit, which is Acrobat's limit. With a larger /UserUnit, readers show no content. */
const LARGEST_UNIT = 75_000;

/**
 * Reads a rectangle. Any two opposite corners may define the rectangle, in any order (ISO 32000-2, 7.9.5).
 * @returns undefined if the value is not a rectangle, or if readers do not show an area of this size
 */
export function readBox(objects: Objects, value: Value | undefined): Box | undefined {
  const corners = objects.resolve(value);
  if (!Array.isArray(corners) || corners.length < 4) return undefined;
  const coordinate = (corner: Value | undefined) => (typeof corner === "number" ? corner : objects.resolve(corner));
  const [a, b, c, d] = [coordinate(corners[0]), coordinate(corners[1]), coordinate(corners[2]), coordinate(corners[3])];
  if (typeof a !== "number" || typeof b !== "number" || typeof c !== "number" || typeof d !== "number")
    return undefined;
  const box = { x0: Math.min(a, c), y0: Math.min(b, d), x1: Math.max(a, c), y1: Math.max(b, d) };
  return hasArea(box) ? box : undefined;
}

/** Returns the intersection of two boxes. If the boxes do not overlap, the result is inverted (x0 > x1 or y0 > y1). */
export function commonBox(a: Box, b: Box): Box {
  return {
    x0: Math.max(a.x0, b.x0),
    y0: Math.max(a.y0, b.y0),
    x1: Math.min(a.x1, b.x1),
    y1: Math.min(a.y1, b.y1),
  };
}

/**
 * Returns the area of a page that a reader displays. The area is the CropBox clipped to the MediaBox. If there is no
 * CropBox, or if the two boxes do not overlap, the area is the whole MediaBox. A missing MediaBox counts as US Letter.
 */
export function displayedBox(mediaBox: Box | undefined, cropBox: Box | undefined): Box {
  const media = mediaBox ?? LETTER;
  if (!cropBox) return media;
  const both = commonBox(media, cropBox);
  return hasArea(both) ? both : media;
}

/**
 * Returns the part of a page's displayed area that is within its TrimBox. Returns undefined if this part is the whole
 * area or empty.
 */
export function trimmedBox(displayed: Box, trimBox: Box | undefined): Box | undefined {
  const trimmed = displayedBox(displayed, trimBox);
  const isSmaller = Object.entries(displayed).some(([side, value]) => trimmed[side as keyof Box] !== value);
  return isSmaller ? trimmed : undefined;
}

/**
 * Reads a /Rotate value as 0, 90, 180 or 270 degrees clockwise. A value that is not a multiple of 90 counts as 0.
 * @returns undefined for null, which is equivalent to a missing entry (ISO 32000-2, 7.3.7)
 */
export function readRotation(value: Value): Rotation | undefined {
  if (value === null) return undefined;
  if (typeof value !== "number" || value % 90 !== 0) return 0;
  return ((((value % 360) + 360) % 360) as Rotation) || 0;
}

/** Returns whether a CropBox and a MediaBox do not overlap. */
export function areApart(mediaBox: Box | undefined, cropBox: Box | undefined): boolean {
  return cropBox !== undefined && displayedBox(mediaBox, cropBox) === (mediaBox ?? LETTER);
}

/** Reads a /UserUnit value. Returns 1 if the value is not a number, or if readers do not accept it. */
export function readUserUnit(value: Value): number {
  return typeof value === "number" && value >= SMALLEST_UNIT && value <= LARGEST_UNIT ? value : 1;
}

function hasArea({ x0, y0, x1, y1 }: Box): boolean {
  const isShown = x0 >= -LARGEST_CORNER && y0 >= -LARGEST_CORNER && x1 <= LARGEST_CORNER && y1 <= LARGEST_CORNER;
  return isShown && x1 - x0 >= SMALLEST_SIDE && y1 - y0 >= SMALLEST_SIDE;
}
