import { crc32 } from "#platform/zlib";
import { EngineError } from "../errors.ts";
import { checkSize, type ImageLimits } from "./checkSize.ts";

/** The image header (PNG, 11.2.1). */
export interface PngHeader {
  width: number;
  height: number;
  bitDepth: number;
  colorType: ColorType;
  interlaced: boolean;
}

/** Color types of the image header (PNG, 11.2.1). */
export const GRAY = 0;
export const RGB = 2;
export const INDEXED = 3;
export const GRAY_ALPHA = 4;
export const RGB_ALPHA = 6;
type ColorType = typeof GRAY | typeof RGB | typeof INDEXED | typeof GRAY_ALPHA | typeof RGB_ALPHA;

/** A parsed PNG, whose image data is still compressed. */
export interface Png {
  header: PngHeader;
  /**
   * Ancillary chunks that precede the image data, by type. Contains only types in `USED_ANCILLARY`, and only the first
   * chunk of each type.
   */
  ancillary: ReadonlyMap<string, Uint8Array>;
  /** Red, green and blue of each palette entry. Empty unless the color type is INDEXED. */
  palette: Uint8Array;
  /** The contents of all IDAT chunks: one zlib stream of filtered scanlines. */
  data: Uint8Array;
}

const SIGNATURE_LENGTH = 8;
/** Total size in bytes of a chunk's length, type and CRC. */
const CHUNK_OVERHEAD = 12;
const HEADER_LENGTH = 13;

const BIT_DEPTHS: Readonly<Record<ColorType, readonly number[]>> = {
  [GRAY]: [1, 2, 4, 8, 16],
  [RGB]: [8, 16],
  [INDEXED]: [1, 2, 4, 8],
  [GRAY_ALPHA]: [8, 16],
  [RGB_ALPHA]: [8, 16],
};

const CHANNELS: Readonly<Record<ColorType, number>> = {
  [GRAY]: 1,
  [RGB]: 3,
  [INDEXED]: 1,
  [GRAY_ALPHA]: 2,
  [RGB_ALPHA]: 4,
};

