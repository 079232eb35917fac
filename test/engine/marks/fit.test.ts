import { describe, expect, test } from "vitest";
import { digitPlaceholders } from "../../../src/engine/fonts/digitPlaceholders.ts";
import { fitText, type TextArea } from "../../../src/engine/marks/fit.ts";
import { rotatedSize } from "../../../src/engine/marks/geometry.ts";
import { Paragraph, type TextLine, textOf, wrap } from "../../../src/engine/marks/wrap.ts";

/** Measures every character as one em wide. */
const measure = ({ text }: TextLine) => [...text].length;

const paragraphsOf = (text: string) =>
  text.split("\n").map((line) => new Paragraph({ text: line, rightToLeft: false }, measure));
const textsOf = (lines: readonly TextLine[]) => lines.map(({ text }) => text);

describe("wrap", () => {
  test.each([
    ["aa bb cc", 5, ["aa bb", "cc"]],
    ["aa bb cc", 4, ["aa", "bb", "cc"]],
    ["aa bb\ncc", 99, ["aa bb", "cc"]],
    ["aa\n\nbb", 99, ["aa", "", "bb"]],
    ["abcdef gh", 4, ["abcd", "ef", "gh"]],
    ["well-known", 5, ["well-", "known"]],
    ["end. Next", 5, ["end.", "Next"]],
    ["👩‍👩‍👧👩‍👩‍👧", 5, ["👩‍👩‍👧", "👩‍👩‍👧"]],
  ])("wraps the text %j into lines of at most %i em", (text, width, lines) => {
    expect(textsOf(textOf(wrap(paragraphsOf(text), width)))).toEqual(lines);
  });

  test("line wrapping moves a zero-width character to the next line together with the letter after it", () => {
    const text = "abc\u00a0\u2060def";
    const widthless = (line: TextLine) => measure({ ...line, text: line.text.replaceAll("\u2060", "") });
    const lines = wrap([new Paragraph({ text, rightToLeft: false }, widthless)], 3);
    expect(textsOf(textOf(lines))).toEqual(["abc", "\u2060def"]);
  });

  test("each wrapped line has the direction of its paragraph", () => {
    const paragraphs = [
      { text: "אא בב", rightToLeft: true },
      { text: "cc dd", rightToLeft: false },
    ].map((line) => new Paragraph(line, measure));
    expect(textOf(wrap(paragraphs, 2)).map(({ rightToLeft }) => rightToLeft)).toEqual([true, true, false, false]);
  });

  test("line wrapping never splits a page number, even if the line is too narrow for it", () => {
    const number = digitPlaceholders(4);
    expect(textsOf(textOf(wrap(paragraphsOf(`a${number}b`), 2)))).toEqual(["a", number, "b"]);
  });
});

const room = (change: Partial<TextArea> = {}): TextArea => ({
  page: { width: 600, height: 800 },
  room: { width: 552, height: 752 },
  rotation: 0,
  maxFontSizePt: 120,
  blockEm: (lines) => ({ width: Math.max(...lines.map(measure)), height: lines.length * 1.2 }),
  ...change,
});

