/**
 * Tests damaged page trees, in files that the engine scans for objects. Every page of the output has the mark, or a
 * notice reports missing pages.
 */
import { describe, expect, it } from "vitest";
import { watermark } from "../../../../src/engine/index.ts";
import { encode, joined } from "../../../support/bytes.ts";
import { MUPDF, PDFIUM } from "../../../support/onlookers.ts";
import { readerBy } from "../../../support/ranges.ts";
import { MAGENTA } from "../../../support/stamp.ts";
import { CORNER } from "../../../support/trialMarks.ts";
import { FileBuilder, latin1, open } from "../fixture.ts";
import { CATALOG, CONTENTS, node, page, SCANNED_TREES, scannedPages } from "../irregularFiles.ts";

/**
 * Marks a file in memory and by reading it in byte ranges. Checks that both outputs are equal, and that readers show
 * the mark on every page.
 */
async function marked(source: Uint8Array) {
  const mark = (from: Parameters<typeof watermark>[0]) =>
    watermark(from, { image: MAGENTA, position: "bottom-right", scale: 0.2, opacity: 1 }, { thorough: true });
  const plan = await mark(source);
  const output = await joined(plan.chunks());
  const ranged = await mark(readerBy(source.length, async (start, end) => source.slice(start, end)));
  expect(latin1(await joined(ranged.chunks()))).toBe(latin1(output));
  expect(ranged.notices).toEqual(plan.notices);
  const all = Array.from({ length: plan.pages }, () => true);
  expect([MUPDF, PDFIUM].map((onlooker) => onlooker.look(output, CORNER))).toEqual([all, all]);
  const { pages } = await open(output);
  return { widths: pages.map(({ box }) => box.x1), notices: plan.notices };
}

const REPAIRED = ["source-repaired"];

describe("a scanned file", () => {
  it.each(SCANNED_TREES)(
    "marks every page of the page tree that the scan for objects selects: %s",
    async (_, source, widths, notices) => {
      expect(await marked(source)).toEqual({ widths, notices });
    },
  );

  it("rejects a file if the scan for objects finds no readable page tree", async () => {
    const source = scannedPages(
      { 1: CATALOG, 2: node(8), 6: "<</Type/Catalog/Pages 7 0 R>>", 7: node(8), 8: { data: "" } },
      "/Root 1 0 R",
      "/Root 6 0 R",
    );
    await expect(marked(source)).rejects.toMatchObject({ code: "damaged_pdf" });
  });
});

describe("an unreadable page dictionary", () => {
  const LOST = "]<</Type/Page>>";
  /** Returns a file whose page tree lists these objects as pages, numbered from 10. */
  const listing = (pages: string[], count: string | number = pages.length): Uint8Array => {
    const kids = pages.map((_, index) => `${10 + index} 0 R`).join(" ");
    const bodies = Object.fromEntries(pages.map((text, index) => [10 + index, text]));
    return scannedPages({ 1: CATALOG, 2: `<</Type/Pages/Count ${count}/Kids[${kids}]>>`, ...bodies }, "/Root 1 0 R");
  };
  const many = (readable: number, lost: number) => [
    ...Array.from({ length: readable }, () => page(300)),
    ...Array.from({ length: lost }, () => LOST),
  ];

  it.each<[string, string[], number[]]>([
    ["the page before it", [page(300), LOST, page(310)], [300, 300, 310]],
    ["the next readable page if the first page is unreadable", [LOST, LOST, page(310)], [310, 310, 310]],
    ["another page if the unreadable page does not begin with <<", [page(300), "8</Type/Page>>"], [300, 300]],
  ])("replaces an unreadable page by a blank page of the size of %s", async (_, pages, widths) => {
    expect(await marked(listing(pages))).toEqual({ widths, notices: REPAIRED });
  });

  it("replaces an unreadable page in an object stream by a blank page", async () => {
    const builder = new FileBuilder().objects(CONTENTS);
    builder.objectStream(9, { 1: CATALOG, 2: node(3, 5), 3: page(300), 5: LOST });
    const source = encode(`${builder.text}trailer\n<</Root 1 0 R>>\n`);
    expect(await marked(source)).toEqual({ widths: [300, 300], notices: REPAIRED });
  });

  it("replaces unreadable pages by blank pages if they are at most 1 % of all pages", async () => {
    const opened = await open(listing(many(496, 4)));
    expect(opened.pages).toHaveLength(500);
    expect(new Set(opened.pages.map(({ attributes }) => attributes)).size).toBe(1);
  });

  it.each<[string, Uint8Array]>([
    ["they are four of 100 pages", listing(many(96, 4))],
    ["no page is readable", listing([LOST, LOST])],
    ["the node of an unreadable page has no /Count", listing([page(300), LOST], "null")],
    ["the /Count of its node shows that an unreadable page may be a node", listing([page(300), LOST], 5)],
    ["the root of the page tree is unreadable", scannedPages({ 1: CATALOG, 2: LOST, 3: page(300) })],
  ])("rejects a file with unreadable pages if %s", async (_, source) => {
    await expect(open(source)).rejects.toMatchObject({ code: "damaged_pdf" });
  });
});
