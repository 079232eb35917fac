/** Tests marks that are drawn under the page's content. */
import { describe, expect, it } from "vitest";
import { type ImageMark, TEMPLATES, type TemplateName, type TextMark, watermark } from "../../../src/engine/index.ts";
import { isEqual, joined } from "../../support/bytes.ts";
import { loadFont } from "../../support/fonts.ts";
import { RED_PNG } from "../../support/png.ts";
import { readerBy } from "../../support/ranges.ts";
import { readable } from "../../support/readable.ts";
import { encodeJpeg } from "../images/encodeJpeg.ts";
import { encodePng } from "../images/encodePng.ts";
import { archive, xmp } from "../pdf/archive.ts";
import { type Bodies, FileBuilder, file, latin1, onePage } from "../pdf/fixture.ts";

type Mark = TextMark | ImageMark;

const png = (colorType: number, pixel: number[]) =>
  encodePng({ width: 4, height: 4, bitDepth: 8, colorType, samples: () => pixel } as Parameters<typeof encodePng>[0]);
const GRAY_PNG = png(0, [100]);
const RED = { text: "A", color: "#c62828" };

async function marked(source: Uint8Array, mark: Mark) {
  const plan = await watermark(source, { layer: "under", ...mark } as TextMark, { loadFont, date: new Date(0) });
  return { notices: plan.notices, output: await joined(plan.chunks()) };
}

const MARKS: [string, Mark][] = [
  ...Object.keys(TEMPLATES).map((name): [string, Mark] => [
    `the template ${name}`,
    { text: "DRAFT {page}", template: name as TemplateName },
  ]),
  ["a color", RED],
  ["an opaque image", { image: RED_PNG }],
  ["an image with half-transparent pixels", { image: png(6, [198, 40, 40, 160]) }],
  ["a JPEG", { image: encodeJpeg({ width: 1, height: 1, color: () => [100, 128, 128] }) }],
  ["a tiled image", { image: RED_PNG, position: "tile" }],
];

it.each(MARKS)("a mark under the page's content uses no transparency: a mark with %s", async (_, mark) => {
  const source = file(onePage("/MediaBox[0 0 300 400]/Contents 4 0 R", { 4: { data: "1 0 0 rg 0 0 9 9 re f" } }));
  const output = readable((await marked(source, mark)).output);
  expect(output).not.toMatch(/\/SMask|\/Group|\/ca |\/CA |\/BM|\/ExtGState/);
});

describe("the contents of a page", () => {
  const contentsOf = (output: Uint8Array) => /\/Contents(\[[^\]]*\]| \d+ 0 R)/.exec(latin1(output))![1]!;

  it.each<[string, string, RegExp, Bodies?]>([
    ["a stream", "/Contents 4 0 R", /^\[\d+ 0 R 4 0 R\]$/],
    ["an array", "/Contents[4 0 R 5 0 R]", /^\[\d+ 0 R 4 0 R 5 0 R\]$/, { 5: { data: "\n0 g" } }],
    ["no content", "", /^\[\d+ 0 R \]$/],
    ["malformed content", "/Contents 4 0 R", /^\[\d+ 0 R \d+ 0 R\]$/, { 4: { data: "q 1 g" } }],
  ])("a mark under the content is the first content stream of a page with %s", async (_, contents, expected, more) => {
    const source = file(onePage(`/MediaBox[0 0 300 400]${contents}`, more));
    expect(contentsOf((await marked(source, { image: RED_PNG })).output)).toMatch(expected);
  });

  it("pages that share a /Contents array still share one after a mark is added under their content", async () => {
    const page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 6 0 R>>";
    const source = file({
      ...onePage(),
      2: "<</Type/Pages/Count 2/Kids[3 0 R 5 0 R]>>",
      3: page,
      5: page,
      6: "[4 0 R]",
    });
    const output = latin1((await marked(source, { image: RED_PNG })).output);
    const [first, second] = Array.from(output.matchAll(/\/Contents (\d+) 0 R/g), ([, num]) => num);
    expect(second).toBe(first);
    expect(output).toMatch(new RegExp(`\\n${first} 0 obj\\n\\[\\d+ 0 R 4 0 R\\]`));
  });
});

