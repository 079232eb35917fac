import { type GlyphBox, rewriteGlyph, writeComposite } from "./glyf.ts";
import { viewOf } from "./sfnt.ts";
import type { Font } from "./truetype.ts";

/** Maximum offset in a short `loca` table, whose 16-bit entries count pairs of bytes. */
const MAX_SHORT_OFFSET = 0xffff * 2;

/** A glyph of `font` and its offset from the origin, in units of `font`. */
interface Part {
  readonly font: Font;
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

/** A glyph to be composed of glyphs from any fonts. `advance` is in units of the resulting font. */
interface Assembly {
  readonly parts: readonly Part[];
  readonly advance: number;
}

/** A glyph as written to the font: its description (glyf) and its metrics (hmtx). */
interface WrittenGlyph {
  readonly outline: Uint8Array;
  readonly advance: number;
  readonly leftSideBearing: number;
}

/**
 * Returns the glyf, loca, hmtx, head, hhea and maxp tables of a TrueType font without hinting. Its glyphs are
 * `assemblies`, numbered from 1 in order, followed by their components. Glyph 0 (.notdef) is empty. Font-wide values,
 * including the units, come from `model`, but `maxp` has the maxima of all fonts used.
 */
export function assembleFont(model: Font, assemblies: readonly Assembly[]): Record<string, Uint8Array> {
  const ids = new Map<Font, Map<number, number>>();
  const queue: { font: Font; id: number }[] = [];
  const idsOf = (font: Font) => {
    let known = ids.get(font);
    if (!known) {
      known = new Map();
      ids.set(font, known);
    }
    return known;
  };

  // A single glyph without an offset is copied, not wrapped in a composite. If the same glyph occurs again, the later
  // occurrences are composites that refer to the copy.
  const direct = assemblies.map(({ parts }, i) => {
    const [part, ...others] = parts;
    if (!part || others.length > 0 || part.x !== 0 || part.y !== 0) return undefined;
    if (part.font.unitsPerEm !== model.unitsPerEm || idsOf(part.font).has(part.id)) return undefined;
    idsOf(part.font).set(part.id, i + 1);
    return part;
  });
  const idOf = (font: Font, glyph: number) => {
    const known = idsOf(font);
    if (!known.has(glyph)) known.set(glyph, assemblies.length + queue.push({ font, id: glyph }));
    return known.get(glyph)!;
  };
  const copy = ({ font, id }: { font: Font; id: number }, advance: number): WrittenGlyph => ({
    outline: rewriteGlyph(font.outline(id), (component) => idOf(font, component)),
    advance,
    leftSideBearing: font.leftSideBearing(id),
  });

  const glyphs: WrittenGlyph[] = [{ outline: new Uint8Array(), advance: 0, leftSideBearing: 0 }];
  for (const [i, { parts, advance }] of assemblies.entries()) {
    const same = direct[i];
    glyphs.push(same ? copy(same, advance) : composite(parts, advance, model.unitsPerEm, idOf));
  }
  // Copying a composite glyph may add its components to the queue. The loop also copies these components.
  for (const part of queue) glyphs.push(copy(part, part.font.advance(part.id)));

  const { glyf, loca, isLong } = joinOutlines(glyphs.map(({ outline }) => outline));
  return {
    glyf,
    loca,
    hmtx: horizontalMetrics(glyphs),
    // clears the dates of creation and modification
    head: withUint16(model.table("head"), 50, isLong ? 1 : 0).fill(0, 20, 36),
    hhea: withUint16(model.table("hhea"), 34, glyphs.length),
    maxp: withUint16(maxima([model, ...ids.keys()], assemblies), 4, glyphs.length),
  };
}

function composite(
  parts: readonly Part[],
  advance: number,
  unitsPerEm: number,
  idOf: (font: Font, glyph: number) => number,
): WrittenGlyph {
  const drawn = parts
    .filter(({ font, id }) => font.outline(id).length > 0)
    .map(({ font, id, x, y }) => {
      const scale = unitsPerEm / font.unitsPerEm;
      return { glyph: idOf(font, id), scale, x: Math.round(x * scale), y: Math.round(y * scale), box: font.box(id) };
    });
  if (drawn.length === 0) return { outline: new Uint8Array(), advance, leftSideBearing: 0 };

  const edge = (side: 0 | 1 | 2 | 3, pick: (...values: number[]) => number) =>
    Math.round(pick(...drawn.map(({ box, scale, x, y }) => box[side] * scale + (side % 2 === 0 ? x : y))));
  const box: GlyphBox = [edge(0, Math.min), edge(1, Math.min), edge(2, Math.max), edge(3, Math.max)];
  return { outline: writeComposite(drawn, box), advance, leftSideBearing: box[0] };
}

/**
 * Returns a `maxp` table. Each field is the maximum over all fonts. The fields for composites are raised to cover the
 * assemblies.
 */
function maxima(fonts: readonly Font[], assemblies: readonly Assembly[]): Uint8Array {
  const maxp = fonts[0]!.table("maxp").slice();
  const view = viewOf(maxp);
  for (let at = 6; at < maxp.length; at += 2)
    view.setUint16(at, Math.max(...fonts.map((font) => viewOf(font.table("maxp")).getUint16(at))));

  const most = Math.max(1, ...assemblies.map(({ parts }) => parts.length));
  const atMost = (value: number) => Math.min(value, 0xffff);
  view.setUint16(10, atMost(Math.max(view.getUint16(6), view.getUint16(10)) * most)); // maxCompositePoints
  view.setUint16(12, atMost(Math.max(view.getUint16(8), view.getUint16(12)) * most)); // maxCompositeContours
  view.setUint16(28, Math.max(view.getUint16(28), most)); // maxComponentElements
  view.setUint16(30, view.getUint16(30) + 1); // maxComponentDepth
  return maxp;
}

/** Joins outlines into a glyf table, each at an even offset. The loca table has the short format if all offsets fit. */
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

function horizontalMetrics(glyphs: readonly WrittenGlyph[]): Uint8Array {
  const hmtx = new Uint8Array(glyphs.length * 4);
  const view = viewOf(hmtx);
  for (const [i, { advance, leftSideBearing }] of glyphs.entries()) {
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
