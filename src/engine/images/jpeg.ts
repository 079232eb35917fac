import { EngineError } from "../errors.ts";
import { checkSize, type ImageLimits } from "./checkSize.ts";
import { interpolateEntry } from "./interpolation.ts";
import { jpegColorEntries, jpegColorSpace, ProfileParts } from "./jpegColor.ts";
import { type Frame, isFrameHeader, readFrame } from "./jpegFrame.ts";
import { MARKER, type Segment, segments } from "./jpegSegments.ts";
import { orientationOf, swapsSides } from "./orientation.ts";
import type { Picture } from "./picture.ts";

/** Identifiers at the beginning of application segments (JFIF 1.02, Exif 3.0 4.7.2, ICC.1:2010 B.4, Adobe TN 5116). */
const JFIF = "JFIF\0";
const EXIF = "Exif\0\0";
const ICC_PROFILE = "ICC_PROFILE\0";
const ADOBE = "Adobe";

/** Minimum length of an Adobe segment in bytes: identifier, version, two words of flags, color transform. */
const ADOBE_LENGTH = 12;

/** Data from the segments read so far. */
interface Contents {
  frame: Frame | undefined;
  tables: Set<number>;
  hasScan: boolean;
  jfif: boolean;
  adobe: boolean;
  exif: Uint8Array | undefined;
  profile: ProfileParts;
}

/**
 * Reads a JPEG. Its compressed data goes into the PDF unchanged (DCTDecode, ISO 32000-2, 7.4.8). Comments, bytes after
 * EOI, and application segments except JFIF and Adobe are removed, because a mark must not reveal where its picture was
 * taken. An ICC profile becomes the color space if it fits the components. The pixel aspect ratio is ignored, as in
 * browsers.
 * @throws EngineError unsupported_image, damaged_image or image_too_large
 */
export function readJpeg(jpeg: Uint8Array, limits: ImageLimits): Picture {
  const contents: Contents = {
    frame: undefined,
    tables: new Set(),
    hasScan: false,
    jfif: false,
    adobe: false,
    exif: undefined,
    profile: new ProfileParts(),
  };
  const data = withoutSegments(jpeg, (segment) => recordSegment(segment, contents, limits));
  const { frame, hasScan, exif } = contents;
  if (!frame || !hasScan) throw damaged("has no picture");

  const { width, height } = frame;
  const matrix = orientationOf(exif);
  const profile = contents.profile.join(frame.componentIds.length);

  return {
    width: swapsSides(matrix) ? height : width,
    height: swapsSides(matrix) ? width : height,
    isBlank: false,
    size: data.length,
    embed(sink, tint = 1) {
      const colorSpace = jpegColorSpace(frame.componentIds.length, profile, sink);
      const image = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /Filter /DCTDecode`;
      const dict = `${image} /ColorSpace ${colorSpace} /BitsPerComponent 8 ${jpegColorEntries(frame, contents, tint)}${interpolateEntry(sink)}`;
      return { xobject: sink.add({ dict, data }), matrix };
    },
  };
}

/**
 * Returns a JPEG up to EOI without the segments that decoders do not need. Copies the bytes only if it removes
 * segments.
 */
function withoutSegments(jpeg: Uint8Array, isNeeded: (segment: Segment) => boolean): Uint8Array {
  let copy: Uint8Array = new Uint8Array();
  let length = 0;
  let from = 0;
  const copyUpTo = (to: number) => {
    if (copy.length === 0) copy = new Uint8Array(jpeg.length);
    copy.set(jpeg.subarray(from, to), length);
    length += to - from;
  };

  let end = 0;
  for (const segment of segments(jpeg)) {
    end = segment.end;
    if (isNeeded(segment)) continue;
    copyUpTo(segment.start);
    from = end;
  }
  if (from === 0) return jpeg.subarray(0, end);
  copyUpTo(end);
  return copy.subarray(0, length);
}

/** Updates `contents` with the data of a segment. Returns whether decoders need the segment. */
function recordSegment({ marker, data, ...offsets }: Segment, contents: Contents, limits: ImageLimits): boolean {
  if (isFrameHeader(marker)) {
    if (contents.frame) throw damaged("has more than one frame");
    contents.frame = readFrame({ marker, data, ...offsets });
    checkSize(contents.frame.width, contents.frame.height, limits);
    return true;
  }
  if (marker === MARKER.DQT || marker === MARKER.DHT) {
    contents.tables.add(marker);
    return true;
  }
  if (marker === MARKER.SOS) {
    if (!contents.frame) throw damaged("has its picture before its frame header");
    if (contents.tables.size < 2) throw damaged("lacks the coding tables of its picture");
    contents.hasScan = true;
    return true;
  }
  return isApplicationData(marker) ? recordApplicationData(marker, data, contents) : marker !== MARKER.COM;
}

function isApplicationData(marker: number): boolean {
  return marker >= MARKER.APP0 && marker <= MARKER.APP15;
}

/**
 * Updates `contents` with the data of an application segment. Returns whether decoders need the segment. Decoders need
 * JFIF and Adobe segments, because these define the meaning of the components.
 */
function recordApplicationData(marker: number, data: Uint8Array, contents: Contents): boolean {
  const isJfif = marker === MARKER.APP0 && startsWith(data, JFIF);
  const isAdobe = marker === MARKER.APP14 && startsWith(data, ADOBE) && data.length >= ADOBE_LENGTH;
  contents.jfif ||= isJfif;
  contents.adobe ||= isAdobe;
  if (marker === MARKER.APP1 && startsWith(data, EXIF)) contents.exif ??= data.subarray(EXIF.length);
  if (marker === MARKER.APP2 && startsWith(data, ICC_PROFILE)) contents.profile.add(data.subarray(ICC_PROFILE.length));
  return isJfif || isAdobe;
}

function startsWith(data: Uint8Array, identifier: string): boolean {
  return (
    data.length >= identifier.length &&
    Array.from(identifier).every((character, i) => data[i] === character.charCodeAt(0))
  );
}

function damaged(what: string): EngineError {
  return new EngineError("damaged_image", `The JPEG ${what}. Save it again.`);
}