it.each([
  ["well-formed content", { 4: { data: "0 g 0 0 300 400 re f" } }],
  ["malformed content", { 4: { data: "q q (" } }],
])("a mark under %s produces the same output whether the file is in memory or read in byte ranges", async (_, more) => {
  const source = file(onePage(undefined, more));
  const ranges = readerBy(source.length, async (start, end) => source.slice(start, end));
  const mark: TextMark = { text: "DRAFT", layer: "under" };
  const inMemory = await watermark(source, mark, { loadFont });
  const read = await watermark(ranges, mark, { loadFont, thorough: true });
  expect(read.notices).toEqual(inMemory.notices);
  expect(isEqual(await joined(inMemory.chunks()), await joined(read.chunks()))).toBe(true);
});

it.each([
  ["the default color", { text: "A" }, "0.75 g"],
  ["another color", RED, "0.934 0.75 0.75 rg"],
  ["opacity 1", { ...RED, opacity: 1 }, "0.777 0.157 0.157 rg"],
  ["small letters, which are denser", { text: "A", template: "footer", opacity: 0.5 }, "0.251 g"],
] as [string, TextMark, string][])(
  "draws text under the page's content in an opaque tint that depends on the field opacity: %s",
  async (_, mark, fill) => {
    expect(readable((await marked(file(onePage()), mark)).output)).toContain(`${fill}\n`);
  },
);

it("a mark under the page's content does not raise the PDF version", async () => {
  const source = new FileBuilder("%PDF-1.3\n").objects(onePage()).table().bytes();
  expect(latin1((await marked(source, { text: "A", template: "outline" })).output)).toMatch(/^%PDF-1\.3/);
});

it.each<[string, Mark]>([
  ["gray text", { text: "A" }],
  ["an outline", { text: "A", template: "outline" }],
  ["an image with alpha", { image: png(6, [198, 40, 40, 160]) }],
])("a file stays PDF/A-1 with %s under the page's content", async (_, mark) => {
  expect((await marked(archive({ part: 1, intent: 3 }), mark)).notices).toEqual([]);
});

it.each([
  ["pixels of less than half the full alpha", "under", 127, ["mark-invisible"]],
  ["pixels of half the full alpha", "under", 128, []],
  ["pixels of a low alpha", "over", 1, []],
  ["invisible pixels", "over", 0, ["mark-invisible"]],
] as const)(
  "the notice mark-invisible appears only if the mark is invisible: an image of %s, %s the content",
  async (_, layer, alpha, expected) => {
    expect((await marked(file(onePage()), { image: png(6, [198, 40, 40, alpha]), layer })).notices).toEqual(expected);
  },
);

describe("a PDF/X file", () => {
  const pdfx = (profile: Bodies = {}) =>
    file(
      onePage(undefined, {
        1: `<</Type/Catalog/Pages 2 0 R/OutputIntents[<</S/GTS_PDFX${profile[9] ? "/DestOutputProfile 9 0 R" : ""}>>]>>`,
        ...profile,
      }),
    );
  const RGB_PRESS: Bodies = { 9: { dict: "/N 3", data: "" } };

  it.each<[string, Mark]>([
    ["gray text", { text: "A" }],
    ["colored text", RED],
    ["an outline", { text: "A", template: "outline" }],
    ["a gray image", { image: GRAY_PNG }],
    ["opaque gray text over the content", { text: "A", color: "#444444", opacity: 1, layer: "over" }],
    ["an opaque outline over the content", { text: "A", template: "outline", opacity: 1, layer: "over" }],
  ])("a PDF/X file stays PDF/X if it is marked with %s", async (_, mark) => {
    expect((await marked(pdfx(), mark)).notices).toEqual([]);
  });

  it.each<[string, Mark, Bodies?]>([
    ["an RGB image", { image: RED_PNG }],
    ["a transparent text", { text: "A", layer: "over" }],
    ["a colored text for an RGB press", RED, RGB_PRESS],
  ])("a PDF/X file gets the notice pdfx-broken if it is marked with %s", async (_, mark, profile) => {
    expect((await marked(pdfx(profile), mark)).notices).toEqual(["pdfx-broken"]);
  });

  it.each<[string, string, Bodies[number]]>([
    ["in an output intent with an indirect /S", "/OutputIntents[<</S 5 0 R>>]", "/GTS_PDFX"],
    [
      "only in its XMP metadata",
      "/Metadata 5 0 R",
      { data: xmp('pdfxid:GTS_PDFXVersion="PDF/X-4"', 'xmlns:pdfxid="http://www.npes.org/pdfx/ns/id/"') },
    ],
  ])("a transparent mark gets the notice pdfx-broken in a file that claims PDF/X %s", async (_, entries, claim) => {
    const source = file(onePage(undefined, { 1: `<</Type/Catalog/Pages 2 0 R${entries}>>`, 5: claim }));
    expect((await marked(source, { text: "A", layer: "over" })).notices).toEqual(["pdfx-broken"]);
  });

  it("a mark in a PDF/X file draws colored text in CMYK", async () => {
    expect(readable((await marked(pdfx(), { ...RED, opacity: 1 })).output)).toMatch(/0 0\.797\d* 0\.797\d* 0\.223 k\n/);
  });
});

