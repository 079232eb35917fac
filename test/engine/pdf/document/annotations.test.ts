/**
 * Tests marks that form fields cover. Readers draw fields above all other annotations, so no annotation can show the
 * mark above a field.
 */
import { expect, it } from "vitest";
import { watermark } from "../../../../src/engine/index.ts";
import { MAGENTA } from "../../../support/stamp.ts";
import { type Bodies, file, onePage } from "../fixture.ts";

const BOX = "/MediaBox[0 0 300 400]";
const RECT = "/Rect[100 150 200 250]";
const FILL = "1 1 1 rg 0 0 100 100 re f";
const FORM = "/Subtype/Form/BBox[0 0 100 100]";
const STATES = "/AP<</N<</On 6 0 R>>>>";
const USES = "/Resources<</XObject<</I 7 0 R>>>>";
const FIELD = `<</Subtype/Widget${RECT}/AP<</N 6 0 R>>>>`;

/** Marks a page that has these annotations in its middle, and returns the notices. */
async function noticesOf(annotations: string, appearance: string, entries = "", others: Bodies = {}) {
  const page = onePage(`${BOX}/Contents 4 0 R/Annots ${annotations}`, {
    6: { dict: `${FORM}${entries}`, data: appearance },
    ...others,
  });
  return (await watermark(file(page), { image: MAGENTA, position: "center", scale: 0.2, opacity: 1 })).notices;
}

it.each<[string, string, string, string?, Bodies?]>([
  ["a field that is filled", `[${FIELD}]`, FILL],
  ["a field behind references", "7 0 R", FILL, "", { 7: "[8 0 R]", 8: FIELD }],
  ["a field in the state behind a reference", `[<</Subtype/Widget${RECT}/AS 7 0 R${STATES}>>]`, FILL, "", { 7: "/On" }],
  ["a field with a single state", `[<</Subtype/Widget${RECT}${STATES}>>]`, FILL],
  ["a field that is printed only", `[${FIELD.replace("/Rect", "/F 36/Rect")}]`, FILL],
  ["a field in its state", `[<</Subtype/Widget${RECT}/AS/On${STATES}>>]`, FILL],
  ["an image", `[${FIELD}]`, "q 100 0 0 100 0 0 cm /I Do Q", USES, { 7: { dict: "/Subtype/Image", data: "" } }],
  [
    "a turned image",
    `[${FIELD}]`,
    "q 0 100 -100 0 100 0 cm /I Do Q",
    USES,
    { 7: { dict: "/Subtype/Image", data: "" } },
  ],
  ["a nested form", `[${FIELD}]`, "q 1 0 0 1 0 0 cm /I Do Q", USES, { 7: { dict: FORM, data: FILL } }],
  ["a path of lines", `[${FIELD}]`, "0 0 m 100 0 l 100 100 l 0 100 l h f"],
  [
    "a rectangle with rounded corners",
    `[${FIELD}]`,
    "9 0 m 91 0 l 96 0 100 4 100 9 c 100 91 l 100 96 96 100 91 100 c 9 100 l 4 100 0 96 0 91 c 0 9 l 0 4 4 0 9 0 c b",
  ],
  ["a scaled rectangle", `[${FIELD}]`, "100 0 0 100 0 0 cm 0 0 1 1 re f"],
  ["a rectangle that is colored late", `[${FIELD}]`, "0 0 100 100 re 1 g f"],
  ["two halves", `[${FIELD}]`, "0 0 100 50 re f 0 50 100 50 re f"],
  ["a shading", `[${FIELD}]`, "/S sh"],
  ["a filled clipping path", `[${FIELD}]`, "0 0 100 100 re W f"],
  ["an area before a comment", `[${FIELD}]`, `${FILL} %${"x".repeat(70_000)}`],
  ["an area before transparency", `[${FIELD}]`, `${FILL} /G gs`, "/Resources<</ExtGState<</G<</ca .5>>>>>>"],
])("the notice mark-covered names a page on which %s covers the mark", async (_, ...page) => {
  expect(await noticesOf(...page)).toEqual(['mark-covered;pages="1"']);
});

