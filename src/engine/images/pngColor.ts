import { deflate, inflate } from "#platform/zlib";
import type { ObjectSink } from "../pdf/document/newObject.ts";
import { calibratedProfile } from "./calibratedProfile.ts";
import { type Profile, plainSpace, profiledSpace } from "./colorSpaces.ts";
import { isUsableProfile } from "./icc.ts";
import { asGray } from "./iccVersion2.ts";
import { GRAY, GRAY_ALPHA, INDEXED, type Png } from "./pngChunks.ts";
import { tinted } from "./tint.ts";

/**
 * Maximum size of a decompressed profile in bytes. RGB profiles rarely exceed 1 MB. Profiles over the maximum are
 * ignored.
 */
const MAX_PROFILE_BYTES = 4_000_000;

/**
 * Returns the color space of a PNG and writes the objects that it needs (ISO 32000-2, 8.6). In order of precedence, the
 * color space is a usable ICC profile (iCCP), sRGB, or a gamma and chromaticities (gAMA, cHRM) that differ from sRGB.
 * sBIT, bKGD and pHYs are ignored, as in browsers. cICP is also ignored, because decoders without support for cICP use
 * the other chunks (PNG, 4.3).
 * @param tint see {@link tinted}, for the colors of a palette
 */
export function pngColorSpace(png: Png, components: 1 | 3, sink: ObjectSink, tint: number): string {
  if (png.header.colorType !== INDEXED) return samplesSpace(png, components, sink);
  const { palette } = png;
  const isGray = hasGrays(png) && palette.every((value, i) => value === palette[i - (i % 3)]);
  const data = tinted(isGray ? palette.filter((_, i) => i % 3 === 0) : palette, tint);
  return `[/Indexed ${samplesSpace(png, isGray ? 1 : 3, sink)} ${palette.length / 3 - 1} ${sink.add({ dict: "", data })}]`;
}

/** Returns whether pixels with three equal components can be written as grays that look the same. */
export function hasGrays({ ancillary }: Png): boolean {
  const profile = embeddedProfile(ancillary.get("iCCP"), 3);
  return !profile || asGray(profile.bytes) !== undefined;
}

function samplesSpace(png: Png, components: 1 | 3, sink: ObjectSink): string {
  const profile = profileOf(png, components) ?? profileOfGamma(png, components);
  return profile ? profiledSpace(components, profile, sink) : plainSpace(components, sink);
}

/**
 * Returns the profile that is embedded in a PNG. For a color PNG that is written as gray, returns a profile for its
 * grays.
 */
function profileOf({ header, ancillary }: Png, components: 1 | 3): Profile | undefined {
  const isGray = header.colorType === GRAY || header.colorType === GRAY_ALPHA;
  const profile = embeddedProfile(ancillary.get("iCCP"), isGray ? 1 : 3);
  if (isGray || components === 3 || !profile) return profile;
  const bytes = asGray(profile.bytes);
  return bytes && { bytes, deflated: deflate(bytes) };
}

/** Returns the profile of an iCCP chunk (PNG, 11.3.2.3) if a PDF can use it for `components` components. */
function embeddedProfile(chunk: Uint8Array | undefined, components: number): Profile | undefined {
  if (!chunk) return undefined;
  // The name of the profile ends with a zero byte, and the compression method follows.
  const deflated = chunk.subarray(chunk.indexOf(0) + 2);
  try {
    const bytes = inflate(deflated, MAX_PROFILE_BYTES);
    return isUsableProfile(bytes, components) ? { bytes, deflated } : undefined;
  } catch {
    return undefined;
  }
}

function profileOfGamma({ ancillary }: Png, components: 1 | 3): Profile | undefined {
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
