import { describe, expect, test } from "vitest";
import { fitText, type Room } from "../../src/mark/fit.ts";
import { turnedSize } from "../../src/mark/geometry.ts";
import { pieces, wrap } from "../../src/mark/wrap.ts";

/** Every character one em wide. */
const measure = (text: string) => [...text].length;

describe("wrapping", () => {
  test.each([
    ["aa bb cc", 5, ["aa bb", "cc"]],
    ["aa bb cc", 4, ["aa", "bb", "cc"]],
    ["aa bb\ncc", 99, ["aa bb", "cc"]],
    ["aa\n\nbb", 99, ["aa", "", "bb"]],
    ["abcdef gh", 4, ["abcd", "ef", "gh"]],
    ["well-known", 5, ["well-", "known"]],
    ["end. Next", 5, ["end.", "Next"]],
    ["👩‍👩‍👧👩‍👩‍👧", 5, ["👩‍👩‍👧", "👩‍👩‍👧"]],
  ])("%j at %i em", (text, width, lines) => {
    expect(wrap(text, width, measure)).toEqual(lines);
  });

  test("a script without spaces breaks between its words", () => {
    expect(pieces("日本語の文章").length).toBeGreaterThan(1);
    expect(pieces("日本語の文章").join("")).toBe("日本語の文章");
  });
});

const room = (change: Partial<Room> = {}): Room => ({
  page: { width: 600, height: 800 },
  rotation: 0,
  marginPt: 24,
  maxFontSizePt: 120,
  blockEm: (lines) => ({ width: Math.max(...lines.map(measure)), height: lines.length * 1.2 }),
  ...change,
});

describe("fitting", () => {
  test("a short text is as large as its template allows", () => {
    expect(fitText("A", measure, room())).toEqual({ lines: ["A"], fontSizePt: 120 });
  });

  test("a text comfortable on one line stays on it", () => {
    expect(fitText("two words", measure, room()).lines).toEqual(["two words"]);
  });

  test("a long one is wrapped, and larger for it", () => {
    const text = "word ".repeat(40).trim();
    const { lines, fontSizePt } = fitText(text, measure, room());
    expect(lines.length).toBeGreaterThan(2);
    expect(fontSizePt).toBeGreaterThan(552 / measure(text));
    expect(lines.join(" ")).toBe(text);
  });

  test("a word of 500 letters is broken rather than unreadable", () => {
    const { lines, fontSizePt } = fitText("x".repeat(500), measure, room());
    expect(lines.join("")).toBe("x".repeat(500));
    expect(fontSizePt).toBeGreaterThanOrEqual(6);
  });

  test.each([0, 30, 53, 90, 200])("whatever is fitted at %i degrees stays within the margins", (rotation) => {
    for (const text of ["A", "CONFIDENTIAL", "word ".repeat(90), "a\nb\nc\nd", "y".repeat(400)]) {
      const here = room({ rotation });
      const { lines, fontSizePt } = fitText(text, measure, here);
      const block = here.blockEm(lines);
      const turned = turnedSize({ width: block.width * fontSizePt, height: block.height * fontSizePt }, rotation);
      expect(turned.width).toBeLessThanOrEqual(552.0001);
      expect(turned.height).toBeLessThanOrEqual(752.0001);
    }
  });
});
