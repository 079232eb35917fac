import { EngineError } from "../errors.ts";
import { GRAY, GRAY_ALPHA, INDEXED, type Png, RGB, RGB_ALPHA } from "./pngChunks.ts";
import { FILTER } from "./scanlines.ts";

/** Reads the alpha of an image's pixels and draws its soft mask. */
export interface Transparency {
  /** Bits per pixel of the soft mask. */
  bits: 1 | 8 | 16;
  /** Writes the alpha of each pixel of a row. Alpha is 0 for an invisible pixel, and 255 only for an opaque pixel. */
  readAlpha(pixels: Uint8Array, alpha: Uint8Array): void;
  /** Draws a scanline of the soft mask from the image's scanline and the result of `readAlpha`. */
  drawMask(line: Uint8Array, alpha: Uint8Array, mask: Uint8Array): void;
}

/**
 * Returns the transparency of a PNG. If `isHard`, the soft mask has only one bit per pixel.
 * @throws like {@link softTransparencyOf}
 */
export function transparencyOf(png: Png, isHard = false): Transparency | undefined {
  const transparency = softTransparencyOf(png);
  return transparency && isHard ? { ...transparency, ...HARD_MASK } : transparency;
}

/**
 * Returns the transparency of a PNG. An alpha channel or a tRNS chunk defines the transparency (PNG, 11.3.1.1).
 * @returns undefined if the PNG has neither, or if all palette entries are opaque
 * @throws EngineError damaged_image if the length of tRNS does not fit the color type
 */
function softTransparencyOf({ header, ancillary, palette }: Png): Transparency | undefined {
  const { colorType, bitDepth } = header;
  if (colorType === RGB_ALPHA) return bitDepth === 8 ? alphaChannel(4, 3, 1) : alphaChannel(8, 6, 2);
  if (colorType === GRAY_ALPHA) return bitDepth === 8 ? alphaChannel(2, 1, 1) : alphaChannel(4, 2, 2);

  const chunk = ancillary.get("tRNS");
  if (!chunk) return undefined;
  if (colorType === INDEXED) return paletteTransparency(chunk.subarray(0, palette.length / 3), bitDepth);
  if (chunk.length !== (colorType === RGB ? 6 : 2))
    throw new EngineError("damaged_image", "The PNG has a tRNS chunk of the wrong length. Save it again.");
  return colorType === GRAY && bitDepth < 8 ? transparentGray(chunk, bitDepth) : transparentColor(chunk, bitDepth);
}

/** Unpacks samples of `bits` bits into one byte per sample. */
export function unpack(pixels: Uint8Array, bits: number, samples: Uint8Array): void {
  const highest = 2 ** bits - 1;
  for (let x = 0, bit = 0; x < samples.length; x++, bit += bits)
    samples[x] = (pixels[bit >> 3]! >> (8 - bits - (bit & 7))) & highest;
}

/** @param start offset of the alpha in a pixel's bytes */
function alphaChannel(pixelBytes: number, start: number, bytes: 1 | 2): Transparency {
  return {
    bits: bytes === 1 ? 8 : 16,
    readAlpha(pixels, alpha) {
      for (let x = 0, at = start; x < alpha.length; x++, at += pixelBytes) alpha[x] = pixels[at]!;
      if (bytes === 1) return;
      for (let x = 0, at = start + 1; x < alpha.length; x++, at += pixelBytes)
        if (alpha[x] === 255 && pixels[at]! < 255) alpha[x] = 254;
    },
    // Filters act on each channel separately (PNG, 9.2), so the filtered alpha bytes are the scanline of the mask.
    drawMask(line, _, mask) {
      mask[0] = line[0]!;
      for (let i = 0; i < bytes; i++)
        for (let from = 1 + start + i, to = 1 + i; to < mask.length; from += pixelBytes, to += bytes)
          mask[to] = line[from]!;
    },
  };
}

function paletteTransparency(alphas: Uint8Array, bitDepth: number): Transparency | undefined {
  if (alphas.every((alpha) => alpha === 255)) return undefined;
  const alphaOf = new Uint8Array(256).fill(255);
  alphaOf.set(alphas);
  return {
    readAlpha(pixels, alpha) {
      unpack(pixels, bitDepth, alpha);
      for (let x = 0; x < alpha.length; x++) alpha[x] = alphaOf[alpha[x]!]!;
    },
    ...(alphas.every((alpha) => alpha === 0 || alpha === 255) ? HARD_MASK : SOFT_MASK),
  };
}

/** @param chunk the transparent sample in 16 bits; bits above the bit depth are ignored */
function transparentGray(chunk: Uint8Array, bitDepth: number): Transparency {
  const transparent = chunk[1]! & (2 ** bitDepth - 1);
  return {
    readAlpha(pixels, alpha) {
      unpack(pixels, bitDepth, alpha);
      for (let x = 0; x < alpha.length; x++) alpha[x] = alpha[x] === transparent ? 0 : 255;
    },
    ...HARD_MASK,
  };
}

/** @param chunk the transparent samples, 16 bits each */
function transparentColor(chunk: Uint8Array, bitDepth: number): Transparency {
  const transparent = bitDepth === 16 ? chunk : chunk.filter((_, i) => i % 2 === 1);
  return {
    readAlpha(pixels, alpha) {
      for (let x = 0, at = 0; x < alpha.length; x++, at += transparent.length) {
        let i = 0;
        while (i < transparent.length && pixels[at + i] === transparent[i]) i++;
        alpha[x] = i === transparent.length ? 0 : 255;
      }
    },
    ...HARD_MASK,
  };
}

const SOFT_MASK: Pick<Transparency, "bits" | "drawMask"> = {
  bits: 8,
  drawMask(_, alpha, mask) {
    mask[0] = FILTER.NONE;
    mask.set(alpha, 1);
  },
};

const HARD_MASK: Pick<Transparency, "bits" | "drawMask"> = {
  bits: 1,
  drawMask(_, alpha, mask) {
    mask.fill(0);
    for (let x = 0; x < alpha.length; x++) mask[1 + (x >> 3)]! |= (alpha[x]! & 0x80) >> (x & 7);
  },
};
