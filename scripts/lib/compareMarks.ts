import type { Raster } from "./raster.ts";

/** A page without its mark and the same page with its mark, as one viewer draws them. */
interface Drawing {
  readonly plain: Raster;
  readonly marked: Raster;
}

/** Differences between the drawings of the same mark by two viewers. */
interface Difference {
  /** Maximum distance in pixels between corresponding sides of the marks' two bounding boxes. */
  readonly shift: number;
  /** Sum of all pixel changes by one viewer, divided by the sum of all pixel changes by the other viewer. */
  readonly strength: number;
  /**
   * Share of the pixels changed by one viewer that have no pixel changed by the other viewer nearby. It is computed in
   * both directions, and the larger share counts.
   */
  readonly stray: number;
}

/**
 * Minimum change of a pixel, summed over its channels, for the pixel to count as ink. Half of this change is enough
 * near ink of the other viewer.
 */
const INK = 60;
/** Maximum distance in pixels at which two inked pixels count as being at the same place. */
const NEAR = 2;

/** Compares two drawings of the same mark by different viewers. */
export function compareMarks(one: Drawing, other: Drawing): Difference {
  const [mine, theirs] = [changesOf(one), changesOf(other)];
  const differ = Math.max(Math.abs(mine.width - theirs.width), Math.abs(mine.height - theirs.height));
  if (differ > NEAR) return { shift: differ, strength: 0, stray: 1 };
  const [box, otherBox] = [boxOf(mine), boxOf(theirs)];
  return {
    shift: Math.max(...box.map((side, i) => Math.abs(side - otherBox[i]!))),
    strength: sumOf(mine) / sumOf(theirs),
    stray: Math.max(strayShare(mine, theirs), strayShare(theirs, mine)),
  };
}

/** The change of each pixel, summed over its three channels. */
interface Changes {
  readonly width: number;
  readonly height: number;
  readonly values: Uint16Array;
}

function changesOf({ plain, marked }: Drawing): Changes {
  const { width, height } = plain;
  const values = new Uint16Array(width * height);
  for (let i = 0; i < plain.rgb.length; i++) values[Math.floor(i / 3)]! += Math.abs(marked.rgb[i]! - plain.rgb[i]!);
  return { width, height, values };
}

function sumOf({ values }: Changes): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Returns the left, top, right and bottom of the ink. */
function boxOf({ width, height, values }: Changes): [number, number, number, number] {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (values[y * width + x]! < INK) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
  return [left, top, right, bottom];
}

function strayShare({ width, height, values }: Changes, other: Changes): number {
  let [pixels, stray] = [0, 0];
  for (let y = NEAR; y < height - NEAR; y++)
    for (let x = NEAR; x < width - NEAR; x++) {
      if (values[y * width + x]! < INK) continue;
      pixels++;
      if (!hasNear(other, x, y)) stray++;
    }
  return pixels === 0 ? 1 : stray / pixels;
}

function hasNear({ width, values }: Changes, x: number, y: number): boolean {
  for (let row = y - NEAR; row <= y + NEAR; row++)
    for (let at = row * width + x - NEAR; at <= row * width + x + NEAR; at++) if (values[at]! >= INK / 2) return true;
  return false;
}
