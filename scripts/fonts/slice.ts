/** Cuts fonts that are too large for one request into fonts of a few hundred characters. */
import { packTables, viewOf } from "../../src/engine/fonts/sfnt.ts";
import { assembleFont } from "../../src/engine/fonts/subset.ts";
import type { Font } from "../../src/engine/fonts/truetype.ts";

/**
 * Builds a complete font with only `codePoints` (ascending). It has no layout tables, because sliced scripts need no
 * shaping.
 */
export function sliceFont(font: Font, codePoints: readonly number[]): Uint8Array {
  const glyphs = [...new Set(codePoints.map(font.glyphOf))];
  const ids = new Map(glyphs.map((glyph, i) => [glyph, i + 1]));
  const tables = assembleFont(
    font,
    glyphs.map((id) => ({ parts: [{ font, id, x: 0, y: 0 }], advance: font.advance(id) })),
  );
  // restores the dates of creation and modification, which assembleFont clears
  tables.head!.set(font.table("head").subarray(20, 36), 20);
  return packTables({
    ...tables,
    cmap: cmapOf(codePoints.map((codePoint) => [codePoint, ids.get(font.glyphOf(codePoint))!])),
    name: font.table("name"),
    "OS/2": font.table("OS/2"),
    post: font.table("post"),
  });
}

/**
 * Returns a `cmap` table with one subtable of format 12, in which each group maps consecutive code points to
 * consecutive glyphs.
 */
function cmapOf(entries: readonly (readonly [codePoint: number, glyph: number])[]): Uint8Array {
  const groups: { first: number; last: number; glyph: number }[] = [];
  for (const [codePoint, glyph] of entries) {
    const group = groups.at(-1);
    if (group && codePoint === group.last + 1 && glyph === group.glyph + codePoint - group.first)
      group.last = codePoint;
    else groups.push({ first: codePoint, last: codePoint, glyph });
  }

  const table = new Uint8Array(12 + 16 + groups.length * 12);
  const view = viewOf(table);
  view.setUint16(2, 1); // one subtable, for the platform Windows and the encoding full Unicode
  view.setUint16(4, 3);
  view.setUint16(6, 10);
  view.setUint32(8, 12);
  view.setUint16(12, 12);
  view.setUint32(16, table.length - 12);
  view.setUint32(24, groups.length);
  for (const [i, { first, last, glyph }] of groups.entries()) {
    view.setUint32(28 + i * 12, first);
    view.setUint32(32 + i * 12, last);
    view.setUint32(36 + i * 12, glyph);
  }
  return table;
}
