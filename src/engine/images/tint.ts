/** Mixes the colors of images with white. */

/** Mixes bytes of gray or RGB samples with white. `tint` is the share of the samples in the mixture, from 0 to 1. */
export function tinted(samples: Uint8Array, tint: number): Uint8Array {
  return tint === 1 ? samples : samples.map((sample) => Math.round(255 - tint * (255 - sample)));
}

/**
 * Returns the entry that makes readers mix the samples of an image with white (ISO 32000-2, 8.9.5.2). Returns an empty
 * string if the samples stay unchanged.
 * @param components 1 for gray, 3 for RGB, 4 for CMYK
 * @param tint see {@link tinted}
 * @param isInverted whether the samples are inverted
 */
export function decodeEntry(components: number, tint: number, isInverted = false): string {
  if (tint === 1 && !isInverted) return "";
  const share = (value: number) => Number(value.toFixed(5));
  // White is 0 in CMYK, where 0 means no ink. White is 1 in all other color spaces.
  const range = components === 4 ? [0, share(tint)] : [share(1 - tint), 1];
  if (isInverted) range.reverse();
  return `/Decode [${Array.from({ length: components }, () => range.join(" ")).join(" ")}]`;
}
