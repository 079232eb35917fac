/** Reads TrueType fonts. Values are looked up in the bytes of the file on demand. */

import { readCmap } from "./cmap.ts";
import { boxOf, type GlyphBox } from "./glyf.ts";
import { openTables, viewOf } from "./sfnt.ts";

/** A font. Lengths are in font units: `unitsPerEm` units are one em. y points up from the baseline. */
export interface Font {
  readonly bytes: Uint8Array;
  /** PostScript name, such as `NotoSans-Bold` (name ID 6). */
  readonly name: string;
  readonly unitsPerEm: number;
  /** Height that a line needs above its baseline, positive (hhea). */
  readonly ascent: number;
  /** Depth that a line needs below its baseline, negative (hhea). */
  readonly descent: number;
  /** Height of flat capitals (OS/2). */
  readonly capHeight: number;
  /** Weight (OS/2 usWeightClass): 400 is regular, 700 is bold. */
  readonly weight: number;
  /** Bounding box of all glyphs (head). */
  readonly bounds: GlyphBox;

  /** Returns the glyph id of a code point, or 0 if the font has no glyph for it (cmap). */
  glyphOf(codePoint: number): number;
  /** Returns a glyph's advance (hmtx). */
  advance(glyph: number): number;
  /** Returns a glyph's left side bearing: the distance from the pen to the left edge of its outline (hmtx). */
  leftSideBearing(glyph: number): number;
  /**
   * Returns a glyph's description, which is empty for a glyph that draws nothing (loca, glyf).
   * @throws Error if the font has no such glyph
   */
  outline(glyph: number): Uint8Array;
  /**
   * Returns the bounding box of a glyph's outline, all zeros for a glyph that draws nothing (glyf).
   * @throws Error if the font has no such glyph
   */
  box(glyph: number): GlyphBox;
  /**
   * Returns the bytes of a table.
   * @throws Error if the font has no such table
   */
  table(tag: string): Uint8Array;
}

/**
 * Reads the font in `bytes` and retains the bytes. The cost does not depend on the font's size.
 * @throws Error if a required table, Unicode cmap subtable or PostScript name is missing
 */
export function readFont(bytes: Uint8Array): Font {
  const table = openTables(bytes);
  const head = viewOf(table("head"));
  const os2 = viewOf(table("OS/2"));
  const hhea = viewOf(table("hhea"));
  const hmtx = viewOf(table("hmtx"));
  const loca = viewOf(table("loca"));
  const glyf = table("glyf");

  const glyphCount = viewOf(table("maxp")).getUint16(4);
  const advanceCount = hhea.getUint16(34);
  const longLoca = head.getInt16(50) === 1;
  const outlineStart = (glyph: number) => (longLoca ? loca.getUint32(glyph * 4) : loca.getUint16(glyph * 2) * 2);

  const outline = (glyph: number) => {
    if (glyph >= glyphCount) throw new Error(`the font has no glyph ${glyph}`);
    return glyf.subarray(outlineStart(glyph), outlineStart(glyph + 1));
  };

  return {
    bytes,
    name: postScriptName(table("name")),
    unitsPerEm: head.getUint16(18),
    ascent: hhea.getInt16(4),
    descent: hhea.getInt16(6),
    capHeight: os2.getInt16(88),
    weight: os2.getUint16(4),
    bounds: [head.getInt16(36), head.getInt16(38), head.getInt16(40), head.getInt16(42)],

    glyphOf: readCmap(table("cmap")),
    // The last advance applies to all later glyphs, which have only a bearing in the table.
    advance: (glyph) => hmtx.getUint16(Math.min(glyph, advanceCount - 1) * 4),
    leftSideBearing: (glyph) => hmtx.getInt16(glyph < advanceCount ? glyph * 4 + 2 : (advanceCount + glyph) * 2),
    outline,
    box: (glyph) => boxOf(outline(glyph)),
    table,
  };
}

/** Reads name ID 6 of the Windows platform, which is UTF-16BE (OpenType, "name"). PostScript names are ASCII. */
function postScriptName(table: Uint8Array): string {
  const view = viewOf(table);
  const storage = view.getUint16(4);

  for (let i = 0; i < view.getUint16(2); i++) {
    const record = 6 + i * 12;
    if (view.getUint16(record) !== 3 || view.getUint16(record + 6) !== 6) continue;
    const start = storage + view.getUint16(record + 10);
    const units = Array.from({ length: view.getUint16(record + 8) / 2 }, (_, unit) => view.getUint16(start + 2 * unit));
    return String.fromCharCode(...units);
  }
  throw new Error("the font has no PostScript name");
}
