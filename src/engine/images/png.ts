import type { ObjectSink, Ref } from "../pdf/newObject.ts";
import { deinterlaced } from "./adam7.ts";
import type { ImageLimits } from "./checkSize.ts";
import { orientationOf, swapsSides } from "./orientation.ts";
import type { Picture } from "./picture.ts";
import { GRAY_ALPHA, type Png, RGB, RGB_ALPHA, readChunks, scanlineLength } from "./pngChunks.ts";
import { pngColorSpace } from "./pngColor.ts";
import { transparencyOf } from "./pngTransparency.ts";
import { scanlines } from "./scanlines.ts";
import { SoftMaskWriter } from "./softMask.ts";
import { splitAlpha } from "./splitAlpha.ts";
import { type Content, Deflater } from "./zlibStreams.ts";

/** Pixels as written to the PDF: zlib streams of PNG scanlines. */
interface Planes {
  color: Uint8Array;
  softMask?: { data: Uint8Array; bits: number } | undefined;
  colorKey?: readonly number[] | undefined;
}

/**
 * Image data that passes through unchanged is decompressed only this far, to check it against the header: all of it up
 * to 1250 x 1250 pixels of 8-bit RGB. That takes 20 ms; all of a photograph of 12 megapixels would take 150.
 */
const CHECKED_BYTES = 5_000_000;

/** Image data compressed by more than this factor has many repetitions, as drawings do. */
const DRAWING_RATIO = 8;

/**
 * Reads a PNG of any kind in the standard. PDF has PNG's filters and compression (FlateDecode with a predictor,
 * ISO 32000-2, 7.4.4), so image data passes through; only alpha, interlacing and some kinds of tRNS are processed,
 * scanline by scanline. Bytes after the zlib stream and after IEND are ignored. An Exif orientation (eXIf) is applied.
 * @throws EngineError unsupported_image, damaged_image or image_too_large
 */
export async function readPng(bytes: Uint8Array, limits: ImageLimits): Promise<Picture> {
  const source = readChunks(bytes, limits);
  const isTooDeep = source.header.bitDepth > (limits.maxBitDepth ?? 16) && !source.ancillary.has("tRNS");
  const png = isTooDeep ? await with8Bits(source) : source;
  const { width, height } = png.header;
  const matrix = orientationOf(png.ancillary.get("eXIf"));
  const planes = await readPlanes(png);

  return {
    width: swapsSides(matrix) ? height : width,
    height: swapsSides(matrix) ? width : height,
    embed: (sink) => ({ xobject: embedPlanes(png, planes, sink), matrix }),
  };
}

/**
 * Returns a PNG of 16 bits with the higher byte of each sample. Filters relate bytes that are a whole pixel apart (PNG,
 * 9.2), so these bytes by themselves are filtered in the same way.
 */
async function with8Bits(png: Png): Promise<Png> {
  const header = { ...png.header, bitDepth: 8, interlaced: false };
  const length = scanlineLength(header, header.width);
  const data = new Deflater(contentOf(png), length);
  for await (const line of linesOf(png)) {
    const half = await data.next(length);
    half[0] = line[0]!;
    for (let i = 1; i < length; i++) half[i] = line[2 * i - 1]!;
  }
  return { ...png, header, data: await data.finish() };
}

function readPlanes(png: Png): Promise<Planes> {
  const { colorType } = png.header;
  return colorType === GRAY_ALPHA || colorType === RGB_ALPHA ? readWithAlpha(png) : readWithoutAlpha(png);
}

async function readWithAlpha(png: Png): Promise<Planes> {
  const { width, bitDepth } = png.header;
  const pixel = { color: (colorants(png) * bitDepth) / 8, alpha: bitDepth / 8 };
  const { color, alpha } = await splitAlpha(linesOf(png), width, pixel, contentOf(png));
  return { color, softMask: alpha && { data: alpha, bits: bitDepth } };
}

async function readWithoutAlpha(png: Png): Promise<Planes> {
  const { header, data } = png;
  const { colorKey, softMask } = transparencyOf(png);
  const color = header.interlaced ? new Deflater(contentOf(png), scanlineLength(header, header.width)) : undefined;
  const mask = softMask && new SoftMaskWriter(header, softMask);

  let checked = 0;
  for await (const line of linesOf(png)) {
    if (color) (await color.next(line.length)).set(line);
    if (mask) await mask.add(line);
    checked += line.length;
    if (checked > CHECKED_BYTES && !color && !mask) break;
  }

  return {
    color: color ? await color.finish() : data,
    softMask: await mask?.finish(),
    colorKey,
  };
}

function linesOf(png: Png): AsyncIterable<Uint8Array> {
  const { header, data } = png;
  if (header.interlaced) return deinterlaced(png);
  const lengths = new Array<number>(header.height).fill(scanlineLength(header, header.width));
  return scanlines(data, lengths);
}

function contentOf({ header, data }: Png): Content {
  return data.length * DRAWING_RATIO < scanlineLength(header, header.width) * header.height ? "drawing" : "photograph";
}

/** Returns the number of components of a pixel without alpha; a palette index counts as one. */
function colorants({ header: { colorType } }: Png): 1 | 3 {
  return colorType === RGB || colorType === RGB_ALPHA ? 3 : 1;
}

function embedPlanes(png: Png, { color, softMask, colorKey }: Planes, sink: ObjectSink): Ref {
  const { width, height, bitDepth } = png.header;
  const image = (space: string, colors: number, bits: number) =>
    `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace ${space} /BitsPerComponent ${bits} ` +
    `/Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors ${colors} /Columns ${width} /BitsPerComponent ${bits} >>`;

  const dict = image(pngColorSpace(png, sink), colorants(png), bitDepth);
  if (softMask) {
    sink.uses?.add("transparency");
    const mask = sink.add({ dict: image("/DeviceGray", 1, softMask.bits), data: softMask.data });
    return sink.add({ dict: `${dict} /SMask ${mask}`, data: color });
  }
  return sink.add({ dict: colorKey ? `${dict} /Mask [${colorKey.join(" ")}]` : dict, data: color });
}
