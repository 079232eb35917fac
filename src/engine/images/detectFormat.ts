import { EngineError } from "../errors.ts";

/**
 * Number of bytes at the beginning of a file in which to search for a signature. An SVG may begin with an XML
 * declaration, a doctype and comments.
 */
const HEAD_LENGTH = 1024;

/**
 * Supported image formats and the signatures at the beginning of their files. All other lists of formats derive from
 * this table.
 */
const SUPPORTED = {
  PNG: /^\x89PNG\r\n\x1a\n/,
  JPEG: /^\xff\xd8\xff/,
} as const satisfies Record<string, RegExp>;

/** The name of an image format. */
export type ImageFormat = keyof typeof SUPPORTED;

/** The supported image formats. */
export const IMAGE_FORMATS = Object.keys(SUPPORTED) as ImageFormat[];

/**
 * Names and signatures of unsupported formats. A signature is matched against the first bytes as Latin-1. The first
 * match names the format.
 */
const UNSUPPORTED: readonly (readonly [name: string, signature: RegExp])[] = [
  ["a GIF", /^GIF8[79]a/],
  ["a WebP image", /^RIFF.{4}WEBP/s],
  ["an AVIF image", /^.{4}ftyp(.{4}){0,8}?avi[fs]/s],
  ["a HEIC image", /^.{4}ftyp(.{4}){0,8}?(hei[cmsx]|hev[cmsx]|mif1|msf1)/s],
  ["a video", /^.{4}ftyp/s],
  ["a TIFF image", /^(II[*+]\0|MM\0[*+])/],
  ["a BMP image", /^BM.{4}\0\0\0\0/s],
  ["a JPEG XL image", /^(\xff\x0a|\0\0\0\x0cJXL )/],
  ["a JPEG 2000 image", /^(\xff\x4f\xff\x51|\0\0\0\x0cjP {2})/],
  ["a JPEG XR image", /^II\xbc/],
  ["an icon (ICO)", /^\0\0[\x01\x02]\0/],
  ["a Photoshop document", /^8BPS/],
  ["an animation (MNG)", /^\x8aMNG/],
  ["a JNG image", /^\x8bJNG/],
  ["a PDF", /^\s*%PDF-/],
  ["an EPS or PostScript file", /^(%!PS|\xc5\xd0\xd3\xc6)/],
  ["an SVG drawing", /^(\xef\xbb\xbf)?\s*<(svg\b|.*<svg\b)/is],
  ["a web page, not an image file", /^(\xef\xbb\xbf)?\s*<(!doctype html|html|head)\b/i],
  ["a gzip file", /^\x1f\x8b/],
];

/**
 * Detects which of the {@link IMAGE_FORMATS} an image has. Only the first bytes count; a file name or declared type is
 * ignored.
 * @throws EngineError unsupported_image, with the name of the format if known; damaged_image for an empty file or a PNG
 * sent as text
 */
export function detectFormat(bytes: Uint8Array): ImageFormat {
  const head = String.fromCharCode(...bytes.subarray(0, HEAD_LENGTH));
  const format = IMAGE_FORMATS.find((name) => SUPPORTED[name].test(head));
  if (format) return format;

  if (bytes.length === 0) throw new EngineError("damaged_image", "The image is empty. Send the whole file.");
  if (/^.?PNG\s/s.test(head))
    throw new EngineError(
      "damaged_image",
      "The PNG was changed in transit, probably because it was sent as text. Send its bytes unchanged.",
    );

  const other = UNSUPPORTED.find(([, signature]) => signature.test(head));
  throw new EngineError(
    "unsupported_image",
    `This is ${other ? other[0] : `neither a ${IMAGE_FORMATS.join(" nor a ")}`}. Send a ${IMAGE_FORMATS.join(" or a ")}.`,
  );
}