const NEEDED = { 1: "<</Type/Catalog/Pages 2 0 R/AcroForm<</NeedAppearances true>>>>" };

it.each<[string, string, Bodies?]>([
  ["a field with a background", "/Subtype/Widget/MK<</BG[1 .9 .6]>>"],
  ["a field whose appearance readers replace", "/Subtype/Widget/MK<</BG[1]>>/AP<</N 6 0 R>>", NEEDED],
  ["a link with a thick border", "/Subtype/Link/Border[0 0 400]"],
  ["a link whose border has a thick style", "/Subtype/Link/BS 7 0 R", { 7: "<</W 60>>" }],
])(
  "the notice mark-covered names a page on which %s without an appearance covers the mark",
  async (_, entries, others) => {
    expect(await noticesOf(`[<<${entries}${RECT}>>]`, "", "", others)).toEqual(['mark-covered;pages="1"']);
  },
);

it.each<[string, string]>([
  ["a field without a background", "/Subtype/Widget/MK<</BG[]>>"],
  ["a field with its own appearance", "/Subtype/Widget/MK<</BG[1]>>/AP<</N 6 0 R>>"],
  ["a link with a thin border", "/Subtype/Link/Border[0 0 2]"],
  ["a link with a border of an invalid width", "/Subtype/Link/Border[0 0 /W]"],
  ["a transparent link with a border", "/Subtype/Link/Border[0 0 400]/CA .5"],
])("the notice mark-covered does not name a page that has %s", async (_, entries) => {
  expect(await noticesOf(`[<<${entries}${RECT}>>]`, "")).toEqual([]);
});

it.each<[string, string, string, string?, Bodies?]>([
  ["a field elsewhere", `[${FIELD.replace(RECT, "/Rect[0 0 50 50]")}]`, FILL],
  ["a hidden field", `[${FIELD.replace("/Rect", "/F 2/Rect")}]`, FILL],
  ["a field that is not viewed", `[${FIELD.replace("/Rect", "/F 32/Rect")}]`, FILL],
  ["a field that is off", `[<</Subtype/Widget${RECT}/AS/Off${STATES}>>]`, FILL],
  ["a field with flags behind a reference", `[${FIELD.replace("/Rect", "/F 7 0 R/Rect")}]`, FILL, "", { 7: "2" }],
  ["a field that is filled in part", `[${FIELD}]`, "0 0 50 100 re f"],
  [
    "a field with a circle",
    `[${FIELD}]`,
    "50 0 m 78 0 100 22 100 50 c 100 78 78 100 50 100 c 22 100 0 78 0 50 c 0 22 22 0 50 0 c f",
  ],
  ["a field with an outline only", `[${FIELD}]`, "0 0 100 100 re S"],
  ["a transparent field", `[${FIELD}]`, `/G gs ${FILL}`, "/Resources<</ExtGState<</G<</ca .5>>>>>>"],
  [
    "an image with a mask",
    `[${FIELD}]`,
    "q 100 0 0 100 0 0 cm /I Do Q",
    USES,
    { 7: { dict: "/Subtype/Image/SMask 8 0 R", data: "" } },
  ],
  ["a nested form of optional content", `[${FIELD}]`, "/I Do", USES, { 7: { dict: `${FORM}/OC 8 0 R`, data: FILL } }],
  ["an appearance of optional content", `[${FIELD}]`, FILL, "/OC 8 0 R"],
  ["a form that draws itself", `[${FIELD}]`, "/I Do /I Do", USES.replace("7", "6")],
  ["an appearance that is an image", `[${FIELD}]`, "", "/Subtype/Image"],
  ["a link", `[<</Subtype/Link${RECT}>>]`, FILL],
  ["values that are not annotations", "[null 5 9 0 R(x)]", FILL],
  ["an unreadable appearance", `[${FIELD}]`, "(", "/Filter/FlateDecode"],
  ["an area after 8 KB of an appearance", `[${FIELD}]`, `%${"x".repeat(8 << 10)}\n${FILL}`],
])("the notice mark-covered does not name a page that has %s", async (_, ...page) => {
  expect(await noticesOf(...page)).toEqual([]);
});
