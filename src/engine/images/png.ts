import { avoidsTransparency, type ObjectSink } from "../pdf/document/newObject.ts";
import { deinterlaced } from "./adam7.ts";
import type { ImageLimits } from "./checkSize.ts";
import { type Colors, ColorWriter } from "./colorWriter.ts";
import { interpolateEntry } from "./interpolation.ts";
import { orientationOf, swapsSides } from "./orientation.ts";
import type { EmbeddedPicture, Picture } from "./picture.ts";
import { GRAY, hasAlphaChannel, INDEXED, type Png, RGB, readChunks, scanlineLength } from "./pngChunks.ts";
import { hasGrays, pngColorSpace } from "./pngColor.ts";
import { type Transparency, transparencyOf } from "./pngTransparency.ts";
import { scanlines } from "./scanlines.ts";
import { layoutOf, type SoftMask, splitAlpha } from "./splitAlpha.ts";
import { decodeEntry } from "./tint.ts";
import { type Content, Deflater } from "./zlibStreams.ts";

/** An image as written to the PDF: zlib streams of PNG scanlines. */
interface Planes {
  colors: Colors;
  /** Bits per sample of the colors. */
  bits: number;
  softMask?: SoftMask | undefined;
}

/**
 * Maximum number of bytes of unchanged image data that are decompressed to check their length against the header. The
 * limit covers 8-bit RGB images of up to 1250 x 1250 pixels, for which the check takes 20 ms. For a photograph of 12
 * megapixels, the check would take 150 ms.
 */
const CHECKED_BYTES = 5_000_000;

/** Compression ratio above which an image counts as a drawing. Drawings have many repetitions. */
const DRAWING_RATIO = 8;

/**
 * Reads a PNG of any kind in the standard. PDF supports PNG's filters and compression (FlateDecode with a predictor,
 * ISO 32000-2, 7.4.4), so most image data is copied. Only alpha, interlacing and some kinds of tRNS are processed,
 * scanline by scanline. Bytes after the zlib stream and after IEND are ignored. An Exif orientation (eXIf) is applied.
 * @throws EngineError unsupported_image, damaged_image or image_too_large
 */
export async function readPng(bytes: Uint8Array, limits: ImageLimits): Promise<Picture> {
  const source = readChunks(bytes, limits);
  const { width, height } = source.header;
  const matrix = orientationOf(source.ancillary.get("eXIf"));
  const planes = await readPlanes(source, limits);

  return {
    width: swapsSides(matrix) ? height : width,
    height: swapsSides(matrix) ? width : height,
    isBlank: planes.softMask?.isBlank ?? false,
    visibleColor: planes.softMask?.color,
    size: bytes.length + planes.colors.data.length + (planes.softMask?.data.length ?? 0),
    embed: (sink, tint = 1) => ({ ...embedPlanes(source, planes, sink, tint), matrix }),
  };
}

/**
 * Reduces a PNG of 16 bits per sample to the high byte of each sample. The filters stay valid, because they combine
 * bytes that are a whole pixel apart (PNG, 9.2).
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

async function readPlanes(source: Png, limits: ImageLimits): Promise<Planes> {
  const maxBitDepth = limits.maxBitDepth ?? 16;
  const isTooDeep = source.header.bitDepth > maxBitDepth;
  // The transparent color in a tRNS chunk also has 16 bits. Pixels are therefore compared with that color before the
  // samples are reduced.
  const png = isTooDeep && !hasTransparencyChunk(source) ? await with8Bits(source) : source;
  const transparency = transparencyOf(png, limits.hasHardMask);
  const planes = transparency ? await readTransparent(png, transparency) : await readOpaque(png);
  if (planes.bits <= maxBitDepth) return planes;

  const colorType = planes.colors.components === 1 ? GRAY : RGB;
  const header = { ...png.header, colorType, interlaced: false } as const;
  const { data } = await with8Bits({ ...png, header, data: planes.colors.data });
  return { ...planes, bits: 8, colors: { ...planes.colors, data } };
}

/** Returns whether a tRNS chunk, instead of an alpha channel, defines the transparency. */
function hasTransparencyChunk({ header, ancillary }: Png): boolean {
  return ancillary.has("tRNS") && !hasAlphaChannel(header);
}

async function readTransparent(png: Png, transparency: Transparency): Promise<Planes> {
  const options = { content: contentOf(png), mayBeGray: hasGrays(png), palette: png.palette };
  const planes = await splitAlpha(linesOf(png), png.header, transparency, options);
  // no pixel is transparent, so the image data can be copied
  if (!planes.softMask && hasTransparencyChunk(png)) return readOpaque(png);
  return { ...planes, bits: Math.max(8, png.header.bitDepth) };
}

async function readOpaque(png: Png): Promise<Planes> {
  const { header, data } = png;
  const layout = layoutOf(header);
  const isRewritten = header.interlaced;
  let writer: ColorWriter | undefined = new ColorWriter(layout, contentOf(png), hasGrays(png));

  let checked = 0;
  for await (const line of linesOf(png)) {
    if (isRewritten) await writer?.add(line);
    else if (writer && !(await writer.addGray(line))) writer = undefined;
    checked += line.length;
    if (checked > CHECKED_BYTES && !writer) break;
  }
  const colors = writer ? await writer.finish() : { data, components: layout.components };
  return { colors, bits: header.bitDepth };
}

function linesOf(png: Png): AsyncIterable<Uint8Array> {
  const { header, data } = png;
  if (header.interlaced) return deinterlaced(png);
  const lengths = new Array<number>(header.height).fill(scanlineLength(header, header.width));
  return scanlines(data, lengths);
}

function contentOf({ header, data }: Png): Content {
  if (header.colorType === INDEXED || header.bitDepth < 8) return "drawing";
  return data.length * DRAWING_RATIO < scanlineLength(header, header.width) * header.height ? "drawing" : "photograph";
}

function embedPlanes(
  png: Png,
  { colors, bits, softMask }: Planes,
  sink: ObjectSink,
  tint: number,
): Omit<EmbeddedPicture, "matrix"> {
  const { width, height } = png.header;
  const image = (space: string, components: number, bitsPerComponent: number) =>
    `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${space} /BitsPerComponent ${bitsPerComponent} ` +
    `/Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors ${components} /Columns ${width} ` +
    `/BitsPerComponent ${bitsPerComponent} >>${interpolateEntry(sink)}`;

  const { components, data } = colors;
  const decode = png.header.colorType === INDEXED ? "" : decodeEntry(components, tint);
  const dict = image(`/ColorSpace ${pngColorSpace(png, components, sink, tint)}${decode}`, components, bits);
  if (!softMask) return { xobject: sink.add({ dict, data }) };

  const isHard = softMask.bits === 1 && avoidsTransparency(sink);
  if (!isHard) sink.uses?.add("transparency");
  const mask = sink.add({
    dict: image(isHard ? "/ImageMask true /Decode [1 0]" : "/ColorSpace /DeviceGray", 1, softMask.bits),
    data: softMask.data,
  });
  const maskEntry = `${isHard ? "/Mask" : "/SMask"} ${mask}`;
  return { xobject: sink.add({ dict: `${dict} ${maskEntry}`, data }), maskEntry };
}
