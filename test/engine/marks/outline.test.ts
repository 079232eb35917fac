import { expect, test } from "vitest";
import { type MarkOutline, type TextMark, watermark } from "../../../src/engine/index.ts";
import { loadFont } from "../../support/fonts.ts";
import { pagesOf } from "../../support/pdf.ts";
import { RED_PNG } from "../../support/png.ts";

/** Returns the outlines that `watermark` reports for a text. */
async function outlinesOf(pdf: Uint8Array, mark: TextMark): Promise<MarkOutline[]> {
  const outlines: MarkOutline[] = [];
  await watermark(pdf, mark, { loadFont, onPlace: (outline) => outlines.push(outline) });
  return outlines;
}

const rounded = ({ corners }: MarkOutline) => corners.map(({ x, y }) => [Math.round(x), Math.round(y)]);

test("watermark reports one outline per page, with the corners of the image on the page as displayed", async () => {
  const pdf = pagesOf(["/MediaBox [0 0 200 400]", "/MediaBox [0 0 200 400] /Rotate 90"]);
  const outlines: MarkOutline[] = [];
  await watermark(
    pdf,
    { image: RED_PNG, position: "bottom-left", scale: 0.25, marginPt: 10 },
    { onPlace: (outline) => outlines.push(outline) },
  );
  expect(outlines.map(({ page, pageSize }) => [page, pageSize.width, pageSize.height])).toEqual([
    [1, 200, 400],
    [2, 400, 200],
  ]);
  const [upright, turned] = outlines.map(rounded);
  expect(upright!.slice(0, 2)).toEqual([
    [10, 10],
    [60, 10],
  ]);
  expect(turned!.slice(0, 2)).toEqual([
    [10, 10],
    [110, 10],
  ]);
});

test("the outline of a rotated text lists its corners in their order before the rotation", async () => {
  const pdf = pagesOf(["/MediaBox [0 0 400 400]"]);
  const [outline] = await outlinesOf(pdf, { text: "A", template: "horizontal", rotation: 90, fontSizePt: 50 });
  const [a, b, c, d] = rounded(outline!) as [number[], number[], number[], number[]];
  expect(a[0]).toBe(b[0]); // the baseline of the rotated text runs upward
  expect(b[1]).toBeGreaterThan(a[1]!);
  expect([(a[0]! + c[0]!) / 2, (b[1]! + d[1]!) / 2].map(Math.round)).toEqual([200, 200]);
  expect(outline!.scale * 100).toBeCloseTo(50);
});

test("the outline of a tiled text is that of the copy in the page's center", async () => {
  const pdf = pagesOf(["/MediaBox [0 0 400 600]"]);
  const [outline] = await outlinesOf(pdf, { text: "COPY", template: "tiled" });
  const [a, , c] = rounded(outline!) as [number[], number[], number[]];
  expect([(a[0]! + c[0]!) / 2, (a[1]! + c[1]!) / 2].map((middle) => Math.abs(middle))).toEqual([200, 300]);
});
