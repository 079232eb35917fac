/** Tests the scan for the bounding boxes of everything that a page's content paints. */
import { expect, it } from "vitest";
import type { Bounds } from "../../../../src/engine/pdf/content/bounds.ts";
import { type ContentResources, HALF_EM, type InkForm } from "../../../../src/engine/pdf/content/contentResources.ts";
import { InkScan, type PaintedArea } from "../../../../src/engine/pdf/content/inkScan.ts";
import { encode } from "../../../support/bytes.ts";

const PAGE: Bounds = [0, 0, 300, 400];
const NOTHING: ContentResources = {
  font: () => HALF_EM,
  xobject: () => undefined,
  space: (name) => ({ isSubtractive: name === "Spot", isPlain: name === "Plain" }),
  opacity: (name) => ({ isSolid: name === "Solid" }),
  isOpaquePattern: (name) => name === "Full",
};
const FORM: InkForm = {
  matrix: [1, 0, 0, 1, 0, 0],
  box: [0, 0, 20, 20],
  isOptional: false,
  resources: undefined,
  content: () => encode("0 0 99 99 re f"),
};
const WIDE = { ...HALF_EM, widthOf: () => 1 };

function scan(content: string, resources: Partial<ContentResources> = {}) {
  const found = { ink: [] as Bounds[], barcodes: [] as Bounds[], areas: [] as PaintedArea[] };
  const run = new InkScan(encode(content), { ...NOTHING, ...resources }, PAGE, {
    ink: (bounds) => found.ink.push(bounds.map((value) => Math.round(100 * value) / 100) as unknown as Bounds),
    barcode: (bounds) => found.barcodes.push(bounds),
    area: (area) => found.areas.push(area),
  });
  while (run.step() > 0);
  return found;
}

it.each<[string, string, number[][]]>([
  ["a filled rectangle", "10 20 30 40 re f", [[10, 20, 40, 60]]],
  [
    "each subpath",
    "10 20 30 40 re 100 100 m 110 100 l 105 120 l f",
    [
      [10, 20, 40, 60],
      [100, 100, 110, 120],
    ],
  ],
  ["the control points of a curve", "0 0 m 10 40 20 40 30 0 c f", [[0, 0, 30, 40]]],
  [
    "the sides of a frame",
    "4 w 50 50 100 100 re S",
    [
      [50, 48, 150, 52],
      [148, 50, 152, 150],
      [50, 148, 150, 152],
      [48, 50, 52, 150],
    ],
  ],
  [
    "a filled path that is closed and stroked",
    "0 w 10 10 m 30 10 l b",
    [
      [10, 10, 30, 10],
      [10, 10, 30, 10],
      [10, 10, 30, 10],
    ],
  ],
  [
    "a shape in a transformed space",
    "q 2 0 0 2 100 100 cm 0 0 5 5 re f Q 0 0 5 5 re f",
    [
      [100, 100, 110, 110],
      [0, 0, 5, 5],
    ],
  ],
  ["a shape that is clipped", "0 0 50 50 re W n 40 40 40 40 re f", [[40, 40, 50, 50]]],
  ["no shape outside the page", "-50 -50 20 20 re f", []],
  ["no background", "0 0 300 400 re f", []],
  ["no white area", "1 g 10 10 50 50 re f 1 1 1 rg 10 10 50 50 re f 0 0 0 0 k 10 10 50 50 re f", []],
  ["no area of a pale color", "0.85 g 10 10 50 50 re f", []],
  [
    "the sides of a frame, but not the area inside the frame",
    "10 10 m 210 10 l 210 12 l 12 12 l 12 210 l 10 210 l f",
    [
      [10, 9.01, 210, 11],
      [209.01, 10, 211, 12],
      [12, 11.01, 210, 13],
      [11.01, 12, 13, 210],
      [10, 209.01, 12, 211],
    ],
  ],
  ["no white area in a color space", "/Plain cs 1 1 1 scn 10 10 50 50 re f", []],
  ["a black area after a spot color", "/Spot cs 1 scn 0 0 0 rg 10 10 50 50 re f", [[10, 10, 60, 60]]],
  ["an area in a full spot color", "/Spot cs 1 scn 10 10 50 50 re f", [[10, 10, 60, 60]]],
  ["a pattern", "/Pattern cs /P scn 10 10 50 50 re f", [[10, 10, 60, 60]]],
  ["a shading", "10 10 50 50 re W n /S sh", [[10, 10, 60, 60]]],
  [
    "each word",
    "BT /F 10 Tf 50 100 Td (ab cd) Tj ET",
    [
      [50, 97.8, 60, 107.5],
      [65, 97.8, 75, 107.5],
    ],
  ],
  [
    "words between adjustments",
    "BT /F 10 Tf 50 100 Td [(a) -2000 (b)] TJ ET",
    [
      [50, 97.8, 55, 107.5],
      [75, 97.8, 80, 107.5],
    ],
  ],
  ["lines with a leading", "BT /F 10 Tf 20 TL 50 100 Td (a) ' ET", [[50, 77.8, 55, 87.5]]],
  ["spaced and stretched text", "BT /F 10 Tf 5 Tc 200 Tz 50 100 Td (a) Tj ET", [[50, 97.8, 70, 107.5]]],
  ["invisible text, which is over a scan", "BT /F 10 Tf 3 Tr 50 100 Td (a) Tj ET", [[50, 97.8, 55, 107.5]]],
  [
    "an inline image",
    "q 20 0 0 20 50 50 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q 5 5 5 5 re f",
    [
      [50, 50, 70, 70],
      [5, 5, 10, 10],
    ],
  ],
  ["what precedes malformed content", "10 10 5 5 re f ( 20 20 5 5 re f", [[10, 10, 15, 15]]],
])("a scan of page content reports the bounding boxes of %s", (_, content, expected) => {
  expect(scan(content).ink).toEqual(expected);
});

