import { describe, expect, test } from "vitest";
import { digitPlaceholders } from "../../../src/engine/fonts/digitPlaceholders.ts";
import { pieces } from "../../../src/engine/marks/lineBreaks.ts";

/** Returns a paragraph with a vertical bar at each possible line break. */
const broken = (paragraph: string) => pieces(paragraph).join("|");

describe("line breaks", () => {
  test.each([
    ["allows a break after a space", "one two  three", "one |two  |three"],
    ["allows a break before an opening bracket", "see (page 3) now", "see |(page |3) |now"],
    ["allows a break before an opening quotation mark", "the “last one” is", "the |“last |one” |is"],
    ["allows a break before a currency sign", "costs $50 or 40 €", "costs |$50 |or |40 |€"],
    ["allows a break after a hyphen that is not a minus sign", "well-known, minus -5", "well-|known, |minus |-5"],
    ["allows a break after an em dash", "one—two", "one—|two"],
    ["does not break a word, a number or an address", "don’t 1,234.5 a.b@c.de", "don’t |1,234.5 |a.b@c.de"],
    ["does not break before French punctuation", "Bonjour ! « Non »", "Bonjour ! |« |Non »"],
    ["does not break at a no-break space", "10\u00a0km on", "10\u00a0km |on"],
    ["allows a break after Chinese punctuation but not before it", "你好，世界。再见！", "你好，|世界。|再见！"],
    ["allows a break outside Chinese brackets but not directly inside them", "请看「第三页」吧", "请看|「第三|页」|吧"],
    ["allows a break between Latin and Chinese", "PDF文件", "PDF|文件"],
    ["allows a break between emoji but not within one", "👍👩‍👩‍👧", "👍|👩‍👩‍👧"],
    ["keeps the digits of a page number together", `a ${digitPlaceholders(2)} b`, `a |${digitPlaceholders(2)} |b`],
  ])("%s", (_, paragraph, expected) => {
    expect(broken(paragraph)).toBe(expected);
  });

  test.each([
    ["Japanese", "この文書は社外秘です"],
    ["Thai", "เอกสารนี้เป็นความลับ"],
    ["Lao", "ເອກະສານນີ້ເປັນຄວາມລັບ"],
    ["Khmer", "ឯកសារនេះជាការសម្ងាត់"],
    ["Burmese", "ဤစာရွက်စာတမ်းသည်လျှို့ဝှက်ဖြစ်သည်"],
  ])("allows line breaks within %s text, which has no spaces between words", (_, paragraph) => {
    expect(pieces(paragraph).length).toBeGreaterThan(1);
    expect(pieces(paragraph).join("")).toBe(paragraph);
  });

  test("no line begins with small kana, a long vowel mark or an iteration mark", () => {
    for (const piece of pieces("キャッシュカードは人々のもの、ゆっくりとって。"))
      expect(piece).not.toMatch(/^[ーッャュョっゃゅょ々、。]/);
  });
});