describe("the notice mark-covered", () => {
  const noticesOf = async (content: string, mark: Partial<TextMark> = {}, more: Bodies = {}, entries = "") => {
    const page = `/MediaBox[0 0 300 400]/Contents 4 0 R/Resources<<${entries}>>`;
    return (await marked(file(onePage(page, { 4: { data: content }, ...more })), { text: "A", ...mark })).notices;
  };
  const WHITE = "1 g 0 0 300 400 re f";
  const COVERED = ['mark-covered;pages="1"'];
  const DRAWN = "q 300 0 0 400 0 0 cm /I Do Q";
  const XOBJECT = "/XObject<</I 5 0 R>>";
  const INLINE = "q 300 0 0 400 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q";
  const TILED = "/Pattern cs /P scn 0 0 300 400 re f";
  const CELL = "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>";
  const PATTERN = "/Pattern<</P 5 0 R>>";

  it("the notice mark-covered names a page whose background hides a mark under the content", async () => {
    expect(await noticesOf(WHITE)).toEqual(COVERED);
    expect(await noticesOf(WHITE, { template: "tiled" })).toEqual(COVERED);
    expect(await noticesOf(DRAWN, {}, { 5: { dict: "/Subtype/Image", data: "" } }, XOBJECT)).toEqual(COVERED);
    const form = { dict: "/Subtype/Form/BBox[0 0 1 1]", data: "0 0 1 1 re f" };
    expect(await noticesOf(DRAWN, {}, { 5: form }, XOBJECT)).toEqual(COVERED);
    expect(await noticesOf(INLINE)).toEqual(COVERED);
    expect(await noticesOf(TILED, {}, { 5: { dict: CELL, data: "1 g 0 0 9 9 re f" } }, PATTERN)).toEqual(COVERED);
  });

  it.each<[string, string, Bodies?, string?]>([
    ["elsewhere", "0 0 300 100 re f"],
    ["with a stencil mask", DRAWN, { 5: { dict: "/Subtype/Image/ImageMask true", data: "" } }, XOBJECT],
    ["with a soft mask", DRAWN, { 5: { dict: "/Subtype/Image/SMask 6 0 R", data: "" } }, XOBJECT],
    ["with an inline stencil mask", INLINE.replace("/CS /G /BPC 8", "/IM true")],
    ["with a pattern with gaps in its cells", TILED, { 5: { dict: CELL, data: "1 g 0 0 9 8 re f" } }, PATTERN],
    [
      "with a pattern with gaps between its cells",
      TILED,
      { 5: { dict: CELL.replace("/XStep 9", "/XStep 10"), data: "1 g 0 0 9 9 re f" } },
      PATTERN,
    ],
    [
      "with a pattern whose cell uses the same pattern",
      TILED,
      { 5: { dict: CELL.replace("<<>>", `<<${PATTERN}>>`), data: TILED } },
      PATTERN,
    ],
    ["that is transparent", `/G gs ${WHITE}`, {}, "/ExtGState<</G<</ca .5>>>>"],
    ["that multiplies", `/G gs ${WHITE}`, {}, "/ExtGState<</G<</BM/Multiply>>>>"],
    ["in an unreadable stream", "", { 4: { dict: "/Filter/FlateDecode", data: "x" } }],
  ])("the notice mark-covered does not name a page with a background %s", async (_, content, more, entries) => {
    expect(await noticesOf(content, {}, more, entries)).toEqual([]);
  });

  it("the notice mark-covered does not name a page if the mark is drawn over the background", async () => {
    expect(await noticesOf(WHITE, { layer: "over" })).toEqual([]);
  });
});
