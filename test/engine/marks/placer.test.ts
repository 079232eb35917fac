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
])("moves the mark by the offset as the reader sees %s", async (_, page, box) => {
  const [found] = await markBoxes(pagesOf([page]), { ...MARK, marginPt: 10, offsetXPt: -40, offsetYPt: 60 });
  for (const [side, value] of found!.entries()) expect(Math.abs(value - box[side]!)).toBeLessThanOrEqual(1);
});

test("an offset may move the mark beyond the margin", async () => {
  const [box] = await markBoxes(pagesOf([PAGE]), { ...MARK, marginPt: 20, offsetXPt: 15, offsetYPt: -15 });
  expect(box).toEqual([155, 5, 195, 45]);
});

test("names the pages from which the offset moves the mark", async () => {
  const pages = pagesOf(["/MediaBox [0 0 600 600]", PAGE, PAGE]);
  const noticesOf = async (mark: object) =>
    (await watermark(pages, { text: "No. {page}", template: "footer", ...mark }, { loadFont })).notices;
  expect(await noticesOf({ offsetXPt: 250 })).toEqual(['mark-outside;pages="2-3"']);
  expect(await noticesOf({ offsetXPt: 50, offsetYPt: -5 })).toEqual([]);
  expect(await noticesOf({ offsetXPt: 10_000, position: "tile" })).toEqual([]);
  const { notices } = await watermark(pages, { image: RED_PNG, offsetYPt: -10_000 });
  expect(notices).toEqual(['mark-outside;pages="1-3"']);
});
