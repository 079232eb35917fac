import { deflate } from "#platform/zlib";
import { concat } from "../bytes.ts";
import type { ObjectSink } from "../pdf/newObject.ts";
import { deviceSpace, isUsableProfile } from "./icc.ts";
import type { Frame } from "./jpegFrame.ts";

/** The letters some encoders identify components with to say that they are not Y, Cb and Cr. */
const RGB_IDS = "82,71,66";

/** An ICC profile out of one or more APP2 segments (ICC.1:2010, B.4), each numbered from 1. */
export class ProfileParts {
  readonly #parts: (Uint8Array | undefined)[] = [];
  #count = 0;

  /** Takes what follows the identifier of a segment: its number, how many there are, the bytes. */
  add(part: Uint8Array): void {
    const [number, count] = part;
    if (!number || !count || number > count) return;
    this.#parts[number - 1] ??= part.subarray(2);
    this.#count = count;
  }

  /** The whole profile if every part has come and it fits the components. */
  join(components: number): Uint8Array | undefined {
    const parts = this.#parts.filter((part) => part !== undefined);
    if (parts.length === 0 || parts.length !== this.#count) return undefined;
    const profile = concat(parts);
    return isUsableProfile(profile, components) ? profile : undefined;
  }
}

/** Writes the profile, if any, and returns the colour space. */
export function jpegColorSpace(components: number, profile: Uint8Array | undefined, sink: ObjectSink): string {
  const device = deviceSpace(components);
  if (!profile) return device;
  const dict = `/N ${components} /Alternate ${device} /Filter /FlateDecode`;
  return `[/ICCBased ${sink.add({ dict, data: deflate(profile, 1) })}]`;
}

/**
 * What a reader must be told about the components beyond their number. Photoshop stores the four inks inverted, and
 * leaves an Adobe marker; without one they are as they should be. Three components are YCbCr for a PDF (ISO 32000-2,
 * table 13), but RGB for every JPEG decoder if their identifiers say so and no marker says otherwise.
 */
export function jpegColorEntries({ componentIds }: Frame, { adobe, jfif }: { adobe: boolean; jfif: boolean }): string {
  if (componentIds.length === 4 && adobe) return "/Decode [1 0 1 0 1 0 1 0]";
  if (componentIds.join() === RGB_IDS && !adobe && !jfif) return "/DecodeParms << /ColorTransform 0 >>";
  return "";
}
