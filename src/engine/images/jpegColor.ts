import { deflate } from "#platform/zlib";
import { concat } from "../bytes.ts";
import type { ObjectSink } from "../pdf/document/newObject.ts";
import { plainSpace, profiledSpace } from "./colorSpaces.ts";
import { isUsableProfile } from "./icc.ts";
import type { Frame } from "./jpegFrame.ts";
import { decodeEntry } from "./tint.ts";

/**
 * Component identifiers R, G and B. Some encoders write these identifiers if the components are RGB instead of YCbCr.
 */
const RGB_IDS = "82,71,66";

/** Collects an ICC profile from one or more APP2 segments, which are numbered from 1 (ICC.1:2010, B.4). */
export class ProfileParts {
  readonly #parts: (Uint8Array | undefined)[] = [];
  #count = 0;

  /**
   * Adds the contents of a segment, without its identifier: the segment's number, the number of segments, and a part of
   * the profile.
   */
  add(part: Uint8Array): void {
    const [number, count] = part;
    if (!number || !count || number > count) return;
    this.#parts[number - 1] ??= part.subarray(2);
    this.#count = count;
  }

  /**
   * Returns the whole profile if all parts were added and the profile fits the components. Returns undefined otherwise.
   */
  join(components: number): Uint8Array | undefined {
    const parts = this.#parts.filter((part) => part !== undefined);
    if (parts.length === 0 || parts.length !== this.#count) return undefined;
    const profile = concat(parts);
    return isUsableProfile(profile, components) ? profile : undefined;
  }
}

/** Returns the color space of a JPEG, and writes the color profile if the JPEG has one. */
export function jpegColorSpace(components: number, profile: Uint8Array | undefined, sink: ObjectSink): string {
  return profile
    ? profiledSpace(components, { bytes: profile, deflated: deflate(profile, 1) }, sink)
    : plainSpace(components, sink);
}

/**
 * Returns the entries of the image dictionary that define the meaning of the components. Photoshop inverts CMYK and
 * adds an Adobe marker. CMYK without a marker is not inverted. PDF interprets three components as YCbCr (ISO 32000-2,
 * table 13). JPEG decoders interpret three components as RGB if their identifiers are R, G and B and no marker
 * contradicts this.
 * @param tint see {@link decodeEntry}
 */
export function jpegColorEntries(
  { componentIds }: Frame,
  { adobe, jfif }: { adobe: boolean; jfif: boolean },
  tint: number,
): string {
  const decode = decodeEntry(componentIds.length, tint, componentIds.length === 4 && adobe);
  const isRgb = componentIds.join() === RGB_IDS && !adobe && !jfif;
  return isRgb ? `/DecodeParms << /ColorTransform 0 >>${decode}` : decode;
}