describe("fitText", () => {
  test("fitText sets a short text at the maximum font size of its template", () => {
    expect(fitText(paragraphsOf("A"), room())).toEqual({ lines: paragraphsOf("A"), fontSizePt: 120 });
  });

  test("fitText keeps a text on one line if the font size is then still easy to read", () => {
    expect(textsOf(fitText(paragraphsOf("two words"), room()).lines)).toEqual(["two words"]);
  });

  test("fitText wraps a long text if wrapping allows a larger font size", () => {
    const text = "word ".repeat(40).trim();
    const { lines, fontSizePt } = fitText(paragraphsOf(text), room());
    expect(lines.length).toBeGreaterThan(2);
    expect(fontSizePt).toBeGreaterThan(552 / text.length);
    expect(textsOf(lines).join(" ")).toBe(text);
  });

  test("fitText adds no further lines once the text fits at the maximum font size", () => {
    const { lines, fontSizePt } = fitText(paragraphsOf("word ".repeat(20).trim()), room({ maxFontSizePt: 10 }));
    expect({ lines: lines.length, fontSizePt }).toEqual({ lines: 2, fontSizePt: 10 });
  });

  test("fitText breaks a word of 500 letters if the word would be unreadable on one line", () => {
    const { lines, fontSizePt } = fitText(paragraphsOf("x".repeat(500)), room());
    expect(textsOf(lines).join("")).toBe("x".repeat(500));
    expect(fontSizePt).toBeGreaterThanOrEqual(6);
  });

  test.each([
    ["keeps a text on one line that is hardly smaller there", 50, 1, 552 / 50],
    ["adds a line before it reduces the font size", 60, 2, 12],
    ["adds all lines that the depth allows", 200, 5, 12],
    ["reduces the font size if more lines are too deep", 300, 6, 10.9],
    ["reduces the font size to 6 points", 1000, 12, 6.1],
    ["cuts a text that does not fit at 6 points", 1200, 12, 6],
  ])("in a template of limited height, the engine %s", (_, characters, count, fontSizePt) => {
    const text = "word ".repeat(characters / 5).trim();
    const fit = fitText(paragraphsOf(text), room({ maxFontSizePt: 12, maxDepthPt: 90 }));
    expect(fit.lines).toHaveLength(count);
    expect(fit.fontSizePt).toBeCloseTo(fontSizePt, 0);
    const widths = fit.lines.map(measure);
    expect(Math.min(...widths)).toBeGreaterThan(0.7 * Math.max(...widths));
    const set = textsOf(fit.lines).join(" ");
    if (fit.isCut) expect(set).toMatch(/^(word )+(w|wo|wor|word)?…$/);
    else expect(set).toBe(text);
    expect(fit.isCut ?? false).toBe(characters === 1200);
  });

  test("fitText breaks a word in a template of limited height only if the word is wider than a line at 6 points", () => {
    const area = room({ maxFontSizePt: 12, maxDepthPt: 90 });
    const set = (length: number) => fitText(paragraphsOf(`see ${"x".repeat(length)} now`), area);
    expect(textsOf(set(80).lines)).toEqual(["see", "x".repeat(80), "now"]);
    expect(set(80).fontSizePt).toBeCloseTo(552 / 80, 1);
    expect(set(100).fontSizePt).toBeCloseTo(6, 1);
    expect(textsOf(set(100).lines).join("").replaceAll(" ", "")).toBe(`see${"x".repeat(100)}now`);
  });

  test.each([0.4, 1, 2.5])(
    "cutting a text keeps as many characters as fit, even if joined characters are %d times as wide as single ones",
    (together) => {
      const setWidth = (set: string) => (set.length === 1 ? 1 : together * set.length);
      const blockEm = (lines: readonly TextLine[]) => ({
        width: Math.max(...lines.map((line) => setWidth(line.text))),
        height: lines.length,
      });
      for (let width = 60; width < 400; width += 7) {
        const area = room({ room: { width, height: 752 }, maxFontSizePt: 6, maxDepthPt: 6, blockEm });
        const text = "fghij".repeat(100);
        const paragraph = new Paragraph({ text, rightToLeft: false }, (line) => setWidth(line.text));
        const [line] = textsOf(fitText([paragraph], area).lines) as [string];
        const onLine = Math.floor(width / 6);
        const fits = Array.from({ length: onLine + 1 }, (_, count) => `${text.slice(0, count)}…`);
        expect(line).toBe(fits.findLast((each) => setWidth(each) <= width / 6));
      }
    },
  );

  test("fitText keeps the caller's line breaks even if the text then exceeds the template's maximum height", () => {
    const area = room({ maxFontSizePt: 14, maxDepthPt: 20 });
    expect(textsOf(fitText(paragraphsOf("a\nb\nc"), area).lines)).toEqual(["a", "b", "c"]);
  });

  test.each([0, 30, 53, 90, 200])(
    "fitText keeps a text that is rotated by %i degrees within the margins",
    (rotation) => {
      for (const text of ["A", "CONFIDENTIAL", "word ".repeat(90), "a\nb\nc\nd", "y".repeat(400)]) {
        const here = room({ rotation });
        const { lines, fontSizePt } = fitText(paragraphsOf(text), here);
        const block = here.blockEm(lines);
        const rotated = rotatedSize({ width: block.width * fontSizePt, height: block.height * fontSizePt }, rotation);
        expect(rotated.width).toBeLessThanOrEqual(552.0001);
        expect(rotated.height).toBeLessThanOrEqual(752.0001);
      }
    },
  );
});
