import { EngineError } from "../errors.ts";
import { GRAY, INDEXED, type Png, RGB } from "./pngChunks.ts";

/** A soft mask that has to be drawn: `draw` makes a row of it, `bits` per pixel, from a row of pixels. */
export interface DrawnMask {
  bits: 1 | 8;
  draw(pixels: Uint8Array, mask: Uint8Array): void;
}

/** What a tRNS chunk becomes in a PDF (ISO 32000-2, 8.9.6.4 and 11.6.5.2): one of these, or none if all is opaque. */
export interface Transparency {
  /** The /Mask: for each component, the lowest and highest value that are not painted. */
  colorKey?: readonly number[];
  softMask?: DrawnMask;
}

/**
 * Reads the tRNS chunk (PNG, 11.3.1.1).
 * @throws EngineError damaged_image if its length does not fit the colour type
 */
export function transparencyOf({ header, ancillary, palette }: Png): Transparency {
  const chunk = ancillary.get("tRNS");
  if (!chunk) return {};
  const { colorType, bitDepth } = header;
  if (colorType === INDEXED) return paletteTransparency(chunk.subarray(0, palette.length / 3), bitDepth);
  if (colorType !== GRAY && colorType !== RGB) return {};

  if (chunk.length !== (colorType === RGB ? 6 : 2))
    throw new EngineError("damaged_image", "The PNG names its transparent colour in the wrong way. Save it again.");
  if (bitDepth === 16) return { softMask: { bits: 1, draw: (pixels, mask) => drawOtherColors(pixels, chunk, mask) } };

  // Each sample has 16 bits, of which those above the bit depth are ignored.
  const key = Array.from({ length: chunk.length / 2 }, (_, i) => chunk[i * 2 + 1]! & (2 ** bitDepth - 1));
  return { colorKey: key.flatMap((sample) => [sample, sample]) };
}

function paletteTransparency(alphas: Uint8Array, bitDepth: number): Transparency {
  const first = alphas.findIndex((alpha) => alpha < 255);
  if (first < 0) return {};
  const last = alphas.findLastIndex((alpha) => alpha < 255);
  if (alphas.subarray(first, last + 1).every((alpha) => alpha === 0)) return { colorKey: [first, last] };

  const alphaOf = new Uint8Array(256).fill(255);
  alphaOf.set(alphas);
  return { softMask: { bits: 8, draw: (pixels, mask) => drawAlphas(pixels, bitDepth, alphaOf, mask) } };
}

/** Writes the alpha of each pixel, given as palette indices of `bitDepth` bits. */
function drawAlphas(pixels: Uint8Array, bitDepth: number, alphaOf: Uint8Array, mask: Uint8Array): void {
  const highest = 2 ** bitDepth - 1;
  for (let x = 0, bit = 0; x < mask.length; x++, bit += bitDepth)
    mask[x] = alphaOf[(pixels[bit >> 3]! >> (8 - bitDepth - (bit & 7))) & highest]!;
}

/** Writes a bit for each pixel, set unless its bytes are those of the transparent colour. */
function drawOtherColors(pixels: Uint8Array, transparent: Uint8Array, mask: Uint8Array): void {
  mask.fill(0);
  for (let from = 0, x = 0; from < pixels.length; from += transparent.length, x++)
    if (transparent.some((byte, i) => pixels[from + i] !== byte)) mask[x >> 3]! |= 0x80 >> (x & 7);
}