it("a scan of page content reports the bounding box of each glyph in a slanted line of text", () => {
  const { ink } = scan("BT /F 10 Tf 1 1 -1 1 50 50 Tm (abcdefghij) Tj ET");
  expect(ink).toHaveLength(10);
  for (const [x0, , x1] of ink) expect(x1 - x0).toBeLessThan(20);
});

it("a scan of page content splits a slanted stroke into short pieces, each with its own bounding box", () => {
  const { ink } = scan("1 w 0 0 m 200 200 l S");
  expect(ink.length).toBeGreaterThan(10);
  for (const [x0, y0, x1, y1] of ink) expect(Math.max(x1 - x0, y1 - y0)).toBeLessThan(10);
});

it.each(["1", "/F", "(a)", "[1]", "1 ", ")", "<", "%", "BI", "BI /W 1 ID", "q".repeat(3), "Do", "BT Tj"])(
  "a scan of page content ends without an error if the content ends with %s",
  (ending) => {
    expect(scan(`0 0 5 5 re f ${ending}`).ink[0]).toEqual([0, 0, 5, 5]);
  },
);

it("a scan of page content measures text with the widths of its font", () => {
  expect(scan("BT /F 10 Tf 50 100 Td (ab) Tj ET", { font: () => WIDE }).ink).toEqual([[50, 97.8, 70, 107.5]]);
});

it("a scan of page content applies a form's matrix, bounding box and resources to the form's content", () => {
  const form = {
    ...FORM,
    matrix: [2, 0, 0, 2, 0, 0] as const,
    resources: { ...NOTHING, font: () => WIDE },
    content: () => encode("q 15 15 10 10 re f BT /F 10 Tf (a) Tj ET Q Q"),
  };
  const { ink } = scan("q 1 0 0 1 100 100 cm /X Do Q 0 0 5 5 re f", { xobject: () => form });
  expect(ink).toEqual([
    [130, 130, 140, 140],
    [100, 100, 120, 115],
    [0, 0, 5, 5],
  ]);
});

