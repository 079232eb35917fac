import type { ImageLimits } from "./checkSize.ts";
import { detectFormat, type ImageFormat } from "./detectFormat.ts";
import { readJpeg } from "./jpeg.ts";
import type { Picture } from "./picture.ts";
import { readPng } from "./png.ts";
import { readChunks } from "./pngChunks.ts";

const READERS: Record<ImageFormat, (bytes: Uint8Array, limits: ImageLimits) => Picture | Promise<Picture>> = {
  PNG: readPng,
  JPEG: readJpeg,
};

/**
 * Reads an image of one of the {@link IMAGE_FORMATS}, recognised by its bytes. The size is checked before anything of that size is allocated. Pixels
 * are decoded in pieces; only an interlaced PNG is held in memory as a whole.
 * @throws EngineError unsupported_image, damaged_image or image_too_large
 */
export async function readImage(bytes: Uint8Array, limits: ImageLimits): Promise<Picture> {
  return READERS[detectFormat(bytes)](bytes, limits);
}

/**
 * Checks as much of an image as can be checked without decoding it.
 * @throws EngineError unsupported_image, damaged_image or image_too_large
 */
export function checkImage(bytes: Uint8Array, limits: ImageLimits): void {
  if (detectFormat(bytes) === "PNG") readChunks(bytes, limits);
  else readJpeg(bytes, limits); // which decodes nothing
}
