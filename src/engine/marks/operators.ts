import type { Matrix } from "./geometry.ts";

/** Returns a number as content streams take it: no exponent, at most five decimals (ISO 32000-2, 7.3.3). */
export function number(value: number): string {
  return String(Number(value.toFixed(5)));
}

/** Returns numbers separated by spaces: operands of `cm` or `re`, or a /BBox. */
export function numbers(values: Matrix | readonly number[]): string {
  return values.map(number).join(" ");
}
