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
  /** Throws as `read` does, without decoding pixels. */
  check(bytes: Uint8Array, limits: ImageLimits): unknown;
}

const READERS: Record<ImageFormat, Reader> = {
  PNG: { read: readPngOnce, check: readChunks },
  JPEG: { read: readJpeg, check: readJpeg },
};

/**
 * Reads an image of one of the {@link IMAGE_FORMATS}, recognised by its bytes. The size is checked before anything of that
 * size is allocated. Pixels are decoded in pieces; only an interlaced PNG is held in memory as a whole.
 * @throws EngineError unsupported_image, damaged_image or image_too_large
 */
export async function readImage(bytes: Uint8Array, limits: ImageLimits): Promise<Picture> {
  return READERS[detectFormat(bytes)].read(bytes, limits);
}

/** The PNGs used last: a logo is laid over one file after the other, and its pixels may take longer than all else. */
const recent = new LruCache<string, Picture>(4 * 2 ** 20);
/** Larger ones are read each time. */
const LARGEST_KEPT = 2 ** 20;

async function readPngOnce(bytes: Uint8Array, limits: ImageLimits): Promise<Picture> {
  if (bytes.length > LARGEST_KEPT) return readPng(bytes, limits);
  const key = `${toHex(sha2(256, bytes))} ${limits.maxPixels} ${limits.maxBitDepth}`;
  const known = recent.get(key);
  if (known) return known;
  const picture = await readPng(bytes.slice(), limits); // not the memory of the call, of which they may be a part
  return picture.size > LARGEST_KEPT ? picture : (recent.get(key) ?? recent.put(key, picture, picture.size));
}

/**
 * Checks as much of an image as can be checked without decoding it.
 * @throws EngineError unsupported_image, damaged_image or image_too_large
 */
export function checkImage(bytes: Uint8Array, limits: ImageLimits): void {
  READERS[detectFormat(bytes)].check(bytes, limits);
}
