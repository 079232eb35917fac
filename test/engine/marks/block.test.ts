import { describe, expect, test } from "vitest";
import { type Line, typesetterFor } from "../../../src/engine/fonts/layout.ts";
import { appearanceOf } from "../../../src/engine/marks/appearance.ts";
import { stack } from "../../../src/engine/marks/block.ts";
import { loadFont } from "../../support/fonts.ts";

const plain = appearanceOf({ template: "horizontal" });
const framed = appearanceOf({ template: "stamp" });

async function linesOf(text: string): Promise<Line[]> {
  const { layOut } = await typesetterFor(text, "bold", loadFont);
  return text.split("\n").map((line) => layOut(line, false));
}

describe("stacking lines", () => {
  test.each([
    ["Latin capitals with accents", "ÅÇĘ\nÅÇĘ"],
    ["Thai with marks above and below", "ปู่ ที่\nปู่ ที่\nñ"],
    ["Myanmar under Telugu", "క్ష్మ స్త్రీ\nလျှို့ဝှက်\nx"],
    ["stacked combining marks", "x\nx\u0301\u0301\u0301\u0301\u0301\u0301\nx"],
    ["Khmer and Arabic", "ស្ត្រី\nقُلٍّ\nឮ្យ"],
  ])("lines of a text block do not overlap, and the block contains all ink: %s", async (_, text) => {
    const { rows, width, height } = stack(await linesOf(text), plain);
    for (const [i, { line, x, y }] of rows.entries()) {
      expect(x + line.left).toBeGreaterThanOrEqual(0);
      expect(x + line.right).toBeLessThanOrEqual(width);
      expect(y + line.top).toBeLessThanOrEqual(i === 0 ? height : rows[i - 1]!.y + rows[i - 1]!.line.bottom);
      expect(y + line.bottom).toBeGreaterThanOrEqual(0);
    }
  });

  test("centers the lines of a text block, even if their lengths differ", async () => {
    const { rows, width } = stack(await linesOf("a longer line\nshort"), plain);
    for (const { line, x } of rows) expect(x + line.width / 2).toBeCloseTo(width / 2);
  });

  test("an empty line in a text block is as high as the line above it", async () => {
    const [, , third] = stack(await linesOf("a\n\nb"), plain).rows;
    expect(stack(await linesOf("a\nb"), plain).rows[1]!.y - third!.y).toBeCloseTo(0);
    expect(stack(await linesOf("a\n\nb"), plain).height).toBeCloseTo(stack(await linesOf("a\na\nb"), plain).height);
  });

  test("a framed text has equal space above and below its ink", async () => {
    const { rows, height, frame } = stack(await linesOf("PAID"), framed);
    const [{ line, y }] = rows as [(typeof rows)[number]];
    expect(height - (y + line.top)).toBeCloseTo(y + Math.min(0, line.bottom));
    expect(frame).toBeDefined();
  });

  test("a text block is at least as wide as requested", async () => {
    const { width } = stack(await linesOf("Page 100"), plain);
    expect(stack(await linesOf("Page 1"), plain, width).width).toBe(width);
  });
});
