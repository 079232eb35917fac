/**
 * Tests the annotations that repeat the mark above opaque annotations. `test/e2e/annotations.test.ts` tests how readers
 * draw them.
 */
import { expect, it } from "vitest";
import { type ImageMark, watermark } from "../../../src/engine/index.ts";
import { openCipher } from "../../../src/engine/pdf/security/encryption.ts";
import { joined } from "../../support/bytes.ts";
import { readerBy } from "../../support/ranges.ts";
import { MAGENTA } from "../../support/stamp.ts";
import { archive, xmp } from "../pdf/archive.ts";
import { type Bodies, FileBuilder, file, latin1, onePage } from "../pdf/fixture.ts";
import { bytesOfHex, encryptDictionary, encryptText, VECTORS } from "../pdf/security/encryptedFile.ts";

const BOX = "/MediaBox[0 0 300 400]";
const FILL = "1 1 1 rg 0 0 100 100 re f";
const FORM = { dict: "/Subtype/Form/BBox[0 0 100 100]", data: FILL };
const COVERED = 'mark-covered;pages="1"';
const annotation = (rect: string, entries = "/Subtype/Stamp") => `<<${entries}/Rect[${rect}]/AP<</N 6 0 R>>>>`;
const STAMP = annotation("100 150 200 250");

/** A mark that covers the rectangle [120 170 180 230] of the page in {@link onePage}. */
const MARK: ImageMark = { image: MAGENTA, position: "center", scale: 0.2, opacity: 0.5 };

/** Marks a file in memory and by reading it in byte ranges. Expects equal outputs. */
async function marked(source: Uint8Array, mark: ImageMark = MARK) {
  const plan = await watermark(source, mark);
  const output = latin1(await joined(plan.chunks()));
  const reader = readerBy(source.length, async (start, end) => source.slice(start, end));
  const byRanges = await watermark(reader, mark, { thorough: true });
  expect(latin1(await joined(byRanges.chunks()))).toBe(output);
  expect(byRanges.notices).toEqual(plan.notices);
  const shown = Array.from(
    output.matchAll(/^(\d+) 0 obj\n<<\/Type\/Annot\/Subtype\/Watermark\/Rect\[(.*?)\]\/F 708\/AP<<\/N (\d+) 0 R>>>>/gm),
    ([, num, rect, appearance]) => ({ num, rect, appearance }),
  );
  const lists = Array.from(output.matchAll(/\/Annots ?(\[.*\])>>$/gm), ([, list]) => list!);
  return { notices: plan.notices, shown, lists };
}

const withAnnotations = (annots: string, more: Bodies = {}) =>
  file(onePage(`${BOX}/Contents 4 0 R/Annots ${annots}`, { 6: FORM, ...more }));

it.each<[string, string, Bodies?]>([
  ["an array in the page", `[${STAMP}]`],
  ["references in an array in the page", "[7 0 R]", { 7: STAMP }],
  ["an array that is an object", "7 0 R", { 7: "[8 0 R]", 8: STAMP }],
])("the output repeats the mark above an opaque annotation listed by %s", async (_, annots, more) => {
  const { notices, shown, lists } = await marked(withAnnotations(annots, more));
  expect(notices).toEqual([]);
  expect(shown.map(({ rect }) => rect)).toEqual(["120 170 180 230"]);
  expect(lists).toEqual([expect.stringMatching(new RegExp(` ${shown[0]!.num} 0 R\\]$`))]);
  expect(lists[0]).toContain(more ? `[${more[8] ? 8 : 7} 0 R ` : STAMP);
});

it.each<[number, string, string]>([
  [90, "100 100 180 170", "110 170 170 240"],
  [180, "180 50 280 170", "120 170 180 230"],
  [270, "180 150 240 230", "110 170 180 230"],
])("the output repeats the mark above a stamp that does not turn with a page turned by %i degrees", async (...row) => {
  const [rotate, rect, window] = row;
  const stamp = annotation(rect, "/Subtype/Stamp/F 16");
  const { shown } = await marked(withAnnotations(`[${stamp}]/Rotate ${rotate}`));
  expect(shown.map((annotation) => annotation.rect)).toContain(window);
});