it("a scan of page content ends even if a form draws itself", () => {
  const form = { ...FORM, box: [0, 0, 50, 50] as const, content: () => encode("/X Do") };
  expect(scan("/X Do", { xobject: () => form }).ink).toEqual([[0, 0, 50, 50]]);
});

it("a scan of page content resumes at the operator with the missing resource once the resource is loaded", () => {
  let isLoaded = false;
  const found: Bounds[] = [];
  const font = () => {
    if (!isLoaded) throw new RangeError("missing");
    return HALF_EM;
  };
  const content = encode("0 0 5 5 re f BT /F 10 Tf (a) Tj ET");
  const run = new InkScan(content, { ...NOTHING, font }, PAGE, { ink: (bounds) => found.push(bounds) });
  expect(() => run.step()).toThrow(RangeError);
  isLoaded = true;
  while (run.step() > 0);
  expect(found).toHaveLength(2);
});

it("a scan of page content recognizes the bars of a linear barcode", () => {
  const bars = Array.from({ length: 30 }, (_, i) => `${50 + 4 * i} 100 ${1 + (i % 3)} 40 re`).join(" ");
  expect(scan(`${bars} f`).barcodes).toHaveLength(1);
});

it.each([
  ["the lines of a table", Array.from({ length: 30 }, (_, i) => `50 ${50 + 10 * i} 200 0.5 re f`).join(" ")],
  ["the bars of a chart", Array.from({ length: 15 }, (_, i) => `${20 + 18 * i} 100 9 ${10 + 5 * i} re f`).join(" ")],
  ["shaded rows", Array.from({ length: 15 }, (_, i) => `50 ${50 + 20 * i} 200 10 re f`).join(" ")],
])("a scan of page content does not report %s as a barcode", (_, content) => {
  expect(scan(content).barcodes).toEqual([]);
});

/** Returns the bounds of all opaque areas. */
function opaqueAreas(content: string, resources: Partial<ContentResources> = {}) {
  const rounded = (bounds: Bounds) => bounds.map((value) => Math.round(100 * value) / 100);
  return scan(content, resources).areas.flatMap(({ bounds, isOpaque }) => (isOpaque ? [rounded(bounds)] : []));
}
const imageThat = (isOpaque: boolean) => ({ xobject: () => ({ isOpaque, isBarcode: () => false, details: () => [] }) });

it.each<[string, string, number[][], Partial<ContentResources>?]>([
  ["a filled rectangle", "1 g 10 20 30 40 re f", [[10, 20, 40, 60]]],
  ["a rectangle that is filled and stroked", "10 20 30 40 re b*", [[10, 20, 40, 60]]],
  ["a rectangle of lines", "10 20 m 40 20 l 40 60 l 10 60 l h f*", [[10, 20, 40, 60]]],
  ["a rectangle of lines that return", "10 20 m 10 60 l 40 60 l 40 20 l 10 20 l f", [[10, 20, 40, 60]]],
  [
    "a rectangle with rounded corners",
    "2 0 m 18 0 l 19 0 20 1 20 2 c 20 20 l 0 20 l 0 2 l 0 2 2 0 y f",
    [[0, 0, 20, 20]],
  ],
  ["a rectangle beyond the page", "-50 -50 999 999 re f", [[0, 0, 300, 400]]],
  ["a rectangle turned by 90 degrees", "0 1 -1 0 50 0 cm 0 0 10 20 re f", [[30, 0, 50, 10]]],
  ["a clipped rectangle", "20 20 20 20 re W n 0 0 30 30 re f", [[20, 20, 30, 30]]],
  ["an image", "q 50 0 0 40 5 5 cm /I Do Q", [[5, 5, 55, 45]], imageThat(true)],
  ["an inline image", "9 0 0 9 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI", [[0, 0, 9, 9]]],
  ["a rectangle filled with an opaque pattern", "/Pattern cs /Full scn 0 0 9 9 re f", [[0, 0, 9, 9]]],
  ["a shading", "q 0 0 50 50 re W n /S sh Q", [[0, 0, 50, 50]]],
  ["a rectangle in an opaque state", "/Clear gs /Solid gs 0 0 8 8 re f", [[0, 0, 8, 8]]],
  ["a rectangle after a transparent state", "q /Clear gs Q 0 0 8 8 re f", [[0, 0, 8, 8]]],
  ["a form's rectangle, clipped to the form's bounding box", "/F Do", [[0, 0, 20, 20]], { xobject: () => FORM }],
])("a scan of page content finds an opaque area in %s", (_, content, expected, resources) => {
  expect(opaqueAreas(content, resources)).toEqual(expected);
});

