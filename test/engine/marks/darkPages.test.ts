/** Tests that text marks have white letters on pages that are known to be dark. */
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { PlanOutdated, type TextMark, watermark } from "../../../src/engine/index.ts";
import { isEqual, joined } from "../../support/bytes.ts";
import { loadFont } from "../../support/fonts.ts";
import { readerBy } from "../../support/ranges.ts";
import { readable } from "../../support/readable.ts";
import { type Bodies, file, latin1, onePage } from "../pdf/fixture.ts";

const FILL = "0 0 300 400 re f";
const DARK = `0.1 g ${FILL}`;
/** Content of 300 KB. The engine checks only 512 KB of a file's content before it places the mark. */
const LONG = "0 0 1 1 re f ".repeat(24_000);

const pageWith = (content: string, more: Bodies = {}, resources = "") =>
  file(onePage(`/MediaBox[0 0 300 400]/Contents 4 0 R/Resources<<${resources}>>`, { 4: { data: content }, ...more }));

/** Returns a file with one page for each of `contents`. */
const pagesWith = (...contents: string[]) =>
  file({
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: `<</Type/Pages/Count ${contents.length}/Kids[${contents.map((_, i) => `${3 + 2 * i} 0 R`).join(" ")}]>>`,
    ...Object.fromEntries(
      contents.flatMap((content, i) => [
        [3 + 2 * i, `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents ${4 + 2 * i} 0 R>>`],
        [4 + 2 * i, { dict: "/Filter/FlateDecode", data: latin1(deflateSync(content)) }],
      ]),
    ),
  });

async function marked(source: Uint8Array, mark: Partial<TextMark> = {}): Promise<Uint8Array> {
  const plan = await watermark(source, { text: "DRAFT", ...mark }, { loadFont, date: new Date(0) });
  return joined(plan.chunks());
}

/** Returns whether an output contains marks whose letters have a fill color. */
const hasLetters = (output: Uint8Array, fill: string) =>
  new RegExp(`\\n${fill}\\n(.*\\n)*?BT\\n`).test(readable(output));
const hasWhite = (output: Uint8Array) => hasLetters(output, "1 g");
const hasOwn = (output: Uint8Array) => hasLetters(output, "0\\.157 g");

it.each<[string, string, Bodies?, string?]>([
  ["gray", DARK],
  ["RGB", `0.07 0.1 0.2 rg ${FILL}`],
  ["CMYK", `1 0.9 0 0.4 k ${FILL}`],
  [
    "a color space with a profile",
    `/C cs 0.1 0.1 0.1 sc ${FILL}`,
    { 5: { dict: "/N 3", data: "" } },
    "/ColorSpace<</C[/ICCBased 5 0 R]>>",
  ],
  ["an opaque graphics state", `/G gs ${DARK}`, {}, "/ExtGState<</G<</ca 1/BM/Normal>>>>"],
  ["a transformed space", `q 0.5 0 0 -0.5 0 400 cm 0 g 0 0 600 800 re f Q`],
  ["dark areas over a white background", `1 g ${FILL} ${DARK}`],
  ["text and lines over the background", `${DARK} 1 G 0 0 m 300 400 l S BT (a) Tj ET`],
  ["a white area beside the mark", `${DARK} 1 g 0 0 300 10 re f`],
])("a mark has white letters on a page with a dark background: %s", async (_, content, more, resources) => {
  const output = await marked(pageWith(content, more, resources));
  expect(hasWhite(output)).toBe(true);
  expect(hasOwn(output)).toBe(false);
});

it.each<[string, string, Bodies?, string?]>([
  ["no content", ""],
  ["a light background", `0.9 g ${FILL}`],
  ["a gray background on which dark letters are visible", `0.6 g ${FILL}`],
  ["a dark area that covers a part of the page", "0 g 0 0 300 300 re f"],
  ["a white area over the background", `${DARK} 1 g 20 20 260 360 re f`],
  ["a curved white shape over the background", `${DARK} 1 g 0 0 m 0 500 300 500 300 0 c f`],
  [
    "an image over the background",
    `${DARK} q 300 0 0 400 0 0 cm /I Do Q`,
    { 5: { dict: "/Subtype/Image", data: "" } },
    "/XObject<</I 5 0 R>>",
  ],
  ["a transparent dark area", `/G gs ${DARK}`, {}, "/ExtGState<</G<</ca .5>>>>"],
  ["an unknown graphics state", `/G gs ${DARK}`],
  ["a spot color", `/C cs 0 scn ${FILL}`, {}, "/ColorSpace<</C[/Separation/Spot/DeviceGray<<>>]>>"],
  ["a dark pattern", `/Pattern cs /P scn ${FILL}`],
  ["a dark background after text", `BT (a) Tj ET ${DARK}`],
])("a mark keeps the color of its letters on a page with %s", async (_, content, more, resources) => {
  const output = await marked(pageWith(content, more, resources));
  expect(hasWhite(output)).toBe(false);
  expect(hasOwn(output)).toBe(true);
});

