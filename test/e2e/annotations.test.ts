/** Tests how readers draw marks above opaque annotations. */
import { describe, expect, test } from "vitest";
import type { Raster } from "../../scripts/lib/raster.ts";
import { type ImageMark, watermark } from "../../src/engine/index.ts";
import { type Bodies, file } from "../engine/pdf/fixture.ts";
import { joined } from "../support/bytes.ts";
import { MAGENTA } from "../support/stamp.ts";
import { readersOf } from "./readers.ts";

const SIDE = 300;
const BOX = `/MediaBox[0 0 ${SIDE} ${SIDE}]`;
/** Magenta mark with an opacity of 0.5, 180 points wide and high, in the middle of the page. */
const MARK: ImageMark = { image: MAGENTA, position: "center", scale: 0.6, opacity: 0.5 };
const ON_WHITE = [255, 128, 255];
const ON_YELLOW = [255, 128, 128];
const YELLOW = [255, 255, 0];

/**
 * Draws a page with annotations. The yellow appearance of each annotation fills its box except for the top twentieth.
 */
async function drawn(
  draw: ReturnType<typeof readersOf>[number]["draw"],
  annots: string,
  page = BOX,
  more: Bodies = {},
) {
  const source = file({
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    3: `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<<>>/Annots[${annots}]${page}>>`,
    4: { data: "0 g 0 0 5 5 re f" },
    6: { dict: "/Type/XObject/Subtype/Form/BBox[0 0 100 100]", data: "1 1 0 rg 0 0 100 95 re f" },
    ...more,
  });
  const plan = await watermark(source, MARK);
  const [raster] = await draw(await joined(plan.chunks()), 1);
  return { notices: plan.notices, at: (x: number, y: number) => colorAt(raster!, x, y) };
}

/** Returns the color at a point of the displayed page. The coordinates start at the lower left corner. */
function colorAt({ width, rgb }: Raster, x: number, y: number): number[] {
  const at = 3 * ((SIDE - 1 - Math.floor(y)) * width + Math.floor(x));
  return Array.from(rgb.subarray(at, at + 3));
}

const isNear = (expected: readonly number[]) => (color: readonly number[]) =>
  color.every((channel, index) => Math.abs(channel - expected[index]!) <= 4);
const expectColors = (points: readonly (readonly [color: number[], expected: number[]])[]) =>
  expect(points.map(([color, expected]) => (isNear(expected)(color) ? expected : color))).toEqual(
    points.map(([, expected]) => expected),
  );

const annotation = (rect: string, entries = "/Subtype/Stamp") =>
  `<</Type/Annot${entries}/F 4/Rect[${rect}]/AP<</N 6 0 R>>>>`;

describe.each(readersOf(SIDE).map((reader) => [reader.name, reader] as const))("%s", (reader, { missing, draw }) => {
  const name = (behavior: string) => `${reader} ${behavior}${missing ? `, skipped: ${missing} is not installed` : ""}`;

  test.skipIf(missing)(name("draws the mark once, above a stamp and beside it"), async () => {
    const { notices, at } = await drawn(draw, annotation("100 100 200 200"));
    expect(notices).toEqual([]);
    expectColors([
      [at(150, 150), ON_YELLOW],
      [at(150, 197), ON_WHITE], // The stamp leaves this part of its box blank.
      [at(80, 150), ON_WHITE],
      [at(150, 230), ON_WHITE],
      [at(20, 150), [255, 255, 255]],
    ]);
  });

  test.skipIf(missing)(name("draws the mark once where two stamps overlap"), async () => {
    const { at } = await drawn(draw, annotation("90 90 170 170") + annotation("130 130 290 290"));
    expectColors([
      [at(100, 100), ON_YELLOW],
      [at(150, 150), ON_YELLOW],
      [at(220, 220), ON_YELLOW],
      [at(270, 200), YELLOW], // This point is in the stamp but outside the mark.
      [at(220, 100), ON_WHITE],
    ]);
  });

  test.skipIf(missing)(name("draws the mark above a stamp on a turned page with another origin"), async () => {
    const { at } = await drawn(draw, annotation("-40 130 60 230"), "/Rotate 90/MediaBox[-100 50 200 350]");
    expectColors([
      [at(120, 180), ON_YELLOW],
      [at(177, 180), ON_WHITE], // The stamp leaves this part of its box blank.
      [at(120, 100), ON_WHITE],
      [at(200, 180), ON_WHITE],
    ]);
  });

  test.skipIf(missing)(name("draws a field above the mark, which the notice says"), async () => {
    const field = annotation("100 100 200 200", "/Subtype/Widget/FT/Tx/T(name)/V(x)");
    const { notices, at } = await drawn(draw, "7 0 R", BOX, {
      1: "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[7 0 R]>>>>",
      7: field,
    });
    expect(notices).toEqual(['mark-covered;pages="1"']);
    expectColors([
      // PDFium's package for Node.js does not draw form fields.
      [at(150, 150), reader === "PDFium" ? ON_WHITE : YELLOW],
      [at(80, 150), ON_WHITE],
    ]);
  });
});
