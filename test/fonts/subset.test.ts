import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { componentsOf } from "../../src/fonts/glyf.ts";
import { loadFont } from "../../src/fonts/library.ts";
import { subsetFont } from "../../src/fonts/subset.ts";
import type { Font } from "../../src/fonts/truetype.ts";
import { readSubset, wordSum } from "./sfnt.ts";

const font = await loadFont(env.FONTS, "regular");
const SAMPLE = "Hello, Ünïcödé Ώμέγα Привет, йод Việt Nam ửỹặ €";

function glyphsOf(text: string): number[] {
  return Array.from(text, (character) => font.glyphOf(character.codePointAt(0)!));
}

describe("a subset", () => {
  it.each(["regular", "bold"] as const)(
    "keeps advance, bearing and outline of every glyph of a sample (%s)",
    async (weight) => {
      const full = await loadFont(env.FONTS, weight);
      const { bytes, ids } = subsetFont(full, glyphsOf(SAMPLE));
      const subset = readSubset(bytes);

      for (const [glyph, id] of ids) {
        expect(subset.advance(id)).toBe(full.advance(glyph));
        expect(subset.leftSideBearing(id)).toBe(full.leftSideBearing(glyph));
        if (id !== 0) expectSameOutline(subset.outline(id), full, glyph, ids);
      }
      expect(subset).toMatchObject({ glyphCount: ids.size, advanceCount: ids.size });
    },
  );

  it("numbers the glyphs from 1 in the order given, each once", () => {
    const [a, b] = glyphsOf("ab") as [number, number];
    expect([...subsetFont(font, [b, a, b]).ids]).toEqual([
      [0, 0],
      [b, 1],
      [a, 2],
    ]);
  });

  it("brings the parts of a composite along, under their new ids", () => {
    const [eAcute] = glyphsOf("é") as [number];
    const parts = componentsOf(font.outline(eAcute));
    expect(parts.length).toBeGreaterThan(0);

    const { bytes, ids } = subsetFont(font, [eAcute]);
    const subset = readSubset(bytes);
    expect([...ids.keys()]).toEqual([0, eAcute, ...parts]);
    expect(componentsOf(subset.outline(1))).toEqual(parts.map((part) => ids.get(part)));
  });

  it("brings the parts of parts along", () => {
    const [outer, inner, leaf] = [10, 20, 30];
    const nested: Font = {
      ...font,
      outline: (glyph) => (glyph === outer ? composite(inner) : glyph === inner ? composite(leaf) : new Uint8Array()),
    };
    expect([...subsetFont(nested, [outer]).ids.keys()]).toEqual([0, outer, inner, leaf]);
  });

  it("ends where parts call each other in a circle", () => {
    const circular: Font = { ...font, outline: (glyph) => composite(glyph === 10 ? 20 : 10) };
    expect([...subsetFont(circular, [10]).ids.keys()]).toEqual([0, 10, 20]);
  });

  it("draws nothing for glyph 0", () => {
    expect(font.outline(0).length).toBeGreaterThan(0);
    expect(readSubset(subsetFont(font, []).bytes).outline(0)).toHaveLength(0);
  });

  it("has only the tables that draw, in order, with right checksums", () => {
    const { bytes } = subsetFont(font, glyphsOf(SAMPLE));
    const { tables, view } = readSubset(bytes);
    expect(Object.keys(tables)).toEqual(["glyf", "head", "hhea", "hmtx", "loca", "maxp"]);
    expect(wordSum(view, 0, bytes.length)).toBe(0xb1b0afba);

    for (const [tag, { sum, start, length }] of Object.entries(tables)) {
      // The sum of head is taken with its adjustment at zero.
      const adjustment = tag === "head" ? view.getUint32(start + 8) : 0;
      expect((wordSum(view, start, length) - adjustment + 2 ** 32) % 2 ** 32, tag).toBe(sum);
    }
  });

  it("takes long offsets only where short ones do not reach", () => {
    const all = Array.from({ length: 4000 }, (_, i) => i + 1);
    const { bytes, ids } = subsetFont(font, all);
    const long = readSubset(bytes);
    expect(long.isLong).toBe(true);
    for (const glyph of all) expectSameOutline(long.outline(ids.get(glyph)!), font, glyph, ids);

    expect(readSubset(subsetFont(font, all.slice(0, 500)).bytes).isLong).toBe(false);
  });
});

/** The same bytes, but for the ids of parts and padding to an even length. */
function expectSameOutline(actual: Uint8Array, full: Font, glyph: number, ids: ReadonlyMap<number, number>): void {
  const expected = full.outline(glyph).slice();
  const view = new DataView(expected.buffer);
  let at = 10;
  for (const part of componentsOf(full.outline(glyph))) {
    const flags = view.getUint16(at);
    expect(view.getUint16(at + 2)).toBe(part);
    view.setUint16(at + 2, ids.get(part)!);
    at += 4 + (flags & 1 ? 4 : 2) + (flags & 8 ? 2 : flags & 64 ? 4 : flags & 128 ? 8 : 0);
  }

  const shared = Math.min(expected.length, actual.length);
  expect(actual.slice(0, shared)).toEqual(expected.slice(0, shared));
  expect([...expected.slice(shared), ...actual.slice(shared)].every((byte) => byte === 0)).toBe(true);
}

/** A composite of one part, moved by nothing. */
function composite(part: number): Uint8Array {
  return new Uint8Array([0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, part >> 8, part & 0xff, 0, 0]);
}
