/** Determines whether an ICC profile distinguishes black from white (ICC.1:2010, clauses 9 and 10). */
import { decodeLatin1 } from "../../bytes.ts";

/** Minimum difference between black and white, as a fraction of the range. The profile of newsprint has about 0.5. */
const LEAST_CONTRAST = 0.2;
const HEADER_LENGTH = 128;
const TAG_LENGTH = 12;
const MOST_TAGS = 100;
const COMPONENTS: Readonly<Record<string, number>> = { GRAY: 1, "RGB ": 3, CMYK: 4 };

/**
 * Returns whether black and white remain different when a profile converts them to and from its color space. Evaluates
 * each lookup table and curve for black and for white. Returns true for a profile without tables and curves, because
 * readers ignore such a profile.
 */
export function hasContrast(profile: Uint8Array): boolean {
  if (profile.length < HEADER_LENGTH + 4) return true;
  const components = COMPONENTS[wordAt(profile, 16)];
  if (components === undefined) return true;
  const tags = tagsOf(profile);
  const isLab = wordAt(profile, 20) === "Lab ";
  const lightness = isLab ? 0 : 1; // the lightness is L in Lab and Y in XYZ
  const ends = [0, 1].map((value) => Array<number>(components).fill(value));
  const neutrals = isLab ? LAB_ENDS : XYZ_ENDS;
  // The digit in the tag name stands for a rendering intent. Readers choose the intent, so all three are checked.
  return (
    [0, 1, 2].every((intent) => {
      const fromDevice = outputsOf(tags.get(`A2B${intent}`), ends).map((color) =>
        color?.slice(lightness, lightness + 1),
      );
      return differ(fromDevice) && differ(outputsOf(tags.get(`B2A${intent}`), neutrals));
    }) && hasCurves(tags)
  );
}

/**
 * Black and white in Lab and in XYZ, the two connection spaces of profiles, as fractions of the range. The color [1, 1,
 * 1] in XYZ is brighter than white, and tables clip it.
 */
const LAB_ENDS = [
  [0, 0.5, 0.5],
  [1, 0.5, 0.5],
];
const XYZ_ENDS = [
  [0, 0, 0],
  [1, 1, 1],
];

function outputsOf(table: Uint8Array | undefined, inputs: readonly (readonly number[])[]): (number[] | undefined)[] {
  return table ? inputs.map((input) => tableOutput(table, input)) : [];
}

/** Returns whether two colors differ in some component. Returns true if one of the colors is unknown. */
function differ([a, b]: (number[] | undefined)[]): boolean {
  return !a || !b || a.some((value, i) => Math.abs(value - b[i]!) >= LEAST_CONTRAST);
}

/**
 * Returns whether a profile's curves map black and white to different values. Returns true if a curve is missing, as in a
 * profile that has only lookup tables.
 */
function hasCurves(tags: ReadonlyMap<string, Uint8Array>): boolean {
  const gray = tags.get("kTRC");
  if (gray) return Math.abs(rise(gray)) >= LEAST_CONTRAST;
  let white = 0;
  for (const color of "rgb") {
    const [curve, colorant] = [tags.get(`${color}TRC`), tags.get(`${color}XYZ`)];
    if (!curve || !colorant || colorant.length < 20) return true;
    white += rise(curve) * (view(colorant).getInt32(12) / 0x10000); // bytes 12 to 15 of an XYZ tag are Y
  }
  return Math.abs(white) >= LEAST_CONTRAST;
}

/** Returns the difference between the last and the first value of a curve. Parametric curves count as rising. */
function rise(curve: Uint8Array): number {
  if (wordAt(curve, 0) !== "curv" || curve.length < 12) return 1;
  const count = view(curve).getUint32(8);
  // a curve with fewer than two samples is linear or a power function
  if (count < 2 || curve.length < 12 + 2 * count) return 1;
  return (view(curve).getUint16(12 + 2 * (count - 1)) - view(curve).getUint16(12)) / 0xffff;
}

