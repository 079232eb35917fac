/** Writes the color spaces of images and texts (ISO 32000-2, 8.6). */
import { deflate } from "#platform/zlib";
import type { ObjectSink } from "../pdf/document/newObject.ts";
import { srgbProfile } from "./calibratedProfile.ts";
import { asVersion2 } from "./iccVersion2.ts";

const DEVICE: Readonly<Record<number, string>> = { 1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK" };

/**
 * Returns a color space for images and texts without a profile: sRGB, the grays of sRGB, or CMYK. By default, the
 * result is a device color space, which viewers show as sRGB. The result has an ICC profile of sRGB if the file's
 * conformance forbids device colors, or if a page redefines them by a default color space. CMYK is always a device
 * color space.
 */
export function plainSpace(components: number, sink: ObjectSink): string {
  if (components === 4) sink.uses?.add("device CMYK");
  else if (components === 3) sink.uses?.add("colors");
  if (components === 4 || (sink.deviceColors?.has(components) ?? true)) return DEVICE[components]!;
  sink.uses?.add("colors");
  const data = deflate(srgbProfile(components === 1 ? 1 : 3), 9);
  return `[/ICCBased ${sink.add({ dict: `/N ${components}/Filter/FlateDecode`, data })}]`;
}

/** An ICC profile: its plain bytes and its zlib stream. */
export interface Profile {
  readonly bytes: Uint8Array;
  readonly deflated: Uint8Array;
}

/**
 * Returns a color space with an ICC profile (ISO 32000-2, 8.6.5.5). For PDF/A-1, a profile of a later version is
 * rewritten as version 2 if possible.
 */
export function profiledSpace(components: number, { bytes, deflated }: Profile, sink: ObjectSink): string {
  sink.uses?.add("colors");
  let data = deflated;
  if (sink.pdfa?.part === 1 && bytes[8]! > 2) {
    const older = asVersion2(bytes, components);
    if (older) data = deflate(older);
    else sink.uses?.add("ICC version 4");
  }
  const dict = `/N ${components} /Alternate ${DEVICE[components]} /Filter /FlateDecode`;
  return `[/ICCBased ${sink.add({ dict, data })}]`;
}
