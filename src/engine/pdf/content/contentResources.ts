/** Describes the resources to which page content refers (ISO 32000-2, 7.8.3). */
import type { Bounds } from "./bounds.ts";
import type { Matrix } from "./matrix.ts";

/** The widths of a font's glyphs. */
export interface FontMetrics {
  /** Number of bytes of a character code. */
  readonly codeBytes: 1 | 2;
  /** Whether the lines of the font run from top to bottom. */
  readonly isVertical: boolean;
  /** Returns the width of a glyph in em. */
  widthOf(code: number): number;
}

/** An image XObject. */
export interface InkImage {
  /** Whether the image has no mask and belongs to no optional content. */
  readonly isOpaque: boolean;
  /** Returns whether the image is probably a barcode. */
  isBarcode(): boolean;
  /**
   * Returns the bounds of the parts that differ from the image's background, in the unit square. Returns no bounds if the
   * samples cannot be read.
   */
  details(): readonly Bounds[];
}

/** A form XObject (ISO 32000-2, 8.10). */
export interface InkForm {
  readonly matrix: Matrix;
  readonly box: Bounds;
  /** Whether the form belongs to optional content, which readers may hide. */
  readonly isOptional: boolean;
  /** The form's resources; undefined if the form dictionary has none. */
  readonly resources: ContentResources | undefined;
  /** Returns the decoded content of the form, or undefined if the content is unreadable or too long. */
  content(): Uint8Array | undefined;
}

/**
 * Resources that content refers to. A method throws if bytes of the file are not loaded yet. The caller then loads the
 * bytes and repeats the step.
 */
export interface ContentResources {
  font(name: string): FontMetrics;
  xobject(name: string): InkImage | InkForm | undefined;
  space(name: string): ColorSpace;
  /** Returns whether a pattern paints every point with an opaque color. */
  isOpaquePattern(name: string): boolean;
  /** Returns the opacity parameters that a named graphics state sets. */
  opacity(name: string): Partial<Opacity>;
}

/** A color space (ISO 32000-2, 8.6). */
export interface ColorSpace {
  /** Whether a higher value means more ink. */
  readonly isSubtractive: boolean;
  /** Whether the values of a color are its gray, RGB or CMYK components, each from 0 to 1. */
  readonly isPlain: boolean;
}

/** The parameters of the graphics state that determine whether painted areas are opaque. */
export interface Opacity {
  readonly isSolid: boolean;
  readonly isBlended: boolean;
  readonly isMasked: boolean;
}

/** Metrics of a font that cannot be read: every glyph is half an em wide. */
export const HALF_EM: FontMetrics = { codeBytes: 1, isVertical: false, widthOf: () => 0.5 };
