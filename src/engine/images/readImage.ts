import { sha2 } from "#platform/hashes";
import { toHex } from "../bytes.ts";
import { LruCache } from "../lruCache.ts";
import type { ImageLimits } from "./checkSize.ts";
import { detectFormat, type ImageFormat } from "./detectFormat.ts";
import { readJpeg } from "./jpeg.ts";
import type { Picture } from "./picture.ts";
import { readPng } from "./png.ts";
import { readChunks } from "./pngChunks.ts";

interface Reader {
  read(bytes: Uint8Array, limits: ImageLimits): Picture | Promise<Picture>;
  /** Checks an image without decoding its pixels. Throws the same errors as `read`. */
  check(bytes: Uint8Array, limits: ImageLimits): unknown;
}

const READERS: Record<ImageFormat, Reader> = {
  PNG: { read: readPngOnce, check: readChunks },
  JPEG: { read: readJpeg, check: readJpeg },
};

/**
 * Reads an image of one of the {@link IMAGE_FORMATS}, detected by its bytes. Checks the dimensions before allocating
 * memory for them. Decodes pixels in pieces. Only the pixels of an interlaced PNG are all in memory at once.
 * @throws EngineError unsupported_image, damaged_image or image_too_large
 */
export async function readImage(bytes: Uint8Array, limits: ImageLimits): Promise<Picture> {
  return READERS[detectFormat(bytes)].read(bytes, limits);
}

/**
 * LRU cache of PNGs. Callers put the same logo on many files, and decoding the logo may take longer than the rest of
 * the call.
 */
const pictures = new LruCache<string, Picture>(4 * 2 ** 20);
/** Maximum size of a cached picture in bytes. */
const MAX_CACHED_BYTES = 2 ** 20;

async function readPngOnce(bytes: Uint8Array, limits: ImageLimits): Promise<Picture> {
  if (bytes.length > MAX_CACHED_BYTES) return readPng(bytes, limits);
  const key = `${toHex(sha2(256, bytes))} ${limits.maxPixels} ${limits.maxBitDepth} ${limits.hasHardMask}`;
  const known = pictures.get(key);
  if (known) return known;
  // copies the bytes, because `bytes` may be a view of the caller's memory
  const picture = await readPng(bytes.slice(), limits);
  return picture.size > MAX_CACHED_BYTES ? picture : (pictures.get(key) ?? pictures.put(key, picture, picture.size));
}

/**
 * Checks an image without decoding its pixels.
 * @throws EngineError unsupported_image, damaged_image or image_too_large
 */
export function checkImage(bytes: Uint8Array, limits: ImageLimits): void {
  READERS[detectFormat(bytes)].check(bytes, limits);
}
