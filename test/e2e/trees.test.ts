/**
 * Tests page trees that readers interpret differently. Every reader must show the same pages of the output, each with
 * its mark.
 */
import { describe, expect, test } from "vitest";
import { type Bodies, file, stamp } from "../engine/pdf/fixture.ts";
import { isMarked } from "./irregularFiles.ts";
import { readersOf } from "./readers.ts";

const SIDE = 60;
const CONTENT = "0.8 0.9 1 rg 5 5 30 50 re f";
const page = (entries = "") => `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<<>>${entries}>>`;
const BOX = `/MediaBox[0 0 ${SIDE} ${SIDE}]`;
const root = (kids: string, count = 2) => `<</Type/Pages/Count ${count}/Kids[${kids}]${BOX}>>`;

/**
 * Page trees. `bodies` replaces objects of a document whose pages are the objects 3 and 7. `pages` is the resulting
 * number of pages.
 */
const TREES: [name: string, bodies: Bodies, pages: number][] = [
  ["nothing but pages", {}, 2],
  ["a null kid", { 2: root("null 3 0 R") }, 1],
  ["a kid that does not exist", { 2: root("99 0 R 3 0 R") }, 1],
  ["kids that are strings, names, booleans, numbers or arrays", { 2: root("(a) 3 0 R/A true 5[7 0 R]7 0 R") }, 2],
  ["a kid behind several references", { 2: root("5 0 R 7 0 R"), 5: "6 0 R", 6: "3 0 R" }, 2],
  ["object numbers with a sign and leading zeros", { 2: root("+3 0 R 0000000000000000000007 -0 R") }, 2],
  ["kids with a wrong generation", { 2: root("3 7 R 7 99999 R") }, 2],
  ["a node that lists itself", { 2: root("2 0 R 3 0 R 7 0 R", 3) }, 2],
  [
    "a /Kids array that two nodes share",
    {
      2: root("5 0 R 6 0 R"),
      5: "<</Type/Pages/Parent 2 0 R/Count 1/Kids 8 0 R>>",
      6: "<</Type/Pages/Parent 2 0 R/Count 1/Kids 8 0 R>>",
      8: "[3 0 R]",
    },
    2,
  ],
  ["a node with an empty /Kids array", { 2: root("5 0 R 3 0 R"), 5: "<</Type/Pages/Parent 2 0 R/Count 1/Kids[]>>" }, 1],
  ["a /Count of 0", { 2: root("3 0 R 7 0 R", 0) }, 2],
  ["a /Count above the number of objects", { 2: root("3 0 R 7 0 R", 65_535) }, 2],
  ["no /Count", { 2: root("3 0 R 7 0 R").replace("/Count 2", "") }, 2],
  [
    "nodes and pages without a /Type",
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
  ["a page with two types: /Pages and /Page", { 3: page("/Kids[]").replace("/Page", "/Pages/Type/Page") }, 2],
  [
    "a /Kids array behind several references",
    { 2: root("").replace("[]", " 5 0 R"), 5: "6 0 R", 6: "[3 0 R 7 0 R]" },
    2,
  ],
  ["boxes that are not rectangles", { 3: page("/MediaBox[null null 60 60]"), 7: page("/MediaBox[<00> 0 60 60]") }, 2],
  [
    "boxes with numbers that readers parse differently",
    { 3: page("/MediaBox[0 0 60-5 60]"), 7: page("/MediaBox[0 0 6e1 60]") },
    2,
  ],
  ["a CropBox elsewhere", { 3: page("/CropBox[500 500 600 600]") }, 2],
  [
    "duplicate entries",
    {
      3: page(`/MediaBox[0 0 9 9]${BOX}/Rotate 90/Rotate 0/Resources<<>>`),
      7: page().replace("<<>>", "<</XObject<<>>/XObject<<>>>>"),
    },
    2,
  ],
];

describe.each(readersOf(SIDE).map((reader) => [reader.name, reader] as const))(
  "%s",
  (reader, { missing, sample, draw }) => {
    const because = missing ? `, skipped: ${missing} is not installed` : "";
    test.skipIf(missing).each(sample(TREES))(
      `${reader} shows all pages with their marks if the page tree has %s${because}`,
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
  },
);
