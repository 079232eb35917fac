import { deflate, inflate } from "#platform/zlib";
import type { ObjectSink } from "../pdf/newObject.ts";
import { calibratedProfile } from "./calibratedProfile.ts";
import { type Profile, plainSpace, profiledSpace } from "./colorSpaces.ts";
import { isUsableProfile } from "./icc.ts";
import { GRAY, GRAY_ALPHA, INDEXED, type Png } from "./pngChunks.ts";

/** A profile of three components is rarely over 1 MB; one larger than this is ignored. */
const MAX_PROFILE_BYTES = 4_000_000;

/**
 * Returns the colour space of a PNG, after writing the objects it needs (ISO 32000-2, 8.6). In order of precedence: an
 * ICC profile that fits (iCCP), sRGB, gamma and chromaticities (gAMA, cHRM) unless they amount to sRGB. Ignored: cICP (a decoder that does not know it uses the others; PNG,
 * 4.3), sBIT, bKGD, and pHYs, as in browsers.
 */
export function pngColorSpace(png: Png, sink: ObjectSink): string {
  const { colorType } = png.header;
  const base = samplesSpace(png, colorType === GRAY || colorType === GRAY_ALPHA ? 1 : 3, sink);
  if (colorType !== INDEXED) return base;
  return `[/Indexed ${base} ${png.palette.length / 3 - 1} ${sink.add({ dict: "", data: png.palette })}]`;
}

function samplesSpace(png: Png, components: 1 | 3, sink: ObjectSink): string {
  const profile = embeddedProfile(png.ancillary.get("iCCP"), components) ?? statedProfile(png, components);
  return profile ? profiledSpace(components, profile, sink) : plainSpace(components, sink);
}

/** Returns the profile in an iCCP chunk (PNG, 11.3.2.3) if it is usable for this many components. */
function embeddedProfile(chunk: Uint8Array | undefined, components: number): Profile | undefined {
  if (!chunk) return undefined;
  // The name is followed by its terminator and the compression method.
  const deflated = chunk.subarray(chunk.indexOf(0) + 2);
  try {
    const bytes = inflate(deflated, MAX_PROFILE_BYTES);
    return isUsableProfile(bytes, components) ? { bytes, deflated } : undefined;
  } catch {
    return undefined;
  }
}

function statedProfile({ ancillary }: Png, components: 1 | 3): Profile | undefined {
  if (ancillary.has("sRGB")) return undefined;
  const [gamma] = uint32s(ancillary.get("gAMA"), 1) ?? [];
  const bytes = calibratedProfile(components, { gamma, chromaticities: uint32s(ancillary.get("cHRM"), 8) });
  return bytes && { bytes, deflated: deflate(bytes) };
}

function uint32s(chunk: Uint8Array | undefined, count: number): number[] | undefined {
  if (chunk?.length !== count * 4) return undefined;
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Array.from({ length: count }, (_, i) => view.getUint32(i * 4));
}
