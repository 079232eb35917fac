/** The `cmap` table, which maps code points to glyph ids (OpenType, "cmap"). */

import { viewOf } from "./sfnt.ts";

/**
 * Reads a `cmap` table without decoding it. Each lookup is a binary search in the bytes of the table.
 * @returns a function from code point to glyph id, which is 0 if the font has no glyph
 * @throws Error if there is no Unicode subtable of format 4 or 12
 */
export function readCmap(table: Uint8Array): (codePoint: number) => number {
  const view = viewOf(table);
  const subtables = new Map<number, DataView>();

  for (let i = 0; i < view.getUint16(2); i++) {
    const record = 4 + i * 8;
    if (!isUnicode(view.getUint16(record), view.getUint16(record + 2))) continue;
    const subtable = table.subarray(view.getUint32(record + 4));
    subtables.set(viewOf(subtable).getUint16(0), viewOf(subtable));
  }

  const full = subtables.get(12);
  if (full) return (codePoint) => glyphInGroups(full, codePoint);
  const basic = subtables.get(4);
  if (basic) return (codePoint) => glyphInSegments(basic, codePoint);
  throw new Error("the font's cmap has no Unicode subtable of format 4 or 12");
}

function isUnicode(platform: number, encoding: number): boolean {
  return platform === 0 || (platform === 3 && (encoding === 1 || encoding === 10));
}

/** Looks up a code point in format 12: sorted groups of first code point, last code point and first glyph. */
function glyphInGroups(view: DataView, codePoint: number): number {
  const group = firstIndex(view.getUint32(12), (i) => view.getUint32(20 + i * 12) >= codePoint);
  if (group === undefined) return 0;

  const first = view.getUint32(16 + group * 12);
  return codePoint < first ? 0 : view.getUint32(24 + group * 12) + codePoint - first;
}

/**
 * Looks up a code point in format 4: sorted segments of the Basic Multilingual Plane, in parallel arrays of end, start,
 * delta and range offset.
 */
function glyphInSegments(view: DataView, codePoint: number): number {
  const doubledCount = view.getUint16(6);
  const segment = firstIndex(doubledCount / 2, (i) => view.getUint16(14 + i * 2) >= codePoint);
  if (segment === undefined) return 0;

  const startAt = 16 + doubledCount + segment * 2;
  const start = view.getUint16(startAt);
  if (codePoint < start) return 0;

  const delta = view.getUint16(startAt + doubledCount);
  const rangeAt = startAt + 2 * doubledCount;
  const rangeOffset = view.getUint16(rangeAt);
  if (rangeOffset === 0) return (codePoint + delta) & 0xffff;

  const glyph = view.getUint16(rangeAt + rangeOffset + (codePoint - start) * 2);
  return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
}

/**
 * Returns the first index below `count` for which `reached` is true. `reached` must also be true for all later indices.
 */
function firstIndex(count: number, reached: (index: number) => boolean): number | undefined {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reached(middle)) high = middle;
    else low = middle + 1;
  }
  return low < count ? low : undefined;
}
