/** Tests which pages of the output get RGB as their blending color space. */
import { describe, expect, it, test } from "vitest";
import type { PdfDocument } from "../../../../src/engine/pdf/document/pdfDocument.ts";
import { PlanOutdated } from "../../../../src/engine/pdf/output/eraser.ts";
import { planOutput } from "../../../../src/engine/pdf/output/outputPlan.ts";
import { joined } from "../../../support/bytes.ts";
import { CORNER } from "../../../support/trialMarks.ts";
import { type Bodies, file, latin1, onePage, open, ranges } from "../fixture.ts";

const RGB_GROUP = "/Group<</S/Transparency/CS/DeviceRGB>>";
const BOX = "/MediaBox[0 0 300 400]";

/**
 * Marks a file in memory and by reading it in byte ranges, checks that both outputs are equal, and returns the output.
 */
async function marked(bodies: Bodies, isTransparent = true): Promise<string> {
  const source = file(bodies);
  const mark = async (document: PdfDocument) => {
    await CORNER.lay(document);
    if (isTransparent) document.uses.add("transparency");
    return latin1(await joined((await planOutput(document)).chunks()));
  };
  const inMemory = await mark(await open(source));
  const byRanges = await mark(await open(ranges(source))).catch(async (error) => {
    if (!(error instanceof PlanOutdated)) throw error;
    return mark(await open(ranges(source), { thorough: true }));
  });
  expect(byRanges).toBe(inMemory);
  return inMemory;
}

const page = (content: string, entries = "", others: Bodies = {}): Bodies => ({
  ...onePage(`${BOX}/Contents 4 0 R${entries}`),
  4: { data: content },
  ...others,
});
const image = (entries: string): Bodies => ({
  5: { dict: `/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8${entries}`, data: "abcd" },
});
const drawn = (entries: string, others: Bodies = {}) =>
  page("/Im Do", "/Resources<</XObject<</Im 5 0 R>>>>", { ...image(entries), ...others });
const selected = (space: string, others: Bodies = {}) =>
  page("/Cs cs 1 0 0 sc 0 0 9 9 re f", `/Resources<</ColorSpace<</Cs ${space}>>>>`, others);

