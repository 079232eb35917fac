import { describe, expect, it } from "vitest";
import { watermark } from "../../../../src/engine/index.ts";
import { joined } from "../../../support/bytes.ts";
import { MUPDF, PDFIUM } from "../../../support/onlookers.ts";
import { MAGENTA } from "../../../support/stamp.ts";
import { CORNER } from "../../../support/trialMarks.ts";
import { type Bodies, file, onePage, open, outcome } from "../fixture.ts";

const BOX = "/MediaBox[0 0 300 400]";

/** Returns a one-page file with a form. `entries` are additional entries of the catalog. */
function form(entries: string, more: Bodies = {}, page = `${BOX}/Contents 4 0 R`): Uint8Array {
  return file(
    onePage(page, { 1: `<</Type/Catalog/Pages 2 0 R${entries}>>`, 5: { data: "<xdp:xdp></xdp:xdp>" }, ...more }),
  );
}

const mark = (source: Parameters<typeof watermark>[0]) =>
  watermark(source, { image: MAGENTA, position: "bottom-right", scale: 0.2, opacity: 1 });

describe("an XFA form without /NeedsRendering", () => {
  it.each<[string, Uint8Array, string[] | undefined]>([
    ["contains nothing else", form("/AcroForm<</XFA 5 0 R>>"), undefined],
    ["is an object", form("/AcroForm 6 0 R", { 6: "<</XFA[(template)5 0 R]/Fields[]/DA(x)>>" }), ["Fields", "DA"]],
    ["is behind two references", form("/AcroForm 7 0 R", { 6: "<</Fields 8 0 R/XFA 5 0 R>>", 7: "6 0 R" }), ["Fields"]],
    ["has the key escaped", form("/AcroForm<</X#46A 5 0 R/DA(x)>>"), ["DA"]],
    ["comes with /NeedsRendering false", form("/NeedsRendering false/AcroForm<</XFA 5 0 R>>"), undefined],
  ])("removes /XFA from a form whose /AcroForm %s", async (_, source, expected) => {
    const plan = await mark(source);
    expect(plan.notices).toEqual(["xfa-removed"]);
    const output = await joined(plan.chunks());
    const { objects, catalog } = await open(output);
    const left = objects.dictionary(catalog.get("AcroForm"));
    expect(left && [...left.keys()]).toEqual(expected);
    expect([MUPDF, PDFIUM].map((onlooker) => onlooker.look(output, CORNER))).toEqual([[true], [true]]);
  });

  it("retains /XFA if the form has fields, since readers then show the PDF pages", async () => {
    const plan = await mark(form("/AcroForm<</XFA 5 0 R/Fields[6 0 R]>>", { 6: "<</FT/Tx/T(a)>>" }));
    expect(plan.notices).toEqual([]);
    const { objects, catalog } = await open(await joined(plan.chunks()));
    expect(objects.dictionary(catalog.get("AcroForm"))?.has("XFA")).toBe(true);
  });

  it.each<[string, Uint8Array]>([
    ["with /NeedsRendering", form("/NeedsRendering true/AcroForm<</XFA 5 0 R>>")],
    ["with /NeedsRendering behind a reference", form("/NeedsRendering 6 0 R/AcroForm<</XFA 5 0 R>>", { 6: "true" })],
    ["whose pages have no content", form("/AcroForm<</XFA 5 0 R>>", {}, BOX)],
  ])("rejects an XFA form that cannot be shown as PDF pages: a form %s", async (_, source) => {
    expect(await outcome(source)).toBe("xfa_not_supported");
  });
});
