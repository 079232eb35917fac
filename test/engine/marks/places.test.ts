/** Tests how the engine chooses a place on each page for a mark with `"position": "auto"`. */
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Placer, type Shape } from "../../../src/engine/marks/placer.ts";
import { placesFor } from "../../../src/engine/marks/places.ts";
import { type Position, spotOf } from "../../../src/engine/marks/positions.ts";
import { openPdf } from "../../../src/engine/pdf/document/openPdf.ts";
import { type ByteSource, MemorySource } from "../../../src/engine/pdf/source/byteSource.ts";
import { type Bodies, file, onePage, ranges } from "../pdf/fixture.ts";

const BOX = "/MediaBox[0 0 300 400]";
const SQUARE: Shape = { size: { width: 60, height: 60 }, scale: 1, rotation: 0 };

/** Returns, for each page, the displayed lower left corner of a mark of 60 x 60 points with a margin of 20 points. */
async function cornersOn(source: ByteSource, own: Position, shape = SQUARE) {
  const document = await openPdf(source, {});
  const placeOn = await placesFor(
    document,
    new Placer(document, {}),
    { spot: spotOf(own), isAuto: true, marginPt: 20 },
    () => shape,
  );
  return document.pages.map((page) => placeOn(page).matrix.slice(4).map(Math.round));
}

async function cornerOn(content: string, own: Position, entries = "", more: Bodies = {}, shape = SQUARE) {
  const page = onePage(`${BOX}/Contents 4 0 R${entries}`, { 4: { data: content }, ...more });
  const [corner] = await cornersOn(new MemorySource(file(page)), own, shape);
  return corner;
}

const TOP_RIGHT = [220, 320];
const IN_TOP_RIGHT = "250 350 10 10 re f";

it.each([
  ["is malformed", "<</N 3/A ]/Length 2>>\nstream\nxx\nendstream"],
  ["is not closed", "<</N 3/A[/Length 2>>\nstream\nxx\nendstream"],
])("a mark in the position auto avoids content after an image whose color profile %s", async (_, profile) => {
  const image = {
    dict: "/Subtype/Image/Width 9/Height 9/BitsPerComponent 8/ColorSpace[/ICCBased 6 0 R]",
    data: new Uint8Array(243),
  };
  const content = `q 300 0 0 400 0 0 cm /I Do Q ${IN_TOP_RIGHT}`;
  const resources = "/Resources<</XObject<</I 5 0 R>>>>";
  expect(await cornerOn(content, "top-right", resources, { 5: image, 6: profile })).not.toEqual(TOP_RIGHT);
});

