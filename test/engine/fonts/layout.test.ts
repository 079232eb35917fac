import { describe, expect, it, test } from "vitest";
import { isRightToLeft } from "../../../src/engine/fonts/bidi.ts";
import { digitPlaceholders } from "../../../src/engine/fonts/digitPlaceholders.ts";
import { type Line, typesetterFor } from "../../../src/engine/fonts/layout.ts";
import type { EngineError } from "../../../src/engine/index.ts";
import { loadFont } from "../../support/fonts.ts";

async function layOut(text: string, rightToLeft = false): Promise<Line> {
  return (await typesetterFor(text, "regular", loadFont)).layOut(text, rightToLeft);
}

const textsOf = ({ clusters }: Line) => clusters.map(({ text }) => text);
const filesOf = ({ clusters }: Line) =>
  clusters.map(({ face }) =>
    face.file.path.replace(/-regular\.ttf$|\.ttf$/, "").replace(/^noto-sans-|^noto-(?=emoji)/, ""),
  );

describe("laying out a line", () => {
  it("the layout of a line makes each letter a cluster that begins where the previous cluster ends", async () => {
    const line = await layOut("Añ Ω");
    expect(textsOf(line)).toEqual(["A", "ñ", " ", "Ω"]);
    expect(line.clusters.map(({ x }) => x)).toEqual([0, 0.639, 0.639 + 0.618, 0.639 + 0.618 + 0.26]);
    expect(line.width).toBeCloseTo(0.639 + 0.618 + 0.26 + 0.717);
  });

  it("the layout of a line applies kerning to adjacent letters", async () => {
    expect((await layOut("AVAV")).width).toBeLessThan(
      2 * (await layOut("A")).width + 2 * (await layOut("V")).width - 0.1,
    );
  });

  test.each([
    ["a base letter with its marks", "x\u0301\u0323y", ["x\u0301\u0323", "y"]],
    ["a syllable whose vowel sign precedes its consonant", "हिन", ["हि", "न"]],
    ["a conjunct", "क्षण", ["क्ष", "ण"]],
    ["a family", "👩‍👩‍👧!", ["👩‍👩‍👧", "!"]],
  ])("lays out %s as one cluster", async (_, text, clusters) => {
    expect(textsOf(await layOut(text))).toEqual(clusters);
  });

  it("the layout of a line returns right-to-left letters in visual order, even within a cluster", async () => {
    expect(textsOf(await layOut("שָׁלום", true)).join("")).toBe([..."שָׁלום"].reverse().join(""));
    expect(textsOf(await layOut("אב 12 ab", true)).join("")).toBe("ab 12 בא");
    expect(textsOf(await layOut("ab אב 12 cd")).join("")).toBe("ab 12 בא cd");
  });

  test.each([
    ["Adlam", "𞤅𞤭𞤪𞤪𞤭 𞤆𞤵𞤤𞤢𞤪"],
    ["Rohingya", "𐴌𐴟𐴇𐴝𐴚"],
    ["Mende", "𞠀𞠬 𞠒"],
    ["Yezidi", "𐺀𐺁𐺕"],
    ["Thaana", "ސިއްރު ލިޔުން"],
    ["Syriac", "ܐܪܙܢܝܐ ܫܠܳܡܳܐ"],
    ["N'Ko", "ߒߞߏ ߜߎ߲߬ߘߏ"],
    ["emoji between Arabic words", "سر 🔒 👍 سر"],
  ])("lays out %s from right to left", async (_, text) => {
    expect(isRightToLeft(text)).toBe(true);
    expect(textsOf(await layOut(text, true)).join("")).toBe([...text].reverse().join(""));
  });

  it("the layout of a line moves a zero-width non-joiner from the end of a cluster to the start of the next cluster", async () => {
    expect(textsOf(await layOut("می\u200cشود", true))).toEqual(["د", "و", "ش", "\u200cی", "م"]);
    expect(textsOf(await layOut("क्\u200cष"))).toEqual(["क्", "\u200cष"]);
  });

  it("lays out numbers and left-to-right letters beyond U+FFFF from left to right within right-to-left text", async () => {
    expect(isRightToLeft("𐐔𐐯𐑅")).toBe(false);
    expect(textsOf(await layOut("𐐔𐐯𐑅 𞤅𞤭 𐐔𐐯")).join("")).toBe("𐐔𐐯𐑅 𞤭𞤅 𐐔𐐯");
    expect(textsOf(await layOut("𐴌 𐴱𐴲", true)).join("")).toBe("𐴱𐴲 𐴌");
  });

  it("the layout of a line selects the form of an Arabic letter by the letter's position in a word", async () => {
    const glyph = async (text: string, at: number) => (await layOut(text, true)).clusters[at]!.glyphs[0]!.id;
    const [alone, final, middle, initial] = [
      await glyph("ه", 0),
      ...(await layOut("ههه", true)).clusters.map(({ glyphs }) => glyphs[0]!.id),
    ];
    expect(new Set([alone, final, middle, initial]).size).toBe(4);
  });

  it("the height of a line includes the metrics of its fonts and the ink of its letters", async () => {
    expect(await layOut("x")).toMatchObject({ ascent: 1.069, descent: -0.293 });
    expect((await layOut("x ที่")).descent).toBe(-0.45);
    expect((await layOut("x\u0301\u0301\u0301\u0301\u0301")).ascent).toBeGreaterThan(1.5);
  });

  it("a digit placeholder is as wide as a digit", async () => {
    const line = await layOut(`a${digitPlaceholders(1)}b`);
    expect(line.clusters.map(({ placeholder }) => placeholder)).toEqual([undefined, digitPlaceholders(1), undefined]);
    expect(line.width).toBe((await layOut("a7b")).width);
  });
});

