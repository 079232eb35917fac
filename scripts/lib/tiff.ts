/** Reads uncompressed TIFF files of one channel, as Ghostscript writes them. */
import type { Raster } from "./raster.ts";

const WIDTH = 256;
const HEIGHT = 257;
const COMPRESSION = 259;
const STRIP_OFFSETS = 273;
const STRIP_LENGTHS = 279;
const SHORT = 3;

/**
 * Parses a little-endian TIFF file (TIFF 6.0, section 2) with 8 bits per pixel. The raster has one byte per pixel.
 * @throws Error if the file is compressed or of another kind
 */
export function parseTiff(file: Buffer): Raster {
  if (file.toString("latin1", 0, 2) !== "II") throw new Error("not a little-endian TIFF file");
  const directory = file.readUInt32LE(4);
  const tags = new Map<number, number[]>();
  for (let i = 0; i < file.readUInt16LE(directory); i++) {
    const entry = directory + 2 + 12 * i;
    const [type, count] = [file.readUInt16LE(entry + 2), file.readUInt32LE(entry + 4)];
    const size = type === SHORT ? 2 : 4;
    const at = count * size > 4 ? file.readUInt32LE(entry + 8) : entry + 8;
    const value = (index: number) =>
      size === 2 ? file.readUInt16LE(at + 2 * index) : file.readUInt32LE(at + 4 * index);
    tags.set(
      file.readUInt16LE(entry),
      Array.from({ length: Math.min(count, 1 << 16) }, (_, index) => value(index)),
    );
  }
  const [width, height] = [tags.get(WIDTH)![0]!, tags.get(HEIGHT)![0]!];
  if ((tags.get(COMPRESSION)?.[0] ?? 1) !== 1) throw new Error("a compressed TIFF file");
  const lengths = tags.get(STRIP_LENGTHS)!;
  const strips = tags.get(STRIP_OFFSETS)!.map((offset, index) => file.subarray(offset, offset + lengths[index]!));
  return { width, height, rgb: Buffer.concat(strips) };
}
