import { describe, expect, test } from "vitest";
import type { Letterforms } from "../../../src/engine/fonts/language.ts";
import { typesetterFor } from "../../../src/engine/fonts/layout.ts";
import { loadFont } from "../../support/fonts.ts";

/** Returns the font families that draw each line of a text. */
async function familiesOf(text: string, languages: Letterforms = {}): Promise<string[][]> {
  const { layOut } = await typesetterFor(text, "regular", loadFont, languages);
  return text
    .split("\n")
    .map((line) => [
      ...new Set(layOut(line, false).clusters.map(({ face }) => face.file.family.name.replace("noto-sans-", ""))),
    ]);
}

describe("ideographs in a language", () => {
  test.each([
    [undefined, "sc"],
    ["ja", "jp"],
    ["JA-jp", "jp"],
    ["ko", "kr"],
    ["zh", "sc"],
    ["zh-CN", "sc"],
    ["zh-Hans-HK", "sc"],
    ["zh-Hant", "tc"],
    ["zh-TW", "tc"],
    ["zh-HK", "hk"],
    ["zh-Hant-MO", "hk"],
    ["yue", "hk"],
    ["ja-u-ca-japanese-x-private", "jp"],
    ["en", "sc"],
    ["und", "sc"],
  ])("draws ideographs in the language %s with the font %s", async (text, family) => {
    expect(await familiesOf("社外秘", { text })).toEqual([[family]]);
    expect(await familiesOf("社外秘", { document: text })).toEqual([[family]]);
  });

  test("draws ideographs in the caller's language, not in the document's language", async () => {
    expect(await familiesOf("社外秘", { text: "zh-Hant", document: "ja" })).toEqual([["tc"]]);
    expect(await familiesOf("社外秘", { text: "en", document: "ja" })).toEqual([["sc"]]);
  });

  test.each(["", "x", "日本語", "ja_JP", "english please", "ja-", "i-klingon"])(
    "ignores the malformed document language %j",
    async (document) => {
      expect(await familiesOf("社外秘", { document })).toEqual([["sc"]]);
    },
  );
});

describe("ideographs without a language", () => {
  test("draws ideographs with Japanese letterforms if the text contains kana anywhere", async () => {
    expect(await familiesOf("社外秘コピー禁止")).toEqual([["jp"]]);
    expect(await familiesOf("社外秘\nコピー禁止")).toEqual([["jp"], ["jp"]]);
    expect(await familiesOf("社外秘コピー", { document: "zh-TW" })).toEqual([["jp"]]);
  });

  test("draws the ideographs of a line with Korean letterforms if the line contains hangul", async () => {
    expect(await familiesOf("大外秘대외비")).toEqual([["kr"]]);
    expect(await familiesOf("機密\n대외비機密")).toEqual([["sc"], ["kr"]]);
    expect(await familiesOf("機密\n대외비機密", { document: "zh-TW" })).toEqual([["tc"], ["kr"]]);
  });

  test("draws every line of a wrapped Korean paragraph with Korean letterforms, even a line without hangul", async () => {
    const { layOut } = await typesetterFor("國家安全대외비", "regular", loadFont);
    expect(layOut("國家安全", false).clusters.map(({ face }) => face.file.family.name)).toEqual(
      Array.from("國家安全", () => "noto-sans-kr"),
    );
  });
});

test("draws a character with another font if the font of the text's language lacks the character", async () => {
  expect(await familiesOf("请勿复制", { text: "ja" })).toEqual([["sc", "jp"]]);
  expect(await familiesOf("𠮷野家 㐂", { text: "zh-Hant" })).toEqual([expect.arrayContaining(["tc"])]);
});

test("draws samples from the whole CJK Unified Ideographs block in Japanese, Korean and traditional Chinese", async () => {
  const all = Array.from({ length: 0x5200 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
  for (const text of ["ja", "ko", "zh-Hant", "zh-HK"])
    for (let at = 0; at < all.length; at += 4000)
      await expect(familiesOf(all.slice(at, at + 40), { text })).resolves.toHaveLength(1);
});

describe("the style of letters", () => {
  test.each([
    [undefined, "Draft ΑΒΓ Черновик", ["noto-sans"]],
    ["sans", "Draft ΑΒΓ Черновик", ["noto-sans"]],
    ["serif", "Draft ΑΒΓ Черновик 3 / 12", ["noto-serif"]],
    ["serif", "機密 DRAFT", ["sc", "noto-serif"]],
    ["serif", "社外秘 Draft コピー禁止", ["jp", "noto-serif"]],
    ["serif", "سري", ["arabic"]],
  ] as const)(
    "with the font style %s, the text %j is drawn with the font families %j",
    async (font, text, families) => {
      expect(await familiesOf(text, { font })).toEqual([families]);
    },
  );

  test("draws regular and bold serif text with serif fonts", async () => {
    for (const weight of ["regular", "bold"] as const) {
      const { layOut } = await typesetterFor("Draft", weight, loadFont, { font: "serif" });
      expect(layOut("Draft", false).clusters[0]!.face.file.path).toBe(`noto-serif-${weight}.ttf`);
    }
  });
});

describe("Arabic letters", () => {
  test.each([
    ["ur", "noto-nastaliq-urdu"],
    ["ur-PK", "noto-nastaliq-urdu"],
    ["pa-Arab", "noto-nastaliq-urdu"],
    ["pnb", "noto-nastaliq-urdu"],
    ["ar", "arabic"],
    ["fa", "arabic"],
    [undefined, "arabic"],
  ])("draws Arabic letters in the language %s with the font %s", async (text, family) => {
    const { layOut } = await typesetterFor("خفیہ", "regular", loadFont, { text });
    const names = layOut("خفیہ", true).clusters.map(({ face }) => face.file.family.name.replace("noto-sans-", ""));
    expect([...new Set(names)]).toEqual([family]);
  });
});

test("draws Serbian and Romanian letters with localized glyphs, and Russian letters with default glyphs", async () => {
  const glyphs = async (line: string, text?: string) =>
    (await typesetterFor(line, "regular", loadFont, { text }))
      .layOut(line, false)
      .clusters.flatMap(({ glyphs }) => glyphs.map(({ id }) => id));
  expect(await glyphs("б", "sr")).not.toEqual(await glyphs("б"));
  expect(await glyphs("б", "ru")).toEqual(await glyphs("б"));
  expect(await glyphs("Ș ş", "ro")).not.toEqual(await glyphs("Ș ş"));
});
