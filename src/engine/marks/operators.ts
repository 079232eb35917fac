import type { Matrix } from "../pdf/content/matrix.ts";
import type { Point } from "./geometry.ts";

/** Maximum absolute value of a real number in PDF/A-1 (ISO 19005-1, 6.1.12). Integers may be larger. */
const LARGEST_REAL = 32_767;

/** Absolute value below which a number needs more than five decimals. */
const SMALL = 0.01;

/**
 * Formats a number for content streams (ISO 32000-2, 7.3.3) without an exponent. The result has at most five decimals,
 * or eight if the number is small.
 */
export function number(value: number): string {
  return Math.abs(value) < SMALL ? withoutTrailingZeros(value.toFixed(8)) : rounded(value, 5);
}

function rounded(value: number, decimals: number): string {
  return withoutTrailingZeros(value.toFixed(Math.abs(value) > LARGEST_REAL ? 0 : decimals));
}

/** Removes trailing zeros from a decimal. */
function withoutTrailingZeros(decimal: string): string {
  return decimal.includes(".") ? decimal.replace(/\.?0+$/, "").replace(/^-0$/, "0") : decimal;
}

/** Returns numbers separated by spaces, such as the operands of `cm` or `re`, or a /BBox. */
export function numbers(values: Matrix | readonly number[]): string {
  return values.map(number).join(" ");
}

/**
 * Returns operators that show a named XObject at each place. Each translation is relative to the previous translation
 * and rounded to a hundredth of a unit, which keeps the operators short.
 */
export function showEach<P extends Point>(places: readonly P[], nameOf: (place: P, index: number) => string): string {
  let [x, y] = [0, 0];
  const operators: string[] = [];
  for (const [index, place] of places.entries()) {
    const [dx, dy] = [rounded(place.x - x, 2), rounded(place.y - y, 2)];
    if (dx !== "0" || dy !== "0") operators.push(`1 0 0 1 ${dx} ${dy} cm`);
    operators.push(`/${nameOf(place, index)} Do`);
    x += Number(dx);
    y += Number(dy);
  }
  return operators.join(" ");
}
