import { describe, expect, it } from "vitest";
import { readCmap } from "../../../src/engine/fonts/cmap.ts";
import { openFont } from "../../../src/engine/fonts/library.ts";
import { openTables } from "../../../src/engine/fonts/sfnt.ts";
import { readFont } from "../../../src/engine/fonts/truetype.ts";
import { loadFont } from "../../support/fonts.ts";

const regular = await openFont("noto-sans-regular.ttf", loadFont);
const bold = await openFont("noto-sans-bold.ttf", loadFont);
const codePoint = (character: string) => character.codePointAt(0)!;

describe("a TrueType font", () => {
  it("reads the name, weight and vertical metrics of a font", () => {
    expect(regular).toMatchObject({ name: "NotoSans-Regular", weight: 400, unitsPerEm: 1000 });
    expect(bold).toMatchObject({ name: "NotoSans-Bold", weight: 700, unitsPerEm: 1000 });
    expect(regular).toMatchObject({ ascent: 1069, descent: -293, capHeight: 714 });
  });

  it.each([
    ["Latin", "AZazß¿œŠ"],
    ["Greek", "ΑΩαωΆώᾳ"],
    ["Cyrillic", "АЯаяЁёЇґЙ"],
    ["Vietnamese", "ĐđƠơƯưệửỹốặ"],
    ["punctuation and currency", "–—‘’“”…€₫©®"],
  ])("a font has a glyph for every character of %s", (_, characters) => {
    for (const font of [regular, bold]) {
      for (const character of characters) expect(font.glyphOf(codePoint(character)), character).toBeGreaterThan(0);
    }
  });

  it.each(["中", "ا", "😀", "\u0007", "\ud800", "\u{10ffff}"])(
    "a font returns glyph 0 for the character %j, which the font lacks",
    (character) => {
      expect(regular.glyphOf(codePoint(character))).toBe(0);
    },
  );

  it("a font returns the advance widths of glyphs, and zero for a combining mark", () => {
    expect(regular.advance(regular.glyphOf(codePoint("A")))).toBe(639);
    expect(regular.advance(regular.glyphOf(codePoint(" ")))).toBe(260);
    expect(regular.advance(regular.glyphOf(0x0301))).toBe(0);
  });

  it("a font returns an empty outline for an empty glyph, and throws for an unknown glyph id", () => {
    expect(regular.outline(regular.glyphOf(codePoint(" ")))).toHaveLength(0);
    expect(() => regular.outline(60_000)).toThrow("no glyph 60000");
  });

  it("reads a font from a byte array that is a view into a larger buffer", () => {
    const larger = new Uint8Array(regular.bytes.length + 3);
    larger.set(regular.bytes, 3);
    const font = readFont(larger.subarray(3));
    const glyph = font.glyphOf(codePoint("é"));
    expect(glyph).toBe(regular.glyphOf(codePoint("é")));
    expect(font.outline(glyph)).toEqual(regular.outline(glyph));
  });

  it("readFont throws if a font lacks a required table", () => {
    const renamed = regular.bytes.slice();
    const directory = new TextDecoder("latin1").decode(renamed.subarray(0, 300));
    renamed.set(new TextEncoder().encode("xxxx"), directory.indexOf("glyf"));
    expect(() => readFont(renamed)).toThrow("no glyf table");
  });
});

describe("a cmap table", () => {
  it("cmap subtables of formats 4 and 12 map the Basic Multilingual Plane to the same glyphs", () => {
    const byGroups = readCmap(cmapWith(12));
    const bySegments = readCmap(cmapWith(4));
    const differing = [];
    for (let c = 0; c <= 0xffff; c++) if (byGroups(c) !== bySegments(c)) differing.push(c);
    expect(differing).toEqual([]);
    expect(bySegments(0x1f600)).toBe(0);
  });

  it("readCmap looks up characters through the idRangeOffset array of cmap format 4", () => {
    const bySegments = readCmap(
      table([0, 1, 3, 1, 0, 12], [4, 36, 0, 4, 4, 1, 0], [0x42, 0xffff], [0], [0x41, 0xffff], [5, 1], [4, 0], [7, 0]),
    );
    expect([0x40, 0x41, 0x42, 0x43].map(bySegments)).toEqual([0, 12, 0, 0]);
  });

  it("readCmap throws if a cmap has no Unicode subtable", () => {
    expect(() => readCmap(table([0, 1, 1, 0, 0, 12], [0]))).toThrow("no Unicode subtable");
  });
});

/** Returns the cmap of Noto Sans with only the subtables of `format` marked as Unicode. */
function cmapWith(format: number): Uint8Array {
  const cmap = openTables(regular.bytes)("cmap").slice();
  const view = new DataView(cmap.buffer);
  for (let i = 0; i < view.getUint16(2); i++) {
    const record = 4 + i * 8;
    if (view.getUint16(view.getUint32(record + 4)) !== format) view.setUint16(record, 1);
  }
  return cmap;
}

function table(...words: number[][]): Uint8Array {
  return new Uint8Array(words.flat().flatMap((word) => [word >> 8, word & 0xff]));
}