it.each([
  "/Subtype/Square/IC[1 .9 .6]",
  "/Subtype/Circle/IC[1]",
  "/Subtype/Polygon/IC[0 0 0 1]/Vertices[100 150 200 150 200 250 100 250]",
  "/Subtype/FreeText/C[1]",
  "/Subtype/Line/BS<</W 100>>/L[100 200 200 200]",
])("the output repeats the mark above an annotation %s without an appearance", async (entries) => {
  const { notices, shown } = await marked(withAnnotations(`[<<${entries}/Rect[100 150 200 250]>>]`));
  expect(notices).toEqual([]);
  expect(shown.map(({ rect }) => rect)).toEqual(["120 170 180 230"]);
});

it.each(["/Subtype/Square/C[1]", "/Subtype/Square/IC[]", "/Subtype/Square/IC[1]/CA .5", "/Subtype/FreeText/IC[1]"])(
  "the output does not repeat the mark above an annotation %s without an appearance",
  async (entries) => {
    const { notices, shown } = await marked(withAnnotations(`[<<${entries}/Rect[100 150 200 250]>>]`));
    expect([notices, shown]).toEqual([[], []]);
  },
);

it("the output repeats the mark above an opaque pop-up", async () => {
  const { shown } = await marked(withAnnotations(`[${annotation("100 150 200 250", "/Subtype/Popup")}]`));
  expect(shown).toHaveLength(1);
});

it("the annotation that repeats the mark is as large as the covered part of the mark", async () => {
  const { shown } = await marked(withAnnotations(`[${annotation("0 0 150 200")}]`));
  expect(shown.map(({ rect }) => rect)).toEqual(["120 170 150 200"]);
});

it("annotations that repeat the mark share an appearance, but each page has its own /Annots list", async () => {
  const page = `<</Type/Page/Parent 2 0 R${BOX}/Contents 4 0 R/Annots 7 0 R>>`;
  const bodies = { 2: "<</Type/Pages/Count 2/Kids[3 0 R 9 0 R]>>", 3: page, 9: page, 6: FORM, 7: "[8 0 R]", 8: STAMP };
  const { shown, lists } = await marked(file(onePage("", bodies)));
  expect(new Set(shown.map(({ appearance }) => appearance)).size).toBe(1);
  expect(lists).toEqual(shown.map(({ num }) => `[8 0 R ${num} 0 R]`));
  expect(new Set(lists).size).toBe(2);
});

it("each copy of a page that is listed twice gets its own annotation that repeats the mark", async () => {
  const bodies = { 2: "<</Type/Pages/Count 2/Kids[3 0 R 3 0 R]>>" };
  const { lists } = await marked(withAnnotations("[7 0 R]", { ...bodies, 7: STAMP }));
  expect(new Set(lists.filter((list) => /^\[7 0 R \d+ 0 R\]$/.test(list))).size).toBe(2);
});

it("the output repeats the mark above at most 32 opaque annotations per page", async () => {
  const stamps = Array.from({ length: 48 }, (_, index) => {
    const [x, y] = [120 + 7.5 * (index % 8), 170 + 10 * Math.floor(index / 8)];
    return annotation(`${x} ${y} ${x + 7.5} ${y + 10}`);
  });
  const { notices, shown } = await marked(withAnnotations(`[${stamps.join("")}]`));
  expect(shown).toHaveLength(32);
  expect(notices).toEqual([COVERED]);
});

it.each<[string, string, Bodies?]>([
  ["a field", `[${annotation("100 150 200 250", "/Subtype/Widget")}]`],
  ["a link that is opaque", `[${annotation("100 150 200 250", "/Subtype/Link")}]`],
  ["a stamp with a link", `[${STAMP}<</Subtype/Link/Rect[130 180 140 190]>>]`],
  ["a stamp with a field", `[${STAMP}<</Subtype/Widget/Rect[130 180 140 190]>>]`],
  ["a stamp that is a direct object in an indirect array", "7 0 R", { 7: `[${STAMP}]` }],
])("the output does not repeat the mark in an annotation above %s", async (_, annots, more) => {
  const { notices, shown } = await marked(withAnnotations(annots, more));
  expect(shown).toEqual([]);
  expect(notices).toEqual([COVERED]);
});

