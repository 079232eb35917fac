/** Tests irregular files that all readers show. After marking, every reader must show the mark on every page. */
import { expect, it } from "vitest";
import type { PdfDocument } from "../../../src/engine/pdf/document/pdfDocument.ts";
import { planOutput } from "../../../src/engine/pdf/output/outputPlan.ts";
import type { Reference } from "../../../src/engine/pdf/syntax/values.ts";
import { joined } from "../../support/bytes.ts";
import { MUPDF, PDFIUM } from "../../support/onlookers.ts";
import { CORNER } from "../../support/trialMarks.ts";
import { FileBuilder, file, latin1, onePage, open, ranges } from "./fixture.ts";
import { IRREGULAR_FILES } from "./irregularFiles.ts";

const BOX = "/MediaBox[0 0 300 400]";
const SHARED = `${BOX}/Contents 4 0 R/Resources 5 0 R`;

/** Marks a file in memory and by reading it in byte ranges, and checks that both outputs are equal. */
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

it.each(IRREGULAR_FILES)("readers show the mark on every page of a file with %s", async (_, pages, source) => {
  const expected = Array.from({ length: pages }, () => true);
  expect(shown(await marked(source))).toEqual([expected, expected]);
});

it("retains the resources of a page if the source has a stream in place of the dictionary", async () => {
  const page = onePage(SHARED, { 5: { dict: "/Font<</F1<</Subtype/Type3/Name/N>>>>", data: "x" } });
  const { objects, pages } = await open(await marked(file(page)));
  const resources = objects.dictionary(objects.value(pages[0]!.rewrite.num))!.get("Resources") as Reference;
  const font = objects.dictionary(objects.dictionary(resources)!.get("Font"))!.get("F1");
  expect(font).toEqual(new Map(Object.entries({ Subtype: "Type3", Name: "N" })));
  expect(resources.num).not.toBe(5);
});

it("the output has no /Encrypt if readers ignore the source's /Encrypt", async () => {
  const source = new FileBuilder().objects(onePage(BOX)).table({ trailer: "/Root 1 0 R/Encrypt[]" }).bytes();
  expect(
    latin1(await marked(source))
      .split("%%EOF")
      .at(-2),
  ).not.toContain("/Encrypt");
});