/**
 * Returns the output of a lookup table at the grid point nearest to `input`. Components range from 0 to 1. Returns
 * undefined if the table is incomplete or of an unknown type.
 */
function tableOutput(tag: Uint8Array, input: readonly number[]): number[] | undefined {
  const type = wordAt(tag, 0);
  if (tag.length < 52 || tag[8] !== input.length) return undefined;
  const isClassic = type === "mft1" || type === "mft2";
  const isLater = type === "mAB " || type === "mBA ";
  const output = isClassic
    ? classicOutput(tag, type === "mft1" ? 1 : 2, input)
    : isLater
      ? laterOutput(tag, input)
      : [];
  return output.length > 0 && output.every(Number.isFinite) ? output : undefined;
}

/**
 * Evaluates a table of the type mft1 or mft2. Such a table consists of a curve per input, a grid, and a curve per
 * output. Its samples have `width` bytes.
 */
function classicOutput(tag: Uint8Array, width: number, input: readonly number[]): number[] {
  const outputs = tag[9]!;
  const [before, after, start] = width === 1 ? [256, 256, 48] : [view(tag).getUint16(48), view(tag).getUint16(50), 52];
  const read = reader(tag, width);
  const curve = (first: number, count: number, value: number) => {
    const [low, high] = [Math.floor, Math.ceil].map((round) => read(first + width * round(value * (count - 1))));
    const share = (value * (count - 1)) % 1;
    return low! * (1 - share) + high! * share;
  };
  const grid = input.map(() => tag[10]!);
  const gridStart = start + width * before * input.length;
  const gridEnd = gridStart + width * outputs * grid.reduce((a, b) => a * b, 1);
  const curved = input.map((value, i) => curve(start + width * i * before, before, value));
  const point = gridPoint(read, gridStart, width, grid, curved, outputs);
  return point.map((value, i) => curve(gridEnd + width * i * after, after, value));
}

/** Looks up the grid of a table of the type mAB or mBA. Ignores the curves and the matrix of the table. */
function laterOutput(tag: Uint8Array, input: readonly number[]): number[] {
  const at = view(tag).getUint32(24);
  const width = at === 0 ? undefined : tag[at + 16];
  if (width !== 1 && width !== 2) return [];
  const grid = [...tag.subarray(at, at + input.length)];
  return gridPoint(reader(tag, width), at + 20, width, grid, input, tag[9]!);
}

/** Returns the entry nearest to `input` in the multidimensional table at `start`. The last input varies fastest. */
function gridPoint(
  read: (at: number) => number,
  start: number,
  width: number,
  grid: readonly number[],
  input: readonly number[],
  outputs: number,
): number[] {
  const index = input.reduce((index, value, i) => index * grid[i]! + nearest(value, grid[i]!), 0);
  return Array.from({ length: outputs }, (_, i) => read(start + width * (index * outputs + i)));
}

function nearest(value: number, count: number): number {
  return Math.round(value * (count - 1));
}

/**
 * Returns a function that reads a number of `width` bytes and scales it to the range from 0 to 1. The function returns
 * NaN for an offset outside the tag.
 */
function reader(tag: Uint8Array, width: number): (at: number) => number {
  return width === 1
    ? (at) => tag[at]! / 0xff
    : (at) => (at + 2 <= tag.length ? view(tag).getUint16(at) / 0xffff : Number.NaN);
}

function tagsOf(profile: Uint8Array): Map<string, Uint8Array> {
  const tags = new Map<string, Uint8Array>();
  const numbers = view(profile);
  const count = Math.min(numbers.getUint32(HEADER_LENGTH), MOST_TAGS);
  for (let i = 0; i < count; i++) {
    const at = HEADER_LENGTH + 4 + TAG_LENGTH * i;
    if (at + TAG_LENGTH > profile.length) break;
    const offset = numbers.getUint32(at + 4);
    tags.set(wordAt(profile, at), profile.subarray(offset, offset + numbers.getUint32(at + 8)));
  }
  return tags;
}

function wordAt(bytes: Uint8Array, at: number): string {
  return decodeLatin1(bytes, at, Math.min(at + 4, bytes.length));
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
