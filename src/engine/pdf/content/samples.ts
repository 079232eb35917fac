/** An image whose samples are not compressed (ISO 32000-2, 8.9.5.2). */
export interface Samples {
  readonly width: number;
  readonly height: number;
  /** Bits per color component: 1, 2, 4 or 8. */
  readonly bits: number;
  readonly components: number;
  /** Whether the samples are indexes into a palette. Nearby indexes can have very different colors. */
  readonly isIndexed: boolean;
  readonly data: Uint8Array;
}

/** Returns a color component of a pixel, or 0 if the data ends before the pixel. Row 0 is at the top. */
export function sampleAt({ width, bits, components, data }: Samples, x: number, y: number, component = 0): number {
  const stride = Math.ceil((width * components * bits) / 8);
  const bit = (x * components + component) * bits;
  return ((data[y * stride + (bit >> 3)] ?? 0) >> (8 - bits - (bit & 7))) & ((1 << bits) - 1);
}