it.each<[string, Partial<TextMark>]>([
  ["a color of the caller", { color: "#282828" }],
  ["the layer under", { layer: "under" }],
])("a mark with %s does not get white letters on a dark page", async (_, mark) => {
  expect(hasWhite(await marked(pageWith(DARK), mark))).toBe(false);
});

it("a mark has white letters only on the dark pages of a file with dark and light pages", async () => {
  const [dark, light, both] = [
    await marked(pagesWith(DARK, DARK)),
    await marked(pagesWith("0 g", "0 g")),
    await marked(pagesWith(DARK, "0 g")),
  ];
  expect([hasWhite(dark), hasOwn(dark)]).toEqual([true, false]);
  expect([hasWhite(light), hasOwn(light)]).toEqual([false, true]);
  expect([hasWhite(both), hasOwn(both)]).toEqual([true, true]);
  expect(Array.from(latin1(both).matchAll(/\/FontFile2/g))).toHaveLength(1);
});

it("a mark over a white panel keeps its letter color even if the page is dark", async () => {
  const source = pageWith(`${DARK} 1 g 0 340 300 60 re f`);
  expect(hasWhite(await marked(source, { template: "header" }))).toBe(false);
  expect(hasWhite(await marked(source, { template: "footer" }))).toBe(true);
});

it("page numbers and tiled copies of a text are also white on a dark page", async () => {
  const output = readable(await marked(pageWith(DARK), { text: "Copy {page}", template: "tiled" }));
  expect(output).toMatch(/\n1 g\n/);
  expect(output).not.toMatch(/\n0\.157 g\n/);
});

it("a mark on a dark page whose content was not read in advance has white letters only if the page before is dark", async () => {
  const afterDark = await marked(pagesWith(`${DARK} ${LONG}`, `${DARK} ${LONG}`, DARK));
  const afterLight = await marked(pagesWith(LONG, LONG, DARK));
  expect([hasWhite(afterDark), hasOwn(afterDark)]).toEqual([true, false]);
  expect([hasWhite(afterLight), hasOwn(afterLight)]).toEqual([false, true]);
});

describe("a file that is read in byte ranges", () => {
  const planOf = (source: Uint8Array, thorough: boolean, mark: Partial<TextMark> = {}) =>
    watermark(
      readerBy(source.length, async (start, end) => source.slice(start, end)),
      { text: "DRAFT", ...mark },
      { loadFont, date: new Date(0), thorough },
    );

  it.each([
    ["dark", [DARK]],
    ["dark and light", ["0 g", DARK, "0 g", DARK, DARK]],
  ])(
    "the second plan of a file read in byte ranges gives the same output as marking in memory: %s pages",
    async (_, contents) => {
      const source = pagesWith(...contents);
      await expect(planOf(source, false).then(({ chunks }) => joined(chunks()))).rejects.toThrow(
        new PlanOutdated("a page is dark"),
      );
      const output = await joined((await planOf(source, true)).chunks());
      expect(isEqual(output, await marked(source))).toBe(true);
    },
  );

  it.each<[string, string[], Partial<TextMark>]>([
    ["light pages", ["0 g", "0 g"], {}],
    ["dark pages with a mark in the caller's color", [DARK, DARK], { color: "#ff0000" }],
  ])(
    "the first plan of a file read in byte ranges gives the same output as marking in memory: %s",
    async (_, contents, mark) => {
      const source = pagesWith(...contents);
      const output = await joined((await planOf(source, false, mark)).chunks());
      expect(isEqual(output, await marked(source, mark))).toBe(true);
    },
  );
});
