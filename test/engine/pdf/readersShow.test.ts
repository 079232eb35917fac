/** Irregular files that readers show: every reader shows the mark on their pages. */
import { expect, it } from "vitest";
import type { PdfDocument } from "../../../src/engine/pdf/document/pdfDocument.ts";
import { planOutput } from "../../../src/engine/pdf/output/outputPlan.ts";
import type { Reference } from "../../../src/engine/pdf/syntax/values.ts";
import { encode, joined } from "../../support/bytes.ts";
import { MUPDF, PDFIUM } from "../../support/onlookers.ts";
import { CORNER } from "../../support/trialMarks.ts";
import { type Bodies, FileBuilder, file, latin1, onePage, open, ranges } from "./fixture.ts";

const BOX = "/MediaBox[0 0 300 400]";
const SHARED = `${BOX}/Contents 4 0 R/Resources 5 0 R`;
const PAGE = `<</Type/Page${BOX}>>`;
const TREE = "<</Type/Pages/Count 2/Kids[3 0 R 6 0 R]>>";

/** A file without a cross-reference. */
function scanned(bodies: Bodies, trailer = "/Root 1 0 R"): Uint8Array {
  const { text } = new FileBuilder().objects(bodies);
  return encode(`${text}trailer\n<<${trailer}>>\n`);
}

/** Marks a file in memory and by ranges, which must give the same. */
async function marked(source: Uint8Array): Promise<Uint8Array> {
  const mark = async (document: PdfDocument) => {
    await CORNER.lay(document);
    return joined((await planOutput(document)).chunks());
  };
  const output = await mark(await open(source));
  expect(latin1(await mark(await open(ranges(source), { thorough: true })))).toBe(latin1(output));
  return output;
}

const shown = (pdf: Uint8Array) => [MUPDF, PDFIUM].map((onlooker) => onlooker.look(pdf, CORNER));

it.each<[string, number, Uint8Array]>([
  ["resources that are a stream", 1, file(onePage(SHARED, { 5: { dict: "/Font<<>>", data: "x" } }))],
  ["resources that are the page's content", 1, file(onePage(`${BOX}/Contents 4 0 R/Resources 4 0 R`))],
  [
    "a stream as the resources of two pages",
    2,
    file(onePage(SHARED, { 2: TREE, 5: { data: "x" }, 6: `<</Type/Page/Parent 2 0 R${SHARED}>>` })),
  ],
  [
    "resources that are a stream with a malformed dictionary",
    1,
    file(onePage(SHARED, { 5: { dict: "/Font<<>>7", data: "x" } })),
  ],
  [
    "inherited resources that are a stream",
    1,
    file(
      onePage(`${BOX}/Contents 4 0 R`, {
        2: "<</Type/Pages/Count 1/Kids[3 0 R]/Resources 5 0 R>>",
        5: { dict: "/Font<<>>", data: "x" },
      }),
    ),
  ],
  [
    "resources that are a stream whose length was corrected for an earlier page",
    2,
    file(
      onePage(`${BOX}/Contents 5 0 R`, {
        2: TREE,
        5: "<</Length 1>>\nstream\n0 g\nendstream",
        6: `<</Type/Page/Parent 2 0 R${SHARED}>>`,
      }),
    ),
  ],
  ["a page in place of the tree, in a scanned file", 1, scanned(onePage(BOX, { 1: "<</Type/Catalog/Pages 3 0 R>>" }))],
  [
    "an array as /Encrypt",
    1,
    new FileBuilder().objects(onePage(BOX)).table({ trailer: "/Root 1 0 R/Encrypt[]" }).bytes(),
  ],
  [
    "a reference to an array as /Encrypt",
    1,
    new FileBuilder()
      .objects(onePage(BOX, { 5: "[]" }))
      .table({ trailer: "/Root 1 0 R/Encrypt 5 0 R" })
      .bytes(),
  ],
  ["an array as /Encrypt, in a scanned file", 1, scanned(onePage(BOX), "/Root 1 0 R/Encrypt[]")],
  [
    "content with the filter /BrotliDecode",
    1,
    file(onePage(`${BOX}/Contents 4 0 R`, { 4: { dict: "/Filter/BrotliDecode", data: "\x0b\x01\x800 g \x03" } })),
  ],
  [
    "a catalog behind data without endstream",
    1,
    scanned(
      {
        2: "<</Type/Pages/Count 1/Kids[3 0 R]>>",
        3: `<</Type/Page/Parent 2 0 R${BOX}/Contents 4 0 R>>`,
        4: "<</Length 99>>\nstream\n0 g",
        5: "<</Type/Catalog/Pages 2 0 R>>",
        6: { data: "x" },
      },
      "",
    ),
  ],
  [
    "many streams without endstream",
    1,
    scanned({
      ...Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [i + 10, "<</Length 0>>\nstream\n0 g"])),
      ...onePage(BOX),
    }),
  ],
  [
    "a page behind data without endstream",
    2,
    scanned(onePage(BOX, { 2: TREE, 5: "<</Length 99>>\nstreamndstream", 6: PAGE })),
  ],
  [
    "a page behind an endobj in data of a wrong length",
    2,
    scanned(
      onePage(BOX, {
        2: TREE,
        5: `<</Length 3>>\nstream\n0 g 1\nendobj\n6 0 obj\n${PAGE}\nendobj\n7 0 obj\n<<>>\nstream\n0 g\nendstream`,
      }),
    ),
  ],
  [
    "an object stream behind data without endstream",
    2,
    (() => {
      const builder = new FileBuilder().objects(onePage(BOX, { 2: TREE, 7: "<</Length 4/ /A 1>>\nstream\nx" }));
      builder.objectStream(8, { 6: PAGE });
      return encode(builder.text);
    })(),
  ],
])("marks a file with %s", async (_, pages, source) => {
  const expected = Array.from({ length: pages }, () => true);
  expect(shown(await marked(source))).toEqual([expected, expected]);
});

it("retains the resources of a page that are a stream", async () => {
  const page = onePage(SHARED, { 5: { dict: "/Font<</F1<</Subtype/Type3/Name/N>>>>", data: "x" } });
  const { objects, pages } = await open(await marked(file(page)));
  const resources = objects.dictionary(objects.value(pages[0]!.rewrite.num))!.get("Resources") as Reference;
  const font = objects.dictionary(objects.dictionary(resources)!.get("Font"))!.get("F1");
  expect(font).toEqual(new Map(Object.entries({ Subtype: "Type3", Name: "N" })));
  expect(resources.num).not.toBe(5);
});

it("the output has no /Encrypt if readers ignore it in the source", async () => {
  const source = new FileBuilder().objects(onePage(BOX)).table({ trailer: "/Root 1 0 R/Encrypt[]" }).bytes();
  expect(
    latin1(await marked(source))
      .split("%%EOF")
      .at(-2),
  ).not.toContain("/Encrypt");
});
