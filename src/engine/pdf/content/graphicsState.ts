/** Defines the part of the graphics state that affects where content paints (ISO 32000-2, 8.4). */
import type { Bounds } from "./bounds.ts";
import { BLACK, type Color } from "./color.ts";
import { type ColorSpace, type FontMetrics, HALF_EM, type Opacity } from "./contentResources.ts";
import { IDENTITY, type Matrix } from "./matrix.ts";

/** A color for filling or stroking. */
export interface PaintColor {
  readonly isLight: boolean;
  /** Whether the color is a pattern that may leave parts of a filled area unpainted. */
  readonly hasGaps: boolean;
  readonly space: ColorSpace;
  readonly color: Color | undefined;
}

/** The part of the graphics state (ISO 32000-2, 8.4) that affects painted areas. */
export interface State extends Opacity {
  matrix: Matrix;
  clip: Bounds;
  /** Whether the clipping path is a rectangle. Otherwise, `clip` contains its bounds. */
  isClipRectangle: boolean;
  fill: PaintColor;
  stroke: PaintColor;
  lineWidth: number;
  font: FontMetrics;
  fontSize: number;
  charSpace: number;
  wordSpace: number;
  /** Horizontal scaling of text: 1 is normal. */
  stretch: number;
  leading: number;
  rise: number;
}

/** A device color space. */
export const DEVICE: ColorSpace = { isSubtractive: false, isPlain: true };
const BLACK_PAINT: PaintColor = { isLight: false, hasGaps: false, space: DEVICE, color: BLACK };
/** The graphics state at the beginning of a page, without the clipping path. */
export const INITIAL = {
  ...{ isSolid: true, isBlended: false, isMasked: false, isClipRectangle: true },
  ...{ matrix: IDENTITY, fill: BLACK_PAINT, stroke: BLACK_PAINT, lineWidth: 1 },
  ...{ font: HALF_EM, fontSize: 0, charSpace: 0, wordSpace: 0, stretch: 1, leading: 0, rise: 0 },
};