/** Ancillary chunks that affect how the image is displayed. */
const USED_ANCILLARY: readonly string[] = ["tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "eXIf"];

interface Chunk {
  type: string;
  /** Start and end offsets of the chunk in the file. */
  at: number;
  end: number;
  data: Uint8Array;
  isIntact(): boolean;
}

/** Returns whether the image has an alpha channel. */
export function hasAlphaChannel({ colorType }: PngHeader): boolean {
  return colorType === GRAY_ALPHA || colorType === RGB_ALPHA;
}

/** Returns the number of bits of a pixel, in all channels together. */
export function bitsPerPixel({ colorType, bitDepth }: PngHeader): number {
  return CHANNELS[colorType] * bitDepth;
}

/** Returns the number of bytes of a scanline of `width` pixels, including its filter type (PNG, 7.2). */
export function scanlineLength(header: PngHeader, width: number): number {
  return 1 + Math.ceil((width * bitsPerPixel(header)) / 8);
}

/**
 * Maximum number of chunks. Encoders write a few thousand for large images. Reading millions of empty chunks would take
 * seconds.
 */
const MAX_CHUNKS = 50_000;

/**
 * Parses the chunks of a PNG (PNG, 5.3 and 5.6). A wrong CRC of a critical chunk or of tRNS is an error. Other
 * ancillary chunks with a wrong CRC are ignored, as in other decoders. Ancillary chunks that do not affect the display
 * are ignored too.
 * @throws EngineError damaged_image, image_too_large, or unsupported_image for a critical chunk outside of the standard
 */
export function readChunks(bytes: Uint8Array, limits: ImageLimits): Png {
  let header: PngHeader | undefined;
  let palette = new Uint8Array();
  const ancillary = new Map<string, Uint8Array>();
  const imageData = { at: 0, length: 0 };
  let previous = "";

  for (const { type, at, data, isIntact } of chunks(bytes)) {
    const isCritical = /^[A-Z]/.test(type);
    if ((isCritical || type === "tRNS") && !isIntact()) throw damaged(`has a wrong checksum in its ${type} chunk`);
    if (!header) {
      if (type === "CgBI") throw unsupported("is in Apple's private format for apps");
      if (type !== "IHDR") throw damaged("does not begin with its header");
      header = readHeader(data);
      checkSize(header.width, header.height, limits);
    } else if (type === "IDAT") {
      if (previous !== "IDAT") {
        if (imageData.at > 0) throw damaged("has other chunks between its image data chunks");
        imageData.at = at;
      }
      imageData.length += data.length;
    } else if (type === "PLTE") {
      if (imageData.at > 0 || palette.length > 0) throw damaged("has its palette in the wrong place");
      palette = new Uint8Array(checkedPalette(data, header));
    } else if (type === "IEND") {
      break;
    } else if (isCritical) {
      throw type === "IHDR" ? damaged("has two headers") : unsupported(`has a chunk outside of the standard (${type})`);
    } else if (USED_ANCILLARY.includes(type) && !ancillary.has(type) && imageData.at === 0 && isIntact()) {
      ancillary.set(type, data);
    }
    previous = type;
  }

  if (!header || imageData.at === 0) throw damaged("has no image data");
  if (header.colorType === INDEXED && palette.length === 0) throw damaged("has no palette");
  return { header, ancillary, palette, data: joinImageData(bytes, imageData) };
}

/**
 * Returns the contents of consecutive IDAT chunks. Copies the bytes only if there are several chunks.
 * @param at offset of the first IDAT chunk
 * @param length total length of the contents
 */
function joinImageData(bytes: Uint8Array, { at, length }: { at: number; length: number }): Uint8Array {
  const first = chunkAt(bytes, at).data;
  if (first.length === length) return first;

  const joined = new Uint8Array(length);
  for (let filled = 0; filled < length; ) {
    const { data, end } = chunkAt(bytes, at);
    joined.set(data, filled);
    filled += data.length;
    at = end;
  }
  return joined;
}

/** Yields the chunks up to and including IEND. */
function* chunks(bytes: Uint8Array): Generator<Chunk> {
  let at = SIGNATURE_LENGTH;
  let count = 0;
  for (let type = ""; type !== "IEND"; ) {
    if (++count > MAX_CHUNKS) throw damaged("has too many chunks");
    const chunk = chunkAt(bytes, at);
    yield chunk;
    ({ type, end: at } = chunk);
  }
}

function chunkAt(bytes: Uint8Array, at: number): Chunk {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = at + CHUNK_OVERHEAD > bytes.length ? Infinity : at + CHUNK_OVERHEAD + view.getUint32(at);
  if (end > bytes.length) throw damaged("ends too early");

  const checked = bytes.subarray(at + 4, end - 4);
  const type = String.fromCharCode(checked[0]!, checked[1]!, checked[2]!, checked[3]!);
  if (!/^[A-Za-z]{4}$/.test(type)) throw damaged("has a chunk of an invalid type");
  return { type, at, end, data: checked.subarray(4), isIntact: () => crc32(checked) === view.getUint32(end - 4) };
}

function readHeader(data: Uint8Array): PngHeader {
  if (data.length !== HEADER_LENGTH) throw damaged("has a header of the wrong length");
  const view = new DataView(data.buffer, data.byteOffset, HEADER_LENGTH);
  const [bitDepth, colorType, compression, filter, interlace] = data.subarray(8) as unknown as [
    number,
    number,
    number,
    number,
    number,
  ];

  if (!isColorType(colorType) || !BIT_DEPTHS[colorType].includes(bitDepth))
    throw damaged(`has an invalid combination of color type ${colorType} and bit depth ${bitDepth}`);
  if (compression !== 0 || filter !== 0 || interlace > 1)
    throw damaged("has an unknown compression, filter or interlace method");
  return { width: view.getUint32(0), height: view.getUint32(4), bitDepth, colorType, interlaced: interlace === 1 };
}

function isColorType(value: number): value is ColorType {
  return value in CHANNELS;
}

/**
 * Returns the palette entries that pixels can refer to. Returns no entries for truecolor, because its palette is only a
 * hint (PNG, 11.2.2).
 */
function checkedPalette(data: Uint8Array, { colorType, bitDepth }: PngHeader): Uint8Array {
  if (colorType === GRAY || colorType === GRAY_ALPHA) throw damaged("is gray but has a palette");
  if (data.length === 0 || data.length % 3 !== 0) throw damaged("has a palette of the wrong length");
  if (colorType !== INDEXED) return data.subarray(0, 0);
  return data.subarray(0, 3 * 2 ** bitDepth);
}

function damaged(what: string): EngineError {
  return new EngineError("damaged_image", `The PNG ${what}. Save it again.`);
}

function unsupported(what: string): EngineError {
  return new EngineError("unsupported_image", `The PNG ${what}. Save it as an ordinary PNG.`);
}