it.each<[string, string, Partial<ContentResources>?]>([
  ["a path of two rectangles, one of which may be a hole", "0 0 9 9 re 2 2 5 5 re f*"],
  ["a path with curves", "0 0 m 9 0 l 9 9 9 9 0 9 c h f"],
  ["a curve whose control points form a rectangle", "0 0 m 0 9 9 9 9 0 c f"],
  ["a rectangle with a curve that bends inward", "0 0 m 9 0 l 9 9 l 4 2 4 2 0 9 c h f"],
  ["a rectangle with 32 curves", `0 0 m 9 0 l ${"9 9 9 9 9 9 c ".repeat(32)} 0 9 l h f`],
  ["a triangle", "0 0 m 9 0 l 9 9 l h f"],
  ["a path that returns on its own lines", "0 0 m 9 0 l 9 9 l 9 0 l f"],
  ["a slanted rectangle", "1 1 -1 1 20 0 cm 0 0 9 9 re f"],
  ["a rectangle in a clip of another shape", "0 0 m 9 0 l 9 9 l h W n 0 0 9 9 re f"],
  ["a rectangle filled with a pattern", "/Pattern cs /P scn 0 0 9 9 re f"],
  ["a rectangle in a transparent state", "/Clear gs 0 0 9 9 re f"],
  ["an image with a mask", "9 0 0 9 0 0 cm /I Do", imageThat(false)],
  ["a slanted image", "9 9 -9 9 20 0 cm /I Do", imageThat(true)],
  ["an inline stencil mask", "9 0 0 9 0 0 cm BI /W 1 /H 1 /IM true ID x EI"],
  ["a form of optional content", "/F Do", { xobject: () => ({ ...FORM, isOptional: true }) }],
  ["a form whose content cannot be read", "/F Do", { xobject: () => ({ ...FORM, content: () => undefined }) }],
])("a scan of page content finds no opaque area in %s", (_, content, resources) => {
  const { areas } = scan(content, resources);
  expect(areas.map(({ isOpaque }) => isOpaque)).toEqual([false]);
});

it.each(["0 0 9 9 re S", "BT (a) Tj ET", "400 0 9 9 re f", "0 0 9 0 re f"])(
  "a scan of page content reports no area for %s",
  (content) => {
    expect(scan(content).areas).toEqual([]);
  },
);

it.each<[string, number[] | undefined]>([
  ["", [0, 0, 0]],
  ["0.2 g", [0.2, 0.2, 0.2]],
  ["0.2 0.5 0.1 rg", [0.2, 0.5, 0.1]],
  ["0.5 0 0 0.5 k", [0.25, 0.5, 0.5]],
  ["/Plain cs 0.2 scn", [0.2, 0.2, 0.2]],
  ["/Plain cs 0.2 0.5 0.1 sc", [0.2, 0.5, 0.1]],
  ["/Plain cs", undefined],
  ["/Spot cs 1 scn", undefined],
  ["/Spot cs 1 scn 0.2 g", [0.2, 0.2, 0.2]],
  ["2 -1 0 rg", [1, 0, 0]],
  ["0 0 rg", undefined],
])("a scan of page content reports the color of an area that is filled after %j", (operators, expected) => {
  expect(scan(`${operators} 0 0 9 9 re f`).areas[0]!.color).toEqual(expected);
});
