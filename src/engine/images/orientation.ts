/**
 * Reads the orientation of a stored image (Exif 3.0, 4.6.5.1.6) and returns the matrix that displays the image upright
 * in a PDF.
 */

/** Operands of `cm` that map the unit square onto itself. */
export type UnitMatrix = readonly [number, number, number, number, number, number];

const UPRIGHT: UnitMatrix = [1, 0, 0, 1, 0, 0];

/**
 * Matrices for the values of the orientation tag, starting with value 1. Each value states which side of the displayed
 * image is row 0 of the stored image, and which side is column 0.
 */
const MATRICES: readonly UnitMatrix[] = [
  UPRIGHT,
  [-1, 0, 0, 1, 1, 0],
  [-1, 0, 0, -1, 1, 1],
  [1, 0, 0, -1, 0, 1],
  [0, -1, -1, 0, 1, 1],
  [0, -1, 1, 0, 0, 1],
  [0, 1, 1, 0, 0, 0],
  [0, 1, -1, 0, 1, 0],
];

const HEADER_LENGTH = 8;
const ENTRY_LENGTH = 12;
const ORIENTATION = 0x0112;
const SHORT = 3;

/**
 * Returns the matrix for Exif data (a TIFF header and IFDs). An image without a valid orientation counts as upright.
 */
export function orientationOf(exif: Uint8Array | undefined): UnitMatrix {
  return MATRICES[(exif ? orientationTag(exif) : 1) - 1] ?? UPRIGHT;
}

/** Returns whether the matrix exchanges width and height. */
export function swapsSides([a]: UnitMatrix): boolean {
  return a === 0;
}

function orientationTag(exif: Uint8Array): number {
  if (exif.length < HEADER_LENGTH) return 1;
  const view = new DataView(exif.buffer, exif.byteOffset, exif.byteLength);
  const littleEndian = view.getUint16(0) === 0x4949;
  const directory = view.getUint32(4, littleEndian);
  if (directory + 2 > exif.length) return 1;

  const end = Math.min(directory + 2 + view.getUint16(directory, littleEndian) * ENTRY_LENGTH, exif.length);
  for (let at = directory + 2; at + ENTRY_LENGTH <= end; at += ENTRY_LENGTH) {
    if (view.getUint16(at, littleEndian) !== ORIENTATION) continue;
    return view.getUint16(at + 2, littleEndian) === SHORT ? view.getUint16(at + 8, littleEndian) : 1;
  }
  return 1;
}
