import { componentsOf, rewriteGlyph } from "./glyf.ts";
import { packTables, viewOf } from "./sfnt.ts";
import type { Font } from "./truetype.ts";

/** What short offsets reach: 16 bits that count pairs of bytes. */
const MAX_SHORT_OFFSET = 0xffff * 2;
const NO_OUTLINE = new Uint8Array();

/** A font cut down to some glyphs, as ISO 32000-2, 9.9 wants it embedded: no cmap, no names, no hinting. */
export interface Subset {
  readonly bytes: Uint8Array;
  /** Glyph id in the full font -> glyph id in the subset. */
  readonly ids: ReadonlyMap<number, number>;
}

/**
 * Cuts `font` down to `glyphs` and the parts of the composites among them. The glyphs are numbered from 1 in the order
 * given, the parts after them; glyph 0, which stands for what is missing, stays but draws nothing.
 */
export function subsetFont(font: Font, glyphs: Iterable<number>): Subset {
  const ids = new Map<number, number>();
  const include = (glyph: number) => {
    if (!ids.has(glyph)) ids.set(glyph, ids.size);
  };
  include(0);
  for (const glyph of glyphs) include(glyph);
  // A Map's iterator also reaches what is added on the way: the parts of parts.
  for (const glyph of ids.keys()) componentsOf(font.outline(glyph)).forEach(include);

  const newId = (glyph: number) => ids.get(glyph)!;
  const outlines = [...ids.keys()].map((glyph) =>
    glyph === 0 ? NO_OUTLINE : rewriteGlyph(font.outline(glyph), newId),
  );
  const { glyf, loca, isLong } = joinOutlines(outlines);

  const bytes = packTables({
    glyf,
    loca,
    hmtx: horizontalMetrics(font, ids.keys()),
    head: withUint16(font.table("head"), 50, isLong ? 1 : 0),
    hhea: withUint16(font.table("hhea"), 34, ids.size),
    // Its other maxima stay as they are: upper bounds.
    maxp: withUint16(font.table("maxp"), 4, ids.size),
  });
  return { bytes, ids };
}

/** The glyf table, every outline at an even offset, and its loca table in the short format where that reaches. */
function joinOutlines(outlines: readonly Uint8Array[]): { glyf: Uint8Array; loca: Uint8Array; isLong: boolean } {
  const offsets = [0];
  let length = 0;
  for (const outline of outlines) {
    length += (outline.length + 1) & ~1;
    offsets.push(length);
  }

  const glyf = new Uint8Array(length);
  for (const [i, outline] of outlines.entries()) glyf.set(outline, offsets[i]);

  const isLong = length > MAX_SHORT_OFFSET;
  const loca = new Uint8Array(offsets.length * (isLong ? 4 : 2));
  const view = viewOf(loca);
  for (const [i, offset] of offsets.entries()) {
    if (isLong) view.setUint32(i * 4, offset);
    else view.setUint16(i * 2, offset / 2);
  }
  return { glyf, loca, isLong };
}

function horizontalMetrics(font: Font, glyphs: Iterable<number>): Uint8Array {
  const metrics = Array.from(glyphs, (glyph) => [font.advance(glyph), font.leftSideBearing(glyph)] as const);
  const hmtx = new Uint8Array(metrics.length * 4);
  const view = viewOf(hmtx);
  for (const [i, [advance, leftSideBearing]] of metrics.entries()) {
    view.setUint16(i * 4, advance);
    view.setInt16(i * 4 + 2, leftSideBearing);
  }
  return hmtx;
}

function withUint16(table: Uint8Array, offset: number, value: number): Uint8Array {
  const changed = table.slice();
  viewOf(changed).setUint16(offset, value);
  return changed;
}
