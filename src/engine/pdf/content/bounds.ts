/** Computes the bounds of painted content, in the space of the page. */
import type { Matrix } from "./matrix.ts";

/** A rectangle: left, bottom, right, top. */
export type Bounds = readonly [number, number, number, number];

/** Returns the area of a rectangle. */
export function areaOf(bounds: Bounds): number {
  return (bounds[2] - bounds[0]) * (bounds[3] - bounds[1]);
}

/**
 * Returns the intersection of two rectangles. If they do not overlap, the result is inverted (left > right or bottom >
 * top).
 */
export function clipped(a: Bounds, b: Bounds): Bounds {
  return [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
}

/** Returns the bounds of points, given as pairs of coordinates from `start` to `end`. */
export function boundsOf(points: readonly number[], start = 0, end = points.length): Bounds {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = start; i + 1 < end; i += 2) {
    const [x, y] = [points[i]!, points[i + 1]!];
    if (x < x0) x0 = x;
    if (x > x1) x1 = x;
    if (y < y0) y0 = y;
    if (y > y1) y1 = y;
  }
  return [x0, y0, x1, y1];
}

/** Returns the bounds of a rectangle after a matrix has mapped it. */
export function mapped(matrix: Matrix, bounds: Bounds): Bounds {
  const [halfX, halfY] = [(bounds[2] - bounds[0]) / 2, (bounds[3] - bounds[1]) / 2];
  const [x, y] = [bounds[0] + halfX, bounds[1] + halfY];
  const centerX = matrix[0] * x + matrix[2] * y + matrix[4];
  const centerY = matrix[1] * x + matrix[3] * y + matrix[5];
  const extentX = Math.abs(matrix[0] * halfX) + Math.abs(matrix[2] * halfY);
  const extentY = Math.abs(matrix[1] * halfX) + Math.abs(matrix[3] * halfY);
  return [centerX - extentX, centerY - extentY, centerX + extentX, centerY + extentY];
}
