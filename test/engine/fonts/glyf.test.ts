import { describe, expect, it } from "vitest";
import { componentsOf, rewriteGlyph } from "../../../src/engine/fonts/glyf.ts";

const BOX = [0, 0, 0, 0, 0, 9, 0, 9];
const SIMPLE_HEADER = [0, 1, ...BOX, 0, 2];
const POINTS = [1, 1, 1, 9, 0, 0, 9, 0, 9];
const COMPOSITE_HEADER = [0xff, 0xff, ...BOX];

const glyph = (...bytes: (number | number[])[]) => new Uint8Array(bytes.flat());
const plus100 = (id: number) => id + 100;

describe("rewriting a glyph", () => {
  it("rewriteGlyph removes the instructions of a simple glyph and changes nothing else", () => {
    const hinted = glyph(SIMPLE_HEADER, [0, 3], [0xb0, 0x01, 0x2f], POINTS);
    expect(rewriteGlyph(hinted, plus100)).toEqual(glyph(SIMPLE_HEADER, [0, 0], POINTS));
    expect(componentsOf(hinted)).toEqual([]);
  });

  it("rewriteGlyph returns a simple glyph without instructions unchanged", () => {
    const plain = glyph(SIMPLE_HEADER, [0, 0], POINTS);
    expect(rewriteGlyph(plain, plus100)).toEqual(plain);
  });

  it("rewriteGlyph returns an empty glyph unchanged", () => {
    expect(rewriteGlyph(glyph(), plus100)).toEqual(glyph());
    expect(componentsOf(glyph())).toEqual([]);
  });

  it.each([
    ["byte arguments", 0x0002, [1, 2]],
    ["word arguments", 0x0003, [0, 1, 0, 2]],
    ["one scale", 0x000a, [1, 2, 0x40, 0]],
    ["two scales", 0x0042, [1, 2, 0x40, 0, 0x20, 0]],
    ["a matrix", 0x0082, [1, 2, 0x40, 0, 0, 0, 0, 0, 0x40, 0]],
  ])("rewriteGlyph renumbers the components of a composite glyph with %s", (_, flags, rest) => {
    const parts = (first: number, second: number) =>
      glyph(COMPOSITE_HEADER, [0, flags | 0x20, 0, first], rest, [0, flags, 0, second], rest);
    expect(componentsOf(parts(7, 8))).toEqual([7, 8]);
    expect(rewriteGlyph(parts(7, 8), plus100)).toEqual(parts(107, 108));
  });

  it("rewriteGlyph removes the instructions of a composite glyph and clears the glyph's instruction flag", () => {
    const hinted = glyph(COMPOSITE_HEADER, [1, 0x02, 0, 7, 1, 2], [0, 2, 0xb0, 0x01]);
    expect(rewriteGlyph(hinted, plus100)).toEqual(glyph(COMPOSITE_HEADER, [0, 0x02, 0, 107, 1, 2]));
  });

  it("rewriteGlyph does not change the glyph of the source font", () => {
    const composite = glyph(COMPOSITE_HEADER, [0, 0x02, 0, 7, 1, 2]);
    rewriteGlyph(composite, plus100);
    expect(componentsOf(composite)).toEqual([7]);
  });
});