describe("a mark in the position auto", () => {
  it.each<[string, string, Position, number[]]>([
    ["stays at its own position on an empty page", "", "top-right", TOP_RIGHT],
    ["stays at its own position if content is only next to it", "200 350 10 10 re f", "top-right", TOP_RIGHT],
    ["moves to the nearest empty place", `${IN_TOP_RIGHT} 150 350 10 10 re f`, "top-right", [220, 170]],
    ["moves only along its edge if it can", `150 350 10 10 re f ${IN_TOP_RIGHT}`, "top", [20, 320]],
    [
      "moves to the place with the least ink if none is empty",
      "0 0 300 330 re f 90 330 210 70 re f",
      "top-right",
      [20, 320],
    ],
    ["ignores the background of the page", `0 0 300 400 re f ${IN_TOP_RIGHT}`, "top-right", [120, 320]],
    ["stays at its own position if the content is unreadable", "x", "top-right", TOP_RIGHT],
  ])("a mark with automatic position %s", async (name, content, own, expected) => {
    const isUnreadable = name.includes("unreadable");
    const body = isUnreadable ? { 4: { dict: "/Filter/FlateDecode", data: IN_TOP_RIGHT } } : {};
    expect(await cornerOn(content, own, "", body)).toEqual(expected);
  });

  it("a mark with automatic position avoids text, which the engine measures with the font's widths", async () => {
    const font = (widths: string) => ({ 5: `<</Type/Font/Subtype/TrueType/FirstChar 97/Widths[${widths}]>>` });
    const text = "BT /F 10 Tf 205 350 Td (aa) Tj ET";
    const resources = "/Resources<</Font<</F 5 0 R>>>>";
    expect(await cornerOn(text, "top-right", resources, font("500"))).toEqual(TOP_RIGHT);
    expect(await cornerOn(text, "top-right", resources, font("1000"))).not.toEqual(TOP_RIGHT);
  });

  it("a mark with automatic position avoids text in a composite font", async () => {
    const fonts = {
      5: "<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[6 0 R]>>",
      6: "<</Type/Font/Subtype/CIDFontType2/DW 200/W[4[100 2000]9 12 100]>>",
    };
    const resources = "/Resources<</Font<</F 5 0 R>>>>";
    const text = (codes: string) => `BT /F 10 Tf 205 350 Td <${codes}> Tj ET`;
    expect(await cornerOn(text("00040009000c0100"), "top-right", resources, fonts)).toEqual(TOP_RIGHT);
    expect(await cornerOn(text("0005"), "top-right", resources, fonts)).not.toEqual(TOP_RIGHT);
  });

  it("a mark with automatic position avoids images and forms", async () => {
    const resources = "/Resources<</XObject<</X 5 0 R>>>>";
    const image = {
      5: { dict: "/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", data: "x" },
    };
    const form = { 5: { dict: "/Subtype/Form/BBox[0 0 1 1]/Matrix[.5 0 0 .5 0 0]", data: "0 0 1 1 re f" } };
    for (const xobject of [image, form])
      expect(await cornerOn("q 20 0 0 20 230 340 cm /X Do Q", "top-right", resources, xobject)).not.toEqual(TOP_RIGHT);
  });

  it.each([
    ["gray", "/DeviceGray", [255], [0]],
    ["color", "/DeviceRGB", [255, 255, 255], [255, 60, 60]],
    ["palette", "[/Indexed/DeviceGray 1<00ff>]", [1], [0]],
  ])(
    "a mark with automatic position avoids the dark parts of a scan with %s samples",
    async (_, space, paper, dark) => {
      const cornerOnScan = (isInk: (x: number, y: number) => boolean) => {
        const samples = Array.from({ length: 60 * 80 }, (_, i) => (isInk(i % 60, Math.floor(i / 60)) ? dark : paper));
        const dict = `/Subtype/Image/Width 60/Height 80/BitsPerComponent 8/ColorSpace${space}/Filter/FlateDecode`;
        const image = { 5: { dict, data: deflateSync(Uint8Array.from(samples.flat())) } };
        return cornerOn("q 300 0 0 400 0 0 cm /X Do Q", "top-right", "/Resources<</XObject<</X 5 0 R>>>>", image);
      };
      expect(await cornerOnScan((x, y) => x < 30 && y < 60)).toEqual(TOP_RIGHT);
      expect(await cornerOnScan((x, y) => x > 50 && y > 3 && y < 30)).toEqual([120, 320]);
    },
  );

  it.each([
    ["avoids", "Stamp", false],
    ["may cover", "Link", true],
    ["may cover", "Popup", true],
  ])("a mark with automatic position %s a %s annotation", async (_, type, isThere) => {
    const corner = await cornerOn("", "top-right", `/Annots[<</Subtype/${type}/Rect[240 340 260 360]>>]`);
    expect(JSON.stringify(corner) === JSON.stringify(TOP_RIGHT)).toBe(isThere);
  });

  it("a mark with automatic position covers other content rather than a barcode", async () => {
    const bars = (x: number) => Array.from({ length: 20 }, (_, i) => `${x + 3 * i} 335 1.5 30 re`).join(" ");
    // content fills all positions except the one with the barcode
    expect(await cornerOn(`${bars(225)} f 0 0 300 320 re f 0 320 215 80 re f`, "top-right")).not.toEqual(TOP_RIGHT);
  });

  it.each([90, 180, 270])(
    "a mark with automatic position avoids ink on a page rotated by %i degrees",
    async (angle) => {
      const corner = (content: string) => cornerOn(content, "top-left", `/Rotate ${angle}`);
      const free = await corner("");
      expect(await corner("145 195 10 10 re f")).toEqual(free);
      const [x, y] = { 90: [30, 30], 180: [250, 30], 270: [250, 350] }[angle] as [number, number];
      expect(await corner(`${x} ${y} 10 10 re f`)).not.toEqual(free);
    },
  );

  it("a rotated mark with automatic position avoids content within its shape, but not elsewhere in its bounding box", async () => {
    const diamond = { ...SQUARE, rotation: 45 };
    const free = await cornerOn("", "top-right", "", {}, diamond);
    expect(await cornerOn("276 376 3 3 re f", "top-right", "", {}, diamond)).toEqual(free);
    expect(await cornerOn("235 335 3 3 re f", "top-right", "", {}, diamond)).not.toEqual(free);
  });

  it("a mark with automatic position has the same place if the file is read in byte ranges", async () => {
    const padding = (num: number) => ({ [num]: { data: " ".repeat(100_000) } });
    const pages = {
      1: "<</Type/Catalog/Pages 2 0 R>>",
      2: `<</Type/Pages/Count 2/Kids[3 0 R 7 0 R]${BOX}/Resources<</Font<</F 9 0 R>>/XObject<</X 11 0 R>>>>>>`,
      3: "<</Type/Page/Parent 2 0 R/Contents[4 0 R 5 0 R]>>",
      4: { dict: "/Filter/FlateDecode", data: deflateSync("BT /F 10 Tf 230 350 Td (aa) Tj ET") },
      5: { data: "q 1 0 0 1 150 350 cm /X Do Q" },
      ...padding(6),
      7: "<</Type/Page/Parent 2 0 R/Contents 8 0 R>>",
      8: { data: IN_TOP_RIGHT },
      9: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
      ...padding(10),
      11: { dict: "/Subtype/Form/BBox[0 0 50 50]", data: "0 0 50 50 re f" },
    };
    const bytes = file(pages);
    const corners = await cornersOn(new MemorySource(bytes), "top-right");
    expect(corners).toEqual([
      [220, 170],
      [120, 320],
    ]);
    expect(await cornersOn(ranges(bytes), "top-right")).toEqual(corners);
  });
});
