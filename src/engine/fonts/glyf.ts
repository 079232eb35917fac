/**
 * Reads and writes glyph descriptions of the `glyf` table: simple outlines, and composites of other glyphs (OpenType,
 * "glyf").
 */

import { viewOf } from "./sfnt.ts";

/** A bounding box in font units. */
export type GlyphBox = readonly [xMin: number, yMin: number, xMax: number, yMax: number];

const HEADER_LENGTH = 10;

/** Component flags of a composite glyph. */
const ARGUMENTS_ARE_WORDS = 0x0001;
const ARGUMENTS_ARE_OFFSETS = 0x0002;
const HAS_SCALE = 0x0008;
const MORE_COMPONENTS = 0x0020;
const HAS_X_AND_Y_SCALE = 0x0040;
const HAS_TWO_BY_TWO = 0x0080;
const HAS_INSTRUCTIONS = 0x0100;
const OVERLAPS = 0x0400;
const OFFSETS_ARE_NOT_SCALED = 0x1000;

/** Returns the glyph ids of a composite's components. Returns an empty list for a simple or empty glyph. */
export function componentsOf(description: Uint8Array): number[] {
  const view = viewOf(description);
  return componentRecords(view).map(({ start }) => view.getUint16(start + 2));
}

/** Returns the bounding box of an outline. An empty outline has a box of zeros. */
export function boxOf(description: Uint8Array): GlyphBox {
  if (description.length === 0) return [0, 0, 0, 0];
  const view = viewOf(description);
  return [view.getInt16(2), view.getInt16(4), view.getInt16(6), view.getInt16(8)];
}

/**
 * A component of a composite: a glyph, its scale (less than 2), and its offset in font units. The scale does not apply
 * to the offset.
 */
interface Component {
  glyph: number;
  scale: number;
  x: number;
  y: number;
}

/** Writes the description of a composite glyph with at least one component. */
export function writeComposite(components: readonly Component[], [xMin, yMin, xMax, yMax]: GlyphBox): Uint8Array {
  const lengths: number[] = components.map(({ scale }) => (scale === 1 ? 8 : 10));
  const description = new Uint8Array(lengths.reduce((sum, length) => sum + length, HEADER_LENGTH));
  const view = viewOf(description);
  for (const [i, value] of [-1, xMin, yMin, xMax, yMax].entries()) view.setInt16(i * 2, value);

  let at = HEADER_LENGTH;
  for (const [i, { glyph, scale, x, y }] of components.entries()) {
    const flags =
      ARGUMENTS_ARE_WORDS |
      ARGUMENTS_ARE_OFFSETS |
      OFFSETS_ARE_NOT_SCALED |
      (i === 0 ? OVERLAPS : 0) |
      (i < components.length - 1 ? MORE_COMPONENTS : 0) |
      (scale === 1 ? 0 : HAS_SCALE);
    view.setUint16(at, flags);
    view.setUint16(at + 2, glyph);
    view.setInt16(at + 4, x);
    view.setInt16(at + 6, y);
    if (scale !== 1) view.setInt16(at + 8, Math.round(scale * 0x4000));
    at += lengths[i]!;
  }
  return description;
}

/** Returns a glyph description without hinting instructions. `newId` maps the glyph ids of a composite's components. */
export function rewriteGlyph(description: Uint8Array, newId: (glyph: number) => number): Uint8Array {
  if (description.length === 0) return description;
  return isComposite(viewOf(description)) ? rewriteComposite(description, newId) : withoutInstructions(description);
}

function rewriteComposite(description: Uint8Array, newId: (glyph: number) => number): Uint8Array {
  const records = componentRecords(viewOf(description));
  const rewritten = description.slice(0, records.at(-1)?.end);
  const view = viewOf(rewritten);

  for (const { start } of records) {
    view.setUint16(start, view.getUint16(start) & ~HAS_INSTRUCTIONS);
    view.setUint16(start + 2, newId(view.getUint16(start + 2)));
  }
  return rewritten;
}

function withoutInstructions(description: Uint8Array): Uint8Array {
  const view = viewOf(description);
  const lengthAt = HEADER_LENGTH + view.getInt16(0) * 2;
  const length = view.getUint16(lengthAt);
  if (length === 0) return description;

  const stripped = new Uint8Array(description.length - length);
  stripped.set(description.subarray(0, lengthAt));
  stripped.set(description.subarray(lengthAt + 2 + length), lengthAt + 2);
  return stripped;
}

function isComposite(view: DataView): boolean {
  return view.byteLength > 0 && view.getInt16(0) < 0;
}

/** Returns the start and end of each component record of a composite: flags, glyph id, arguments, transformation. */
function componentRecords(view: DataView): { start: number; end: number }[] {
  const records: { start: number; end: number }[] = [];
  if (!isComposite(view)) return records;

  let start = HEADER_LENGTH;
  for (;;) {
    const flags = view.getUint16(start);
    const end = start + 4 + (flags & ARGUMENTS_ARE_WORDS ? 4 : 2) + transformationLength(flags);
    records.push({ start, end });
    if (!(flags & MORE_COMPONENTS)) return records;
    start = end;
  }
}

function transformationLength(flags: number): number {
  if (flags & HAS_SCALE) return 2;
  if (flags & HAS_X_AND_Y_SCALE) return 4;
  return flags & HAS_TWO_BY_TWO ? 8 : 0;
}
