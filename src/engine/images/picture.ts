import type { ObjectSink, Ref } from "../pdf/newObject.ts";
import type { ImageLimits } from "./checkSize.ts";
import { sniff } from "./detectFormat.ts";
import { readJpeg } from "./jpeg.ts";
import type { UnitMatrix } from "./orientation.ts";
import { readPng } from "./png.ts";

/** An image that is ready to be drawn. Whatever can be wrong with it has been found. */
export interface Picture {
  /** Pixels as displayed, after the EXIF orientation. */
  width: number;
  height: number;
  /**
   * Writes the image XObject with what it refers to (ISO 32000-2, 8.9.5); once is enough for any number of pages.
   * `matrix` goes before `Do`: it turns the image's unit square so that it is displayed upright in that same square.
   */
  embed(sink: ObjectSink): { xobject: Ref; matrix: UnitMatrix };
}

/**
 * Reads a PNG or a JPEG, recognised by its bytes. The size is checked before anything of that size is allocated, and
 * pixels are only ever decoded in pieces.
 * @throws Problem unsupported_image, damaged_image or image_too_large
 */
export async function readImage(bytes: Uint8Array, limits: ImageLimits): Promise<Picture> {
  return sniff(bytes) === "png" ? readPng(bytes, limits) : readJpeg(bytes, limits);
}
