import { EngineError } from "../errors.ts";

/** Marker codes (ITU-T T.81, table B.1) without the byte 0xFF before them. */
export const MARKER = {
  TEM: 0x01,
  SOF0: 0xc0,
  SOF2: 0xc2,
  SOF3: 0xc3,
  DHT: 0xc4,
  SOF7: 0xc7,
  JPG: 0xc8,
  DAC: 0xcc,
  SOF15: 0xcf,
  RST0: 0xd0,
  RST7: 0xd7,
  SOI: 0xd8,
  EOI: 0xd9,
  SOS: 0xda,
  DQT: 0xdb,
  DHP: 0xde,
  APP0: 0xe0,
  APP1: 0xe1,
  APP2: 0xe2,
  APP14: 0xee,
  APP15: 0xef,
  /** marker SOF55 of ITU-T T.87 */
  JPEG_LS: 0xf7,
  COM: 0xfe,
} as const;

/** Length of SOI in bytes: the offset at which the first segment may begin. */
const SOI_LENGTH = 2;

/** Maximum number of segments. Encoders write a few hundred. Reading millions of empty segments would take seconds. */
const MAX_SEGMENTS = 50_000;

/** A marker segment of a JPEG. */
export interface Segment {
  marker: number;
  /** Start offset of the segment, including fill bytes before its marker. */
  start: number;
  /** End offset of the segment. After an SOS segment, the entropy-coded data begins at this offset. */
  end: number;
  /** Parameters of the segment without the length field; empty for EOI. */
  data: Uint8Array;
}

/**
 * Yields the segments of a JPEG after SOI, up to and including EOI (ITU-T T.81, B.1.1). Entropy-coded data and other
 * bytes between segments are skipped, because decoders resynchronize at the next marker.
 * @throws EngineError damaged_image if the file ends before EOI, or if it has a second SOI, a segment of an impossible
 * length, or too many segments
 */
export function* segments(jpeg: Uint8Array): Generator<Segment> {
  for (let at = SOI_LENGTH, count = 0; ; ) {
    const start = jpeg.indexOf(0xff, at);
    let code = start + 1;
    while (jpeg[code] === 0xff) code++;
    const marker = jpeg[code];
    if (start < 0 || marker === undefined) throw truncated();

    at = code + 1;
    if (marker === 0 || marker === MARKER.TEM || (marker >= MARKER.RST0 && marker <= MARKER.RST7)) continue;
    if (marker === MARKER.SOI)
      throw new EngineError("damaged_image", "The JPEG has a second picture inside the first. Save it again.");
    if (marker === MARKER.EOI) return yield { marker, start, end: at, data: jpeg.subarray(at, at) };

    if (at + 2 > jpeg.length) throw truncated();
    const length = (jpeg[at]! << 8) | jpeg[at + 1]!;
    if (length < 2)
      throw new EngineError("damaged_image", "The JPEG has a segment of an impossible length. Save it again.");
    if (at + length > jpeg.length) throw truncated();
    if (++count > MAX_SEGMENTS)
      throw new EngineError("damaged_image", "The JPEG has too many segments. Save it again.");
    yield { marker, start, end: at + length, data: jpeg.subarray(at + 2, at + length) };
    at += length;
  }
}

function truncated(): EngineError {
  return new EngineError("damaged_image", "The JPEG ends too early. Send the whole file.");
}
