import type { Color } from "../pdf/content/color.ts";
import type { ObjectSink, Ref } from "../pdf/document/newObject.ts";
import type { UnitMatrix } from "./orientation.ts";

/** A checked image, ready to be embedded. Data that goes into the PDF unchanged may be checked only partly. */
export interface Picture {
  /** Width in pixels as displayed, with the Exif orientation applied. */
  width: number;
  height: number;
  /** Whether no pixel is visible. */
  isBlank: boolean;
  /** Mean color of the visible pixels. Undefined for images without transparency, and if no pixel is visible. */
  visibleColor?: Color | undefined;
  /** Approximate memory of the picture in bytes. */
  size: number;
  /**
   * Writes the image XObject and the objects that it refers to (ISO 32000-2, 8.9.5), once for all pages. Content
   * streams apply `matrix` before `Do`. The matrix maps the unit square onto itself so that the image is displayed
   * upright.
   * @param tint share of the image's colors in the mixture with white
   */
  embed(sink: ObjectSink, tint?: number): EmbeddedPicture;
}

/** A picture in a PDF. */
export interface EmbeddedPicture {
  readonly xobject: Ref;
  readonly matrix: UnitMatrix;
  /** The dictionary entry of the image that refers to its mask. Undefined if every pixel is opaque. */
  readonly maskEntry?: string | undefined;
}
