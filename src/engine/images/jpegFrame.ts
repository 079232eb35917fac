import { EngineError } from "../errors.ts";
import { MARKER, type Segment } from "./jpegSegments.ts";

/** A frame header (ITU-T T.81, B.2.2). */
export interface Frame {
  width: number;
  height: number;
  /** Identifiers of the components, by convention 1, 2, 3 or the letters R, G, B. */
  componentIds: readonly number[];
}

/** Length in bytes of a frame header's precision, height, width and number of components. */
const FIXED_LENGTH = 6;
/** Length in bytes of a component's identifier, sampling factors and quantization table. */
const COMPONENT_LENGTH = 3;

/** Returns whether a marker begins a frame header of any coding process, supported or unsupported. */
export function isFrameHeader(marker: number): boolean {
  if (marker === MARKER.JPEG_LS || marker === MARKER.DHP) return true;
  const isTable = marker === MARKER.DHT || marker === MARKER.JPG || marker === MARKER.DAC;
  return marker >= MARKER.SOF0 && marker <= MARKER.SOF15 && !isTable;
}

/**
 * Reads a frame header. Supports the frames that every PDF reader can decode: sequential or progressive, Huffman coded,
 * 8 bits per sample.
 * @throws EngineError unsupported_image for any other frame, or damaged_image if the header has the wrong length
 */
export function readFrame({ marker, data }: Segment): Frame {
  const process = unsupportedProcess(marker);
  if (process) throw unsupported(`is ${process}`);

  const [precision, componentCount] = [data[0], data[5]];
  if (data.length < FIXED_LENGTH || data.length !== FIXED_LENGTH + componentCount! * COMPONENT_LENGTH)
    throw new EngineError("damaged_image", "The JPEG's frame header has the wrong length. Save it again.");
  if (precision !== 8) throw unsupported(`has ${precision} bits per sample`);
  if (componentCount !== 1 && componentCount !== 3 && componentCount !== 4)
    throw unsupported(`has ${componentCount} components`);

  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const height = view.getUint16(1);
  if (height === 0) throw unsupported("stores its height after the picture");
  return {
    width: view.getUint16(3),
    height,
    componentIds: Array.from({ length: componentCount }, (_, i) => data[FIXED_LENGTH + i * COMPONENT_LENGTH]!),
  };
}

function unsupportedProcess(marker: number): string | undefined {
  if (marker <= MARKER.SOF2) return undefined;
  if (marker === MARKER.JPEG_LS) return "a JPEG-LS image";
  if (marker === MARKER.SOF3) return "lossless";
  if (marker <= MARKER.SOF7 || marker === MARKER.DHP) return "hierarchical";
  return "arithmetic coded";
}

function unsupported(what: string): EngineError {
  return new EngineError(
    "unsupported_image",
    `The JPEG ${what}. Save it as an ordinary JPEG (8 bits, baseline or progressive).`,
  );
}
