/** Computes the contrast of marks with pages (WCAG 2.2, relative luminance and contrast ratio). */
import { DEFAULTS, type ImageMark, type TextMark } from "../options.ts";
import { BLACK, type Color, luminanceOf, WHITE } from "../pdf/content/color.ts";
import { appearanceOf } from "./appearance.ts";

/** Contrast ratio below which people do not see a mark. */
const VISIBLE = 1.05;
/** Contrast ratio that a mark should have with the page. */
const LEGIBLE = 1.5;

/**
 * Returns whether a mark cannot be seen on white paper. A mark is invisible if it changes no 8-bit channel of the paper.
 * A text without an edge is also invisible if its contrast with white is below `VISIBLE`. An image counts as black.
 */
export function isInvisible(mark: TextMark | ImageMark): boolean {
  if ("image" in mark) return stepsOnWhite(BLACK, mark.opacity ?? DEFAULTS.opacity) < 1;
  const { color, opacity, hasEdge } = appearanceOf(mark);
  const rgb = rgbOf(color);
  return stepsOnWhite(rgb, opacity) < 1 || (!hasEdge && contrastOn(WHITE, rgb, opacity) < VISIBLE);
}

/**
 * Returns the largest change of an 8-bit channel by a color on white paper. Readers truncate the opacity to
 * `a = floor(255 * opacity)`, and change a channel `c` by `floor(a * (255 - c) / 255)`. The gray #282828 changes white by
 * `floor(1 * 215 / 255) = 0` steps with opacity 0.007, and by `floor(2 * 215 / 255) = 1` step with opacity 0.008.
 */
function stepsOnWhite(color: Color, opacity: number): number {
  return Math.floor(Math.floor(255 * opacity) * (1 - Math.min(...color)));
}

/** The paint of a mark. */
export interface Paint {
  readonly color: Color;
  /** Opacity from 0 to 1. */
  readonly opacity: number;
}

/**
 * Returns whether a mark needs white parts on a page. This is the case if the contrast of the mark's own color with the
 * page is below `LEGIBLE`, and the contrast of white is higher.
 */
export function needsWhite({ color, opacity }: Paint, page: Color): boolean {
  const own = contrastOn(page, color, opacity);
  return own < LEGIBLE && contrastOn(page, WHITE, opacity) > own;
}

/** Returns the contrast ratio between a page and a color painted on it at the given opacity. */
function contrastOn(page: Color, color: Color, opacity: number): number {
  const painted = page.map((share, i) => share + opacity * (color[i]! - share)) as unknown as Color;
  const luminances = [luminanceOf(page), luminanceOf(painted)];
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05);
}

/** Converts a color `#rrggbb` to its red, green and blue components, each from 0 to 1. */
export function rgbOf(color: string): Color {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255) as unknown as Color;
}
