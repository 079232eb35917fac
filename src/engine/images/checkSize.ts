import { EngineError } from "../errors.ts";

/** Limits that an image of a mark must meet. */
export interface ImageLimits {
  maxPixels: number;
  /** Maximum bits per sample of a PNG. Larger samples are reduced. */
  maxBitDepth?: 8 | undefined;
  /**
   * Whether the pixels of a PNG are made either opaque or invisible. Pixels with less than half of the full alpha
   * become invisible.
   */
  hasHardMask?: boolean | undefined;
}

/**
 * Maximum width and height in pixels. JPEG has the same maximum, and viewers have similar limits. A row of pixels stays
 * below 512 KB.
 */
export const MAX_SIDE = 65_535;

/**
 * Checks the dimensions of an image in pixels.
 * @throws EngineError image_too_large if they exceed the limits, or damaged_image if the width or height is 0
 */
export function checkSize(width: number, height: number, { maxPixels }: ImageLimits): void {
  if (width === 0 || height === 0)
    throw new EngineError("damaged_image", "The image has a width or height of 0 pixels. Send another image.");
  if (width > MAX_SIDE || height > MAX_SIDE)
    throw new EngineError(
      "image_too_large",
      `The image is ${width} x ${height} pixels. Scale it down to at most ${MAX_SIDE} pixels on each side.`,
    );
  if (width * height > maxPixels)
    throw new EngineError(
      "image_too_large",
      `The image is ${width} x ${height} pixels. Scale it down to at most ${maxPixels} pixels in total.`,
    );
}
