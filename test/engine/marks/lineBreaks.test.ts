import { describe, expect, test } from "vitest";
import { DIGIT_SLOT } from "../../../src/engine/fonts/slot.ts";
import { pieces } from "../../../src/engine/marks/lineBreaks.ts";

/** Returns a paragraph with a bar at each possible line break. */
const broken = (paragraph: string) => pieces(paragraph).join("|");

describe("a line may break", () => {
  test.each([
    ["after a space", "one two  three", "one |two  |three"],
    ["before an opening bracket", "see (page 3) now", "see |(page |3) |now"],
    ["before an opening quotation mark", "the “last one” is", "the |“last |one” |is"],
    ["before a currency sign", "costs $50 or 40 €", "costs |$50 |or |40 |€"],
    ["after a hyphen, but not before a number", "well-known, minus -5", "well-|known, |minus |-5"],
    ["after an em dash", "one—two", "one—|two"],
    ["nowhere within a word, a number or an address", "don’t 1,234.5 a.b@c.de", "don’t |1,234.5 |a.b@c.de"],
    ["not before French punctuation", "Bonjour ! « Non »", "Bonjour ! |« |Non »"],
    ["not at a space that holds together", "10\u00a0km on", "10\u00a0km |on"],
    ["after Chinese punctuation, and never before it", "你好，世界。再见！", "你好，|世界。|再见！"],
    ["before Chinese brackets and after, not within", "请看「第三页」吧", "请看|「第三|页」|吧"],
    ["between Latin and Chinese", "PDF文件", "PDF|文件"],
    ["between emoji", "👍👩‍👩‍👧", "👍|👩‍👩‍👧"],
    ["around page numbers", `a ${DIGIT_SLOT}${DIGIT_SLOT} b`, `a |${DIGIT_SLOT}${DIGIT_SLOT} |b`],
  ])("%s", (_, paragraph, expected) => {
    expect(broken(paragraph)).toBe(expected);
  });

  test.each([
    ["Japanese", "この文書は社外秘です"],
    ["Thai", "เอกสารนี้เป็นความลับ"],
    ["Lao", "ເອກະສານນີ້ເປັນຄວາມລັບ"],
    ["Khmer", "ឯកសារនេះជាការសម្ងាត់"],
    ["Burmese", "ဤစာရွက်စာတမ်းသည်လျှို့ဝှက်ဖြစ်သည်"],
  ])("a line may break between the words of %s, which has no spaces", (_, paragraph) => {
    expect(pieces(paragraph).length).toBeGreaterThan(1);
    expect(pieces(paragraph).join("")).toBe(paragraph);
  });

  test("no line begins with small kana, long vowels or iteration marks", () => {
    for (const piece of pieces("キャッシュカードは人々のもの、ゆっくりとって。"))
      expect(piece).not.toMatch(/^[ーッャュョっゃゅょ々、。]/);
  });
});
