import type { Value } from "../syntax/values.ts";

/** A matrix [a b c d e f], which maps (x, y) to x' = a·x + c·y + e and y' = b·x + d·y + f (ISO 32000-2, 8.3.3). */
export type Matrix = readonly [number, number, number, number, number, number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns whether a value is a matrix. */
export function isMatrix(value: Value): value is Value & Matrix {
  return Array.isArray(value) && value.length === 6 && value.every((item) => typeof item === "number");
}

/** Maximum difference, in units of the page, of two coordinates that count as equal. */
export const LEVEL = 0.01;

/** Returns whether a matrix maps upright unit squares to upright rectangles. */
export function isUpright([a, b, c, d]: Matrix): boolean {
  const isZero = (value: number) => Math.abs(value) < LEVEL;
  return (isZero(b) && isZero(c)) || (isZero(a) && isZero(d));
}

/** Returns the matrix that first applies `a` and then `b`. */
export function multiply(a: Matrix, b: Matrix): Matrix {
  // The elements are read by index, because destructuring takes several times as long. Content has a matrix for each
  // line of text.
  return [
    a[0] * b[0] + a[1] * b[2],
    a[0] * b[1] + a[1] * b[3],
    a[2] * b[0] + a[3] * b[2],
    a[2] * b[1] + a[3] * b[3],
    a[4] * b[0] + a[5] * b[2] + b[4],
    a[4] * b[1] + a[5] * b[3] + b[5],
  ];
}