it("the output repeats the mark above a stamp annotation if a link on the stamp lies beside the mark", async () => {
  const { shown } = await marked(withAnnotations(`[${STAMP}<</Subtype/Link/Rect[100 150 110 160]>>]`));
  expect(shown).toHaveLength(1);
});

it("the output does not repeat the mark in an annotation on a page with more than 1,000 annotations", async () => {
  const links = "<</Subtype/Link/Rect[0 0 10 10]>>".repeat(1000);
  expect((await marked(withAnnotations(`[${STAMP}${links}]`))).notices).toEqual([COVERED]);
  expect((await marked(withAnnotations(`[${STAMP}${links.slice(33)}]`))).notices).toEqual([]);
});

const UA = xmp('pdfuaid:part="1"', 'xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"');
const CLAIMED = { 9: { dict: "/Type/Metadata/Subtype/XML", data: UA } };
const catalog = (entries: string) => `<</Type/Catalog/Pages 2 0 R/Metadata 9 0 R${entries}>>`;
const ON_PAGE = onePage(`${BOX}/Contents 4 0 R/Annots[${STAMP}]`, { 6: FORM });

it.each<[string, Uint8Array]>([
  ["PDF/UA", file({ ...ON_PAGE, 1: catalog("/MarkInfo<</Marked true>>"), ...CLAIMED })],
  [
    "PDF/X",
    new FileBuilder()
      .objects({ ...ON_PAGE, 9: "<</GTS_PDFXVersion(PDF/X-4)>>" })
      .table({ trailer: "/Root 1 0 R/Info 9 0 R" })
      .bytes(),
  ],
  ["PDF/A-1", archive({ part: 1, intent: 3, more: { 3: ON_PAGE[3]!.toString().replace("6 0 R", "8 0 R"), 8: FORM } })],
])("the output does not repeat the mark in an annotation of a file that claims %s", async (_, source) => {
  const { notices, shown } = await marked(source);
  expect(shown).toEqual([]);
  expect(notices).toContain(COVERED);
});

it("adds no annotation that repeats the mark if the layer is `under`", async () => {
  const { notices, shown } = await marked(withAnnotations(`[${STAMP}]`), { ...MARK, layer: "under" });
  expect(shown).toEqual([]);
  expect(notices).toEqual([COVERED]);
});

it("the output repeats the mark in an annotation of a tagged file and of a PDF/A-2 file", async () => {
  const tagged = file({ ...ON_PAGE, 1: "<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>>>" });
  const archived = { 3: ON_PAGE[3]!.toString().replace("6 0 R", "8 0 R"), 8: FORM };
  for (const source of [tagged, archive({ part: 2, intent: 3, more: archived })]) {
    const { notices, shown } = await marked(source);
    expect(notices).toEqual([]);
    expect(shown).toHaveLength(1);
  }
});

it.each<[string, number, boolean, string]>([
  ["adds annotations to an encrypted file", -4, true, ""],
  ["adds no annotations if the permissions forbid them", -4 & ~32, false, ""],
  ["adds no annotations to an encrypted file that may be PDF/UA", -4, false, "/MarkInfo<</Marked true>>"],
])("%s", async (_, permissions, isShown, entries) => {
  const vector = VECTORS.find(({ name }) => name === "an empty user password, revision 6")!;
  const [id, changed] = [vector.id, { ...vector, dict: { ...vector.dict, p: permissions, perms: "00" } }];
  const cipher = openCipher(encryptDictionary(vector), bytesOfHex(id), undefined);
  const data = cipher.encryptStream(6, 0, Buffer.from(FILL));
  const source = new FileBuilder()
    .objects({
      ...onePage(`${BOX}/Annots[${STAMP}]`, { 6: { ...FORM, data }, 9: encryptText(changed as typeof vector) }),
      1: `<</Type/Catalog/Pages 2 0 R${entries}>>`,
    })
    .table({ trailer: `/Root 1 0 R/Encrypt 9 0 R/ID[<${id}><${id}>]` })
    .bytes();
  const { notices, shown } = await marked(source);
  expect(shown).toHaveLength(isShown ? 1 : 0);
  expect(notices).toEqual(isShown ? [] : [COVERED]);
});
