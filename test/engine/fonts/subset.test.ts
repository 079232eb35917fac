import { describe, expect, it } from "vitest";
import { componentsOf, rewriteGlyph } from "../../../src/engine/fonts/glyf.ts";
import { openFont } from "../../../src/engine/fonts/library.ts";
import { packTables, viewOf } from "../../../src/engine/fonts/sfnt.ts";
import { assembleFont } from "../../../src/engine/fonts/subset.ts";
import type { Font } from "../../../src/engine/fonts/truetype.ts";
import { loadFont } from "../../support/fonts.ts";
import { readSubset, wordSum } from "./sfnt.ts";

const font = await openFont("noto-sans-regular.ttf", loadFont);
const SAMPLE = "Hello, Ünïcödé Ώμέγα Привет, йод Việt Nam ửỹặ €";

function glyphsOf(text: string): number[] {
  return Array.from(text, (character) => font.glyphOf(character.codePointAt(0)!));
}

/** Returns a font that contains only the given glyphs of `full`, at their original size. */
function subsetOf(full: Font, glyphs: readonly number[]): Uint8Array {
  const parts = glyphs.map((id) => ({ parts: [{ font: full, id, x: 0, y: 0 }], advance: full.advance(id) }));
  return packTables(assembleFont(full, parts));
}

describe("a font subset", () => {
  it.each(["regular", "bold"])(
    "a font subset has the advance, bearing and outline of each glyph in a sample text (%s)",
    async (weight) => {
      const full = await openFont(`noto-sans-${weight}.ttf`, loadFont);
      const glyphs = [...new Set(glyphsOf(SAMPLE))];
      const subset = readSubset(subsetOf(full, glyphs));

      for (const [i, glyph] of glyphs.entries()) {
        expect(subset.advance(i + 1)).toBe(full.advance(glyph));
        expect(subset.leftSideBearing(i + 1)).toBe(full.leftSideBearing(glyph));
        expectSameOutline(subset, i + 1, full, glyph);
      }
      expect(subset.glyphCount).toBe(subset.advanceCount);
    },
  );

  it("a font subset lists the components of nested composite glyphs after the requested glyphs", () => {
    const [outer, inner, leaf] = [10, 20, 30];
    const nested: Font = {
      ...font,
      outline: (glyph) => (glyph === outer ? composite(inner) : glyph === inner ? composite(leaf) : new Uint8Array()),
    };
    const subset = readSubset(subsetOf(nested, [outer, leaf]));
    expect(subset.glyphCount).toBe(4);
    expect(componentsOf(subset.outline(1))).toEqual([3]);
    expect(componentsOf(subset.outline(3))).toEqual([2]);
  });

  it("a font subset contains each glyph once, even if composite glyphs refer to each other in a cycle", () => {
    const circular: Font = { ...font, outline: (glyph) => composite(glyph === 10 ? 20 : 10) };
    expect(readSubset(subsetOf(circular, [10])).glyphCount).toBe(3);
  });

  it("a font subset scales glyphs of a font with different units per em, and computes their bounding boxes", () => {
    const twice: Font = { ...font, unitsPerEm: 2000 };
    const [id] = glyphsOf("H") as [number];
    const subset = readSubset(
      packTables(assembleFont(font, [{ parts: [{ font: twice, id, x: 100, y: -40 }], advance: 300 }])),
    );
    const view = viewOf(subset.outline(1));
    expect(view.getUint16(10) & 8).toBe(8);
    expect([view.getInt16(14), view.getInt16(16), view.getInt16(18)]).toEqual([50, -20, 0x2000]);
    const [xMin, yMin, xMax, yMax] = font.box(id);
    expect([2, 4, 6, 8].map((at) => view.getInt16(at))).toEqual(
      [xMin / 2 + 50, yMin / 2 - 20, xMax / 2 + 50, yMax / 2 - 20].map(Math.round),
    );
    expect([subset.advance(1), subset.leftSideBearing(1)]).toEqual([300, view.getInt16(2)]);
  });

  it("the glyph 0 of a font subset is empty", () => {
    expect(font.outline(0).length).toBeGreaterThan(0);
    expect(readSubset(subsetOf(font, [])).outline(0)).toHaveLength(0);
  });

  it("a font subset contains only the tables needed for drawing, sorted and with valid checksums", () => {
    const bytes = subsetOf(font, glyphsOf(SAMPLE));
    const { tables, view } = readSubset(bytes);
    expect(Object.keys(tables)).toEqual(["glyf", "head", "hhea", "hmtx", "loca", "maxp"]);
    expect(wordSum(view, 0, bytes.length)).toBe(0xb1b0afba);

    for (const [tag, { sum, start, length }] of Object.entries(tables)) {
      // The checksum of the head table is computed with checkSumAdjustment set to zero.
      const adjustment = tag === "head" ? view.getUint32(start + 8) : 0;
      expect((wordSum(view, start, length) - adjustment + 2 ** 32) % 2 ** 32, tag).toBe(sum);
    }
  });

  it("a font subset uses a long loca table only if its outline offsets are too large for a short table", () => {
    const all = Array.from({ length: 4000 }, (_, i) => i + 1);
    const long = readSubset(subsetOf(font, all));
    expect(long.isLong).toBe(true);
    for (const [i, glyph] of all.entries()) expectSameOutline(long, i + 1, font, glyph);

    expect(readSubset(subsetOf(font, all.slice(0, 500))).isLong).toBe(false);
  });
});

/** Expects two glyphs to have equal outlines. Ignores instructions, component ids and padding to an even length. */
function expectSameOutline(subset: ReturnType<typeof readSubset>, id: number, full: Font, glyph: number): void {
  const expected = full.outline(glyph),
    actual = subset.outline(id);
  const parts = componentsOf(actual);
  expect(parts).toHaveLength(componentsOf(expected).length);
  for (const [i, part] of componentsOf(expected).entries()) expectSameOutline(subset, parts[i]!, full, part);

  const same = rewriteGlyph(expected, (part) => parts[componentsOf(expected).indexOf(part)]!);
  expect(actual.slice(0, same.length)).toEqual(same.slice());
  expect(actual.slice(same.length).every((byte) => byte === 0)).toBe(true);
}

/** Returns a composite glyph with one component at the origin. */
function composite(part: number): Uint8Array {
  return new Uint8Array([0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, part >> 8, part & 0xff, 0, 0]);
}
