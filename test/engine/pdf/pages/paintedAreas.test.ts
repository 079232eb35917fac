import { expect, it } from "vitest";
import { type ContentSource, paintedAreas } from "../../../../src/engine/pdf/pages/paintedAreas.ts";
import { encode } from "../../../support/bytes.ts";

const PAGE = { x0: 0, y0: 0, x1: 100, y1: 100 };
const IMAGES: Pick<ContentSource, "stateOf" | "xobjectOf"> = {
  stateOf: (name) => ({ isSolid: name === "Solid" }),
  xobjectOf: (name) => (name === "I" ? "image" : undefined),
};

function areasOf(content: string, others: Partial<ContentSource> = {}): number[][] {
  const source = { ...IMAGES, content: encode(`${content}\n`), ...others };
  return paintedAreas(source, PAGE).map(({ x0, y0, x1, y1 }) => [x0, y0, x1, y1]);
}

it.each([
  ["a filled rectangle", "1 g 10 20 30 40 re f", [[10, 20, 40, 60]]],
  ["a rectangle that is filled and stroked", "10 20 30 40 re b*", [[10, 20, 40, 60]]],
  ["a rectangle of lines", "10 20 m 40 20 l 40 60 l 10 60 l h f*", [[10, 20, 40, 60]]],
  ["a rectangle of lines that return", "10 20 m 40 20 l 40 60 l 10 60 l 10 20 l f", [[10, 20, 40, 60]]],
  ["a rectangle beyond the page", "-50 -50 999 999 re f", [[0, 0, 100, 100]]],
  [
    "a rectangle with a matrix",
    "q 2 0 0 2 10 10 cm 0 0 5 5 re f Q 0 0 1 1 re f",
    [
      [10, 10, 20, 20],
      [0, 0, 1, 1],
    ],
  ],
  ["a rectangle turned by 90 degrees", "0 1 -1 0 50 0 cm 0 0 10 20 re f", [[30, 0, 50, 10]]],
  ["a clipped rectangle", "20 20 20 20 re W n 0 0 30 30 re f", [[20, 20, 30, 30]]],
  ["an image", "q 50 0 0 40 5 5 cm /I Do Q", [[5, 5, 55, 45]]],
  ["a shading", "q 0 0 50 50 re W n /S sh Q", [[0, 0, 50, 50]]],
  ["a rectangle after text", "BT /F 9 Tf (a\\) 0 0 9 9 re f) Tj [(b) 2] TJ ET 0 0 8 8 re f", [[0, 0, 8, 8]]],
  ["a rectangle after an inline image", "BI /W 1 /H 1 /BPC 8 /CS /G ID x EI 0 0 8 8 re f", [[0, 0, 8, 8]]],
  ["a rectangle in an opaque state", "/Clear gs /Solid gs 0 0 8 8 re f", [[0, 0, 8, 8]]],
])("a page's painted areas include %s", (_, content, expected) => {
  expect(areasOf(content)).toEqual(expected);
});

it.each([
  ["a stroked rectangle", "0 0 9 9 re S"],
  ["a path of two rectangles, one of which may be a hole", "0 0 9 9 re 2 2 5 5 re f*"],
  ["a path with curves", "0 0 m 9 0 l 9 9 9 9 0 9 c h f"],
  ["a triangle", "0 0 m 9 0 l 9 9 l h f"],
  ["a slanted rectangle", "1 1 -1 1 0 0 cm 0 0 9 9 re f"],
  ["a rectangle in a clip of another shape", "0 0 m 9 0 l 9 9 l h W n 0 0 9 9 re f"],
  ["a rectangle filled with a pattern", "/Pattern cs /P scn 0 0 9 9 re f"],
  ["a rectangle in a transparent state", "/Clear gs 0 0 9 9 re f"],
  ["a rectangle beyond a syntax error", "(( 0 0 9 9 re f"],
])("a page's painted areas do not include %s", (_, content) => {
  expect(areasOf(content)).toEqual([]);
});

it("a page's painted areas include a form's painting, clipped to the form's bounding box", () => {
  const form = { ...IMAGES, content: encode("0 0 99 99 re f\n"), box: { x0: 0, y0: 0, x1: 20, y1: 20 } };
  const xobjectOf = () => ({ ...form, matrix: [1, 0, 0, 1, 10, 10] as const });
  expect(areasOf("q /F Do Q", { xobjectOf })).toEqual([[10, 10, 30, 30]]);
  expect(areasOf("/Clear gs /F Do", { xobjectOf })).toEqual([]);
});

it("the search for painted areas ends even if a form draws itself", () => {
  const form: ReturnType<ContentSource["xobjectOf"]> = {
    ...IMAGES,
    content: encode("0 0 9 9 re f /F Do\n"),
    box: PAGE,
    matrix: [1, 0, 0, 1, 0, 0],
    xobjectOf: () => form,
  };
  expect(areasOf("/F Do", { xobjectOf: () => form })).toHaveLength(4);
});
