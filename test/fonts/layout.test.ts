import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { encodeLine } from "../../src/fonts/layout.ts";
import { loadFont } from "../../src/fonts/library.ts";
import type { Problem } from "../../src/problems.ts";

const font = await loadFont(env.FONTS, "regular");

function refusal(text: string): Problem {
  try {
    encodeLine(font, text);
  } catch (problem) {
    return problem as Problem;
  }
  throw new Error("not refused");
}

describe("a line", () => {
  it("has one glyph per character, with the character as its text", () => {
    const { glyphs } = encodeLine(font, "Añ Ω");
    expect(glyphs.map(({ text }) => text)).toEqual(["A", "ñ", " ", "Ω"]);
    expect(glyphs.map(({ id }) => id)).toEqual([0x41, 0xf1, 0x20, 0x3a9].map(font.glyphOf));
  });

  it("is as wide as its advances together, in em", () => {
    expect(encodeLine(font, "A A").widthEm).toBeCloseTo((639 + 260 + 639) / 1000);
    expect(encodeLine(font, "").widthEm).toBe(0);
  });

  it.each([
    ["e and a combining acute", "e\u0301", "é"],
    ["a Vietnamese letter in three parts", "e\u0302\u0323", "ệ"],
    ["Cyrillic и and a breve", "и\u0306", "й"],
    ["the ohm sign", "\u2126", "Ω"],
  ])("composes %s into one glyph", (_, decomposed, composed) => {
    expect(encodeLine(font, decomposed)).toEqual(encodeLine(font, composed));
  });

  it("keeps a combining mark that composes with nothing, without widening the line", () => {
    const { glyphs, widthEm } = encodeLine(font, "x\u0301");
    expect(glyphs).toHaveLength(2);
    expect(widthEm).toBe(encodeLine(font, "x").widthEm);
  });
});

describe("a character that the font lacks", () => {
  it.each([
    ["中", "U+4E2D, character 1 of "],
    ["ab中", "U+4E2D, character 3 of "],
    ["e\u0301中", "U+4E2D, character 2 of "],
    ["x\u0301x中", "U+4E2D, character 3 of "],
    ["ok 😀", "U+1F600, character 4 of "],
    ["a\nb", 'U+000A, character 2 of "a\\nb"'],
    ["a\ud800", 'U+D800, character 2 of "a\\ud800"'],
  ])("in %j is refused by its code point and its place", (text, words) => {
    const problem = refusal(text);
    expect(problem).toMatchObject({ code: "unsupported_character", status: 422 });
    expect(problem.detail).toContain(words);
  });
});
