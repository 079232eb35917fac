import { expect, test } from "vitest";
import { watermark } from "../../../src/engine/index.ts";
import { loadFont } from "../../support/fonts.ts";
import { markBoxes } from "../../support/markBoxes.ts";
import { pagesOf } from "../../support/pdf.ts";
import { RED_PNG } from "../../support/png.ts";

const PAGE = "/MediaBox [10 20 210 320]";
const MARK = { position: "bottom-right", scale: 0.2 } as const;

test.each<[string, string, readonly number[]]>([
  ["an upright page", PAGE, [150 - 40, 10 + 60, 190 - 40, 50 + 60]],
  ["a page that is rotated by 90 degrees", `${PAGE} /Rotate 90`, [230 - 40, 10 + 60, 290 - 40, 70 + 60]],
  ["a page that is rotated by 270 degrees", `${PAGE} /Rotate 270`, [230 - 40, 10 + 60, 290 - 40, 70 + 60]],
  ["a page with units of two points", `${PAGE} /UserUnit 2`, [310 - 40, 10 + 60, 390 - 40, 90 + 60]],
])("the offset moves the mark horizontally and vertically as displayed, on %s", async (_, page, box) => {
  const [found] = await markBoxes(pagesOf([page]), { ...MARK, marginPt: 10, offsetXPt: -40, offsetYPt: 60 });
  for (const [side, value] of found!.entries()) expect(Math.abs(value - box[side]!)).toBeLessThanOrEqual(1);
});

test("an offset can move the mark beyond the margin", async () => {
  const [box] = await markBoxes(pagesOf([PAGE]), { ...MARK, marginPt: 20, offsetXPt: 15, offsetYPt: -15 });
  expect(box).toEqual([155, 5, 195, 45]);
});

const BLEED = "/MediaBox [0 0 300 400] /TrimBox [40 30 260 350]";

test.each<[string, string, object, readonly number[]]>([
  ["the TrimBox of a page with printer's marks", BLEED, {}, [206, 40, 250, 84]],
  ["the whole page if requested", BLEED, { box: "crop" }, [230, 10, 290, 70]],
  ["the TrimBox of a rotated page", `${BLEED} /Rotate 90`, {}, [276, 50, 340, 114]],
  ["the TrimBox of a page with a CropBox", `${BLEED} /CropBox [20 20 300 400]`, {}, [186, 20, 230, 64]],
  ["the TrimBox of a page with large units", `${BLEED} /UserUnit 2`, {}, [422, 70, 510, 158]],
  ["the whole page with ordinary bleed", "/MediaBox [0 0 300 400] /TrimBox [9 9 291 391]", {}, [230, 10, 290, 70]],
  ["any TrimBox if requested", "/MediaBox [0 0 300 400] /TrimBox [5 5 295 395]", { box: "trim" }, [227, 15, 285, 73]],
  ["the whole page without a TrimBox", "/MediaBox [0 0 300 400]", { box: "trim" }, [230, 10, 290, 70]],
  ["the whole page with a TrimBox outside", "/MediaBox [0 0 300 400] /TrimBox [500 0 900 400]", {}, [230, 10, 290, 70]],
  ["the whole page with an unreadable TrimBox", "/MediaBox [0 0 300 400] /TrimBox [1 /A]", {}, [230, 10, 290, 70]],
])("the mark's margin and size are measured from %s", async (_, page, fields, box) => {
  const [found] = await markBoxes(pagesOf([page]), { ...MARK, marginPt: 10, ...fields });
  for (const [side, value] of found!.entries()) expect(Math.abs(value - box[side]!)).toBeLessThanOrEqual(1);
});

test("tiled copies cover the bleed, with one copy in the center of the TrimBox", async () => {
  const source = pagesOf(["/MediaBox [0 0 300 400] /TrimBox [40 30 200 350]"]);
  const [left, bottom, right, top] = (await markBoxes(source, { position: "tile", scale: 0.2, tileGap: 0 }))[0]!;
  expect([left, bottom, right, top]).toEqual([0, 0, 300, 400]);
  const [only] = await markBoxes(source, { position: "tile", scale: 0.2, tileGap: 10 });
  expect([(only![0] + only![2]) / 2, (only![1] + only![3]) / 2]).toEqual([120, 190]);
});

test("the notice mark-outside names the pages on which the offset moves the mark off the page", async () => {
  const pages = pagesOf(["/MediaBox [0 0 600 600]", PAGE, PAGE]);
  const noticesOf = async (mark: object) =>
    (await watermark(pages, { text: "No. {page}", template: "footer", ...mark }, { loadFont })).notices;
  expect(await noticesOf({ offsetXPt: 250 })).toEqual(['mark-outside;pages="2-3"']);
  expect(await noticesOf({ offsetXPt: 50, offsetYPt: -5 })).toEqual([]);
  expect(await noticesOf({ offsetXPt: 10_000, position: "tile" })).toEqual([]);
  const { notices } = await watermark(pages, { image: RED_PNG, offsetYPt: -10_000 });
  expect(notices).toEqual(['mark-outside;pages="1-3"']);
});

test.each([
  [56, []],
  [71, ['mark-outside;pages="1"']],
])(
  "the notice mark-outside accounts for the corners of a rotated mark: a square with sides of 120 points and its center %d points from the corner of the page",
  async (distance, expected) => {
    const offset = 300 + distance * Math.SQRT1_2;
    const mark = { image: RED_PNG, position: "center", scale: 0.2, rotation: 45 } as const;
    const { notices } = await watermark(pagesOf(["/MediaBox [0 0 600 600]"]), {
      ...mark,
      offsetXPt: offset,
      offsetYPt: offset,
    });
    expect(notices).toEqual(expected);
  },
);