describe("the choice of fonts", () => {
  test.each([
    ["Tiếng Việt, Ελλάδα, Русский", ["noto-sans"]],
    ["abc 中 def", ["noto-sans", "sc/4e00", "noto-sans"]],
    ["直ちに", ["jp/7600", "jp/3000"]],
    ["直角", ["sc/7600", "sc/8800"]],
    ["대한", ["kr/b200", "kr/d400"]],
    ["(12) सच", ["devanagari"]],
    ["ok 👍", ["noto-sans", "emoji"]],
    ["©", ["noto-sans"]],
    ["©\ufe0f", ["emoji"]],
    ["☎", ["symbols2"]],
  ])("the text %s is drawn with the fonts %j", async (text, expected) => {
    const files = filesOf(await layOut(text));
    expect(files.filter((file, i) => file !== files[i - 1])).toEqual(expected);
  });
});

describe("characters without a font", () => {
  test.each([
    ["\u{12000}", "U+12000, character 1 of "],
    ["ab\u{12000}", "U+12000, character 3 of "],
    ["e\u0301\u{12000}", "U+12000, character 2 of "],
    ["क्षि\u{12000}", "U+12000, character 2 of "],
    ["a\0b", "U+0000, character 2 of "],
    ["ok\n\ue000", 'U+E000, character 4 of "ok\\n'],
  ])(
    "the error for the text %j states the code point and the position of the character that no font covers",
    async (text, words) => {
      const problem = await typesetterFor(text, "regular", loadFont).catch((error: EngineError) => error);
      expect(problem).toMatchObject({ code: "unsupported_character" });
      expect((problem as EngineError).message).toContain(words);
    },
  );
});

test("the typesetter evicts cached lines of a text when the lines exceed the memory limit", async () => {
  const typesetter = await typesetterFor("AB", "regular", loadFont);
  const cached = typesetter.layOut("A", false);
  expect(typesetter.layOut("A", false)).toBe(cached);
  expect(typesetter.layOut("A", true)).not.toBe(cached);
  for (let length = 1; length <= 300; length++) typesetter.layOut("AB".repeat(length), false);
  const again = typesetter.layOut("A", false);
  expect(again).not.toBe(cached);
  expect(again).toEqual(cached);
});
