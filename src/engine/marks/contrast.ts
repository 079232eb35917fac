/** Computes the contrast of marks with blank paper (WCAG 2.2, relative luminance and contrast ratio). */
import { DEFAULTS, type ImageMark, type TextMark } from "../options.ts";
import { appearanceOf } from "./appearance.ts";

/** Contrast ratio below which people do not see a mark. */
const VISIBLE = 1.05;

/**
 * Returns whether a mark cannot be seen on white paper: it is fully transparent, or it is a text without an edge whose
 * contrast with white is below `VISIBLE`.
 */
export function isInvisible(mark: TextMark | ImageMark): boolean {
  if ("image" in mark) return (mark.opacity ?? DEFAULTS.opacity) === 0;
  const { color, opacity, hasEdge } = appearanceOf(mark);
  return opacity === 0 || (!hasEdge && contrastWithWhite(color, opacity) < VISIBLE);
}

/** Returns the contrast ratio between white and the color `#rrggbb` painted on white at the given opacity. */
function contrastWithWhite(color: string, opacity: number): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = 1 - opacity * (1 - Number.parseInt(color.slice(at, at + 2), 16) / 255);
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
