/**
 * Tests page trees that readers interpret differently. In the output all readers show the same pages, each with its
 * mark.
 */
import { describe, expect, test } from "vitest";
import type { Raster } from "../../scripts/lib/raster.ts";
import { type Bodies, file, stamp } from "../engine/pdf/fixture.ts";
import { readersOf } from "./readers.ts";

const SIDE = 60;
const CONTENT = "0.8 0.9 1 rg 5 5 30 50 re f";
const page = (entries = "") => `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<<>>${entries}>>`;
const BOX = `/MediaBox[0 0 ${SIDE} ${SIDE}]`;
const root = (kids: string, count = 2) => `<</Type/Pages/Count ${count}/Kids[${kids}]${BOX}>>`;

/** Overrides of a document with the pages 3 and 7, and the resulting number of pages. */
const TREES: [name: string, bodies: Bodies, pages: number][] = [
  ["nothing but pages", {}, 2],
  ["a kid that is null", { 2: root("null 3 0 R") }, 1],
  ["a kid that is nowhere", { 2: root("99 0 R 3 0 R") }, 1],
  ["kids of all other types", { 2: root("(a) 3 0 R/A true 5[7 0 R]7 0 R") }, 2],
  ["a kid that is a reference to a page", { 2: root("5 0 R 7 0 R"), 5: "6 0 R", 6: "3 0 R" }, 2],
  ["numbers with a sign and zeros", { 2: root("+3 0 R 0000000000000000000007 -0 R") }, 2],
  ["kids of another generation", { 2: root("3 7 R 7 99999 R") }, 2],
  ["a node that lists itself", { 2: root("2 0 R 3 0 R 7 0 R", 3) }, 2],
  [
    "an array of kids that two nodes have",
    {
      2: root("5 0 R 6 0 R"),
      5: "<</Type/Pages/Parent 2 0 R/Count 1/Kids 8 0 R>>",
      6: "<</Type/Pages/Parent 2 0 R/Count 1/Kids 8 0 R>>",
      8: "[3 0 R]",
    },
    2,
  ],
  ["a node without kids", { 2: root("5 0 R 3 0 R"), 5: "<</Type/Pages/Parent 2 0 R/Count 1/Kids[]>>" }, 1],
  ["a /Count of 0", { 2: root("3 0 R 7 0 R", 0) }, 2],
  ["a /Count above all objects", { 2: root("3 0 R 7 0 R", 65_535) }, 2],
  ["no /Count", { 2: root("3 0 R 7 0 R").replace("/Count 2", "") }, 2],
  [
    "nodes and pages without a type",
    {
      2: root("5 0 R 7 0 R"),
      3: page().replace("/Type/Page", ""),
      5: "<</Parent 2 0 R/Count 1/Kids[3 0 R]>>",
    },
    2,
  ],
  ...["/Type/Foo", ""].map((type): (typeof TREES)[number] => [
    `a node that could be a page: ${type}`,
    { 2: root("5 0 R 7 0 R"), 5: `<<${type}/Parent 2 0 R/Count 1/Kids[3 0 R]${BOX}/Contents 4 0 R>>` },
    2,
  ]),
  ["a page that was a node first", { 3: page("/Kids[]").replace("/Page", "/Pages/Type/Page") }, 2],
  ["kids behind several references", { 2: root("").replace("[]", " 5 0 R"), 5: "6 0 R", 6: "[3 0 R 7 0 R]" }, 2],
  ["boxes that are no rectangle", { 3: page("/MediaBox[null null 60 60]"), 7: page("/MediaBox[<00> 0 60 60]") }, 2],
  [
    "boxes of numbers that readers read in different ways",
    { 3: page("/MediaBox[0 0 60-5 60]"), 7: page("/MediaBox[0 0 6e1 60]") },
    2,
  ],
  ["a CropBox elsewhere", { 3: page("/CropBox[500 500 600 600]") }, 2],
  [
    "two of a kind",
    {
      3: page(`/MediaBox[0 0 9 9]${BOX}/Rotate 90/Rotate 0/Resources<<>>`),
      7: page().replace("<<>>", "<</XObject<<>>/XObject<<>>>>"),
    },
    2,
  ],
];

/** Returns whether the lower right quarter contains a part of the mark. */
function isMarked({ width, height, rgb }: Raster): boolean {
  for (let y = height >> 1; y < height; y++)
    for (let x = width >> 1; x < width; x++) {
      const at = 3 * (y * width + x);
      if (rgb[at]! > 250 && rgb[at + 1]! < 5 && rgb[at + 2]! > 250) return true;
    }
  return false;
}

describe.each(readersOf(SIDE).map((reader) => [reader.name, reader] as const))("%s", (_, { missing, draw }) => {
  const because = missing ? `, skipped: ${missing} is not installed` : "";
  test.skipIf(missing).each(TREES)(
    `a reader shows all pages with their marks of %s${because}`,
    async (_, bodies, pages) => {
      const source = file({
        1: "<</Type/Catalog/Pages 2 0 R>>",
        2: root("3 0 R 7 0 R"),
        3: page(),
        4: { data: CONTENT },
        7: page(),
        ...bodies,
      });
      const rasters = await draw(await stamp(source), pages);
      expect(rasters.map(isMarked)).toEqual(Array(pages).fill(true));
    },
  );
});