describe("a transparent mark", () => {
  test.each<[string, Bodies]>([
    ["the operator rg", page("1 0 0 rg 0 0 9 9 re f")],
    [
      "the operator RG in its second stream",
      page("", "", { 3: `<</Type/Page/Parent 2 0 R${BOX}/Contents[4 0 R 5 0 R]>>`, 5: { data: "1 0 0 RG" } }),
    ],
    ["an RGB image", drawn("/ColorSpace/DeviceRGB")],
    [
      "an image with an ICC profile of three components",
      drawn("/ColorSpace[/ICCBased 6 0 R]", { 6: { dict: "/N 3", data: "" } }),
    ],
    ["an indexed image of RGB colors", drawn("/ColorSpace[/Indexed/DeviceRGB 0 <ff0000>]")],
    ["an inline image", page("BI /W 1 /H 1 /CS /RGB /BPC 8 ID abc EI Q q".replace(" Q q", "\n"))],
    ["a calibrated color space", selected("[/CalRGB<</WhitePoint[1 1 1]>>]")],
    [
      "a form with RGB content",
      page("/F Do", "/Resources<</XObject<</F 5 0 R>>>>", {
        5: { dict: "/Subtype/Form/BBox[0 0 9 9]", data: "1 0 0 rg 0 0 9 9 re f" },
      }),
    ],
    ["a shading of RGB colors", page("/S sh", "/Resources<</Shading<</S<</ShadingType 2/ColorSpace/DeviceRGB>>>>>>")],
    [
      "a pattern with an RGB image",
      page("/P scn", "/Resources<</Pattern<</P 6 0 R>>>>", {
        ...image("/ColorSpace/DeviceRGB"),
        6: { dict: "/PatternType 1/Resources<</XObject<</Im 5 0 R>>>>", data: "/Im Do" },
      }),
    ],
    ["RGB content that is malformed at its end", page("1 0 0 rg 0 0 9 9 re f q q re")],
  ])("a transparent mark sets the blending color space RGB for a page with %s", async (_, bodies) => {
    expect(await marked(bodies)).toContain(RGB_GROUP);
  });

  test.each<[string, Bodies]>([
    ["black text only", page("BT ET 0 g 0 0 9 9 re f")],
    ["no content", page("")],
    ["RGB and the operator k", page("1 0 0 rg 0 0 9 9 re f 0 0 0 1 k")],
    [
      "RGB and a CMYK image",
      page("1 0 0 rg /Im Do", "/Resources<</XObject<</Im 5 0 R>>>>", image("/ColorSpace/DeviceCMYK")),
    ],
    ["a spot color", selected("[/Separation/Gold/DeviceRGB 6 0 R]")],
    ["a color of several inks", selected("[/DeviceN[/Gold/Black]/DeviceRGB 6 0 R]")],
    ["RGB and overprinting", page("/G gs 1 0 0 rg", "/Resources<</ExtGState<</G<</op true>>>>>>")],
    ["an ICC profile of four components", selected("[/ICCBased 6 0 R]", { 6: { dict: "/N 4", data: "" } })],
    ["an unused RGB color space", page("0 g", "/Resources<</ColorSpace<</Cs/DeviceRGB>>>>")],
    ["RGB and a group that names CMYK", page("1 0 0 rg", "/Group<</S/Transparency/CS/DeviceCMYK>>")],
    [
      "RGB in a file with a CMYK output intent",
      page("1 0 0 rg", "", {
        1: "<</Type/Catalog/Pages 2 0 R/OutputIntents[<</S/GTS_PDFA1/DestOutputProfile 6 0 R>>]>>",
        6: { dict: "/N 4", data: "" },
      }),
    ],
    [
      "RGB in a PDF/X file",
      page("1 0 0 rg", "", { 1: "<</Type/Catalog/Pages 2 0 R/OutputIntents[<</S/GTS_PDFX>>]>>" }),
    ],
    [
      "a form that draws itself",
      page("/F Do", "/Resources<</XObject<</F 5 0 R>>>>", {
        5: { dict: "/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 5 0 R>>>>", data: "/F Do" },
      }),
    ],
  ])("a transparent mark does not set the blending color space RGB for a page with %s", async (_, bodies) => {
    expect(await marked(bodies)).not.toContain("/CS/DeviceRGB>>");
  });

  it("a transparent mark adds the color space RGB to a page group without one, and retains the group's /I entry", async () => {
    const output = await marked(page("1 0 0 rg", "/Group<</Type/Group/S/Transparency/I true>>"));
    expect(output).toContain("/Group<</S/Transparency/I true/CS/DeviceRGB>>");
    expect(output.slice(output.lastIndexOf("3 0 obj")).match(/\/Group/g)).toHaveLength(1);
  });

  it("a transparent mark sets the blending color space RGB only for a file's RGB pages", async () => {
    const kid = (num: number) => `<</Type/Page/Parent 2 0 R${BOX}/Contents ${num} 0 R>>`;
    const output = await marked({
      ...onePage(`${BOX}/Contents 4 0 R`),
      2: "<</Type/Pages/Count 3/Kids[3 0 R 5 0 R 6 0 R]>>",
      4: { data: "1 0 0 rg" },
      5: kid(7),
      6: kid(4),
      7: { data: "0 g" },
    });
    expect(output.match(/\/Group<<\/S\/Transparency\/CS\/DeviceRGB>>/g)).toHaveLength(2);
  });
});

test.each([
  ["direct", "/Group<</S/Transparency/K true/CS/DeviceCMYK>>", {}],
  ["indirect", "/Group 9 0 R", { 9: "<</S/Transparency/CS/DeviceCMYK/K true>>" }],
])(
  "the output drops /K from a page group, because /K would let the mark erase the content (the group is %s)",
  async (_, entries, others) => {
    const output = await marked(page("1 0 0 rg", entries, others), false);
    expect(output.slice(output.lastIndexOf("3 0 obj"))).toContain("/Group<</S/Transparency/CS /DeviceCMYK>>");
  },
);

test("an opaque mark does not change the blending color space of a page", async () => {
  expect(await marked(page("1 0 0 rg"), false)).not.toContain("/Group");
});
