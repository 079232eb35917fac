/** Determines the PDF version in the output's header (ISO 32000-2, 7.5.2). */
import { decodeLatin1 } from "../../bytes.ts";
import type { NewObject } from "../document/newObject.ts";
import type { ByteSource } from "../source/byteSource.ts";
import type { Value } from "../syntax/values.ts";

/**
 * Minimum minor version of PDF 1 for a marked file. Any mark may use compression, embedded fonts, marked content or ICC
 * profiles.
 */
const PLAIN = 3;
/** Minor version of PDF 1 that introduced soft masks and transparency groups (ISO 32000-2, 11.6.5 and 11.6.6). */
const TRANSPARENCY = 4;
/**
 * Minor version of PDF 1 that introduced object streams, cross-reference streams, and images of 16 bits per component.
 */
const STREAMS = 5;
const DEEP_IMAGES = 5;

/** The version digit to overwrite in the header, and the new value of this digit. */
export interface VersionDigit {
  /** Offset of the digit in the source. */
  offset: number;
  digit: string;
}

/**
 * Returns the digit that raises the header's version if the new objects need a higher version. Returns undefined if the
 * header or the catalog's /Version already states a sufficient version.
 * @param origin offset of the header
 * @param version the catalog's /Version
 * @param usesStreams whether the output has object or cross-reference streams
 * @throws MissingRange if bytes must be fetched first
 */
export function raisedVersion(
  source: ByteSource,
  origin: number,
  version: Value | undefined,
  added: Iterable<NewObject>,
  usesStreams: boolean,
): VersionDigit | undefined {
  const header = decodeLatin1(source.bytes(origin, Math.min(origin + 9, source.length)));
  const minor = /^%PDF-1\.(\d)(?!\d)/.exec(header)?.[1];
  if (minor === undefined || Number(minor) >= STREAMS) return undefined;
  const needed = usesStreams ? STREAMS : neededBy(added);
  const stated = typeof version === "string" ? Number(version) : 0;
  if (Number(minor) >= needed || stated >= 1 + needed / 10) return undefined;
  return { offset: origin + 7, digit: String(needed) };
}

/** Returns the minor version of PDF 1 that the added objects need. */
function neededBy(added: Iterable<NewObject>): number {
  let needed = PLAIN;
  for (const object of added) {
    if (typeof object === "string") continue;
    if (/\/BitsPerComponent 16\b/.test(object.dict)) needed = Math.max(needed, DEEP_IMAGES);
    if (/\/S\/Transparency|\/SMask( \d|<<)/.test(object.dict)) needed = Math.max(needed, TRANSPARENCY);
  }
  return needed;
}
