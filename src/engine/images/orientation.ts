/** Which way up a picture is stored (Exif 3.0, 4.6.5.1.6), and how a PDF turns it. */

/** Operands of `cm`, from the unit square onto itself. */
export type UnitMatrix = readonly [number, number, number, number, number, number];

const UPRIGHT: UnitMatrix = [1, 0, 0, 1, 0, 0];

/** By the value of the tag, from 1: where row 0 and column 0 are displayed. */
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

/** The matrix of a picture with this Exif data (a TIFF header and IFDs); upright where that says nothing valid. */
export function orientationOf(exif: Uint8Array | undefined): UnitMatrix {
  return MATRICES[(exif ? orientationTag(exif) : 1) - 1] ?? UPRIGHT;
}

/** True if the displayed picture is as wide as the stored one is high. */
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
