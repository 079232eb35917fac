import { EngineError } from "../errors.ts";

/** Limits on the size of an image. */
export interface ImageLimits {
  maxPixels: number;
  /** Samples of a PNG with more bits are reduced to this. */
  maxBitDepth?: 8 | undefined;
}

/** Maximum side of a JPEG, and about the limit of viewers. It keeps a row of pixels under 512 KB. */
export const MAX_SIDE = 65_535;

/**
 * Checks the dimensions of an image in pixels.
 * @throws EngineError image_too_large if they exceed the limits, or damaged_image if one is 0
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
