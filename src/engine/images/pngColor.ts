import { deflate, inflate } from "#platform/zlib";
import type { ObjectSink } from "../pdf/newObject.ts";
import { calibratedProfile } from "./calibratedProfile.ts";
import { deviceSpace, isUsableProfile } from "./icc.ts";
import { GRAY, GRAY_ALPHA, INDEXED, type Png } from "./pngChunks.ts";

/** A profile of three components is rarely over 1 MB; one larger than this is ignored. */
const MAX_PROFILE_BYTES = 4_000_000;

/**
 * Returns the colour space of a PNG, after writing the objects it needs (ISO 32000-2, 8.6). In order of precedence: an
 * ICC profile that fits (iCCP), sRGB, gamma and chromaticities (gAMA, cHRM) unless they amount to sRGB. sRGB is written
 * as device colour, which viewers show as sRGB. Ignored: cICP (a decoder that does not know it uses the others; PNG,
 * 4.3), sBIT, bKGD, and pHYs, as in browsers.
 */
export function pngColorSpace(png: Png, sink: ObjectSink): string {
  const { colorType } = png.header;
  const base = samplesSpace(png, colorType === GRAY || colorType === GRAY_ALPHA ? 1 : 3, sink);
  if (colorType !== INDEXED) return base;
  return `[/Indexed ${base} ${png.palette.length / 3 - 1} ${sink.add({ dict: "", data: png.palette })}]`;
}

function samplesSpace(png: Png, components: 1 | 3, sink: ObjectSink): string {
  const device = deviceSpace(components);
  const data = embeddedProfile(png.ancillary.get("iCCP"), components) ?? statedProfile(png, components);
  if (!data) return device;
  return `[/ICCBased ${sink.add({ dict: `/N ${components} /Alternate ${device} /Filter /FlateDecode`, data })}]`;
}

/** Returns the zlib stream in an iCCP chunk (PNG, 11.3.2.3) if its profile is usable for this many components. */
function embeddedProfile(chunk: Uint8Array | undefined, components: number): Uint8Array | undefined {
  if (!chunk) return undefined;
  // The name is followed by its terminator and the compression method.
  const compressed = chunk.subarray(chunk.indexOf(0) + 2);
  try {
    const profile = inflate(compressed, MAX_PROFILE_BYTES);
    return isUsableProfile(profile, components) ? compressed : undefined;
  } catch {
    return undefined;
  }
}

function statedProfile({ ancillary }: Png, components: 1 | 3): Uint8Array | undefined {
  if (ancillary.has("sRGB")) return undefined;
  const [gamma] = uint32s(ancillary.get("gAMA"), 1) ?? [];
  const profile = calibratedProfile(components, { gamma, chromaticities: uint32s(ancillary.get("cHRM"), 8) });
  return profile && deflate(profile);
}

function uint32s(chunk: Uint8Array | undefined, count: number): number[] | undefined {
  if (chunk?.length !== count * 4) return undefined;
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Array.from({ length: count }, (_, i) => view.getUint32(i * 4));
}
