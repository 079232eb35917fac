/** Irregular files that tests build in code. After marking, all readers show the mark on each page of these files. */
import { deflateSync } from "node:zlib";
import { encode } from "../../support/bytes.ts";
import { type Bodies, FileBuilder, file, onePage } from "./fixture.ts";

const BOX = "/MediaBox[0 0 300 400]";
const SHARED = `${BOX}/Contents 4 0 R/Resources 5 0 R`;
const PAGE = `<</Type/Page${BOX}>>`;
const TREE = "<</Type/Pages/Count 2/Kids[3 0 R 6 0 R]>>";

const ROOT = "/Root 1 0 R";
/** A stream whose data contain the objects of another document. Readers that scan the file may find these objects. */
const ATTACHMENT = {
  dict: "/Type/EmbeddedFile",
  data: `1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 1/Kids[3 0 R]>>\nendobj\n3 0 obj\n${PAGE}\nendobj\n`,
};

/**
 * Returns a file without a cross-reference, which readers must scan for objects. The last of `trailers` is the newest.
 */
function scanned(bodies: Bodies, ...trailers: string[]): Uint8Array {
  const { text } = new FileBuilder().objects(bodies);
  return encode(text + trailers.map((trailer) => `trailer\n<<${trailer}>>\n`).join(""));
}

/**
 * Files with irregular resources, encryption and streams. Each row has a description, the number of pages and the file.
 */
export const IRREGULAR_FILES: [string, number, Uint8Array][] = [
  [
    "a reference to a missing object, and a document in an attachment",
    1,
    file(onePage(`${BOX}/Contents 4 0 R/Annots[9 0 R]/AA 11 0 R`, { 5: ATTACHMENT })),
  ],
  [
    "a /Type by another generation, and a document in an attachment",
    1,
    file({ ...onePage(BOX, { 5: ATTACHMENT, 6: "/Page" }), 3: `<</Type 6 5 R/Parent 2 0 R${BOX}/Contents 4 0 R>>` }),
  ],
  [
    "references to missing objects behind the last one",
    1,
    file(onePage(`${SHARED}/Metadata 7 0 R`, { 5: "<</XObject<</A 6 0 R/B 8 0 R/C 9 0 R>>>>" })),
  ],
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
  [
    "a page in place of the tree, in a scanned file",
    1,
    scanned(onePage(BOX, { 1: "<</Type/Catalog/Pages 3 0 R>>" }), ROOT),
  ],
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
  ...["/Nothing", "[4 0 R]", "[/FlateDecode/Nothing]", "[/Nothing/FlateDecode]", "/DCTDecode", "7"].map(
    (filter): [string, number, Uint8Array] => [
      `unreadable content with the filter ${filter}`,
      1,
      file(onePage(`${BOX}/Contents 4 0 R`, { 4: { dict: `/Filter ${filter}`, data: "Do ".repeat(150) } })),
    ],
  ),
  ...[
    ["/ExtGState<<>>", "/None gs "],
    ["/ExtGState null", "/None gs "],
    ["/ExtGState<</A<<>>>>/ExtGState<<>>", "/None gs "],
    ["/ExtGState<<>>/ExtGState<</A<<>>>>", "/None gs "],
    ["/ColorSpace<</DefaultRGB[/CalRGB<</WhitePoint[1 1 1]>>]>>", "/None cs 1 sc "],
  ].map(([category, use]): [string, number, Uint8Array] => [
    `many uses of resources that ${category} lacks`,
    1,
    file(onePage(`${BOX}/Contents 4 0 R/Resources<<${category}>>`, { 4: { data: `0 g ${use!.repeat(150)}` } })),
  ]),
  [
    "content with the filter /BrotliDecode",
    1,
    file(onePage(`${BOX}/Contents 4 0 R`, { 4: { dict: "/Filter/BrotliDecode", data: "\x0b\x01\x800 g \x03" } })),
  ],
  [
    "content with a wrong Flate header",
    1,
    file(
      onePage(`${BOX}/Contents 4 0 R`, {
        4: { dict: "/Filter/FlateDecode", data: `xx${deflateSync("0 g 9 9 9 9 re f").toString("latin1").slice(2)}` },
      }),
    ),
  ],
  ...[
    ["hexadecimal content without an end mark", "ASCIIHexDecode", "302067"],
    ["hexadecimal content with other characters", "ASCIIHexDecode", "302x067>"],
    ["ASCII85 content without an end mark", "ASCII85Decode", "0Hb!"],
    ["ASCII85 content with other characters", "ASCII85Decode", "0H{}b!~>"],
    ["truncated runs as content", "RunLengthDecode", "\x090 g"],
  ].map(([name, filter, data]): [string, number, Uint8Array] => [
    name!,
    1,
    file(onePage(`${BOX}/Contents 4 0 R`, { 4: { dict: `/Filter/${filter}`, data: data! } })),
  ]),
  ...[
    "<</Length 3/A[>>",
    "<</A[/Length 3>>",
    "<</Length 3/A]>>",
    "<</Length 3/A<zz>>",
    "<</Length 3>",
    "<</Length 3",
  ].map((dictionary): [string, number, Uint8Array] => [
    `content with the dictionary ${dictionary}`,
    1,
    file(onePage(`${BOX}/Contents 4 0 R`, { 4: `${dictionary}\nstream\n0 g\nendstream` })),
  ]),
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
    scanned(
      {
        ...Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [i + 10, "<</Length 0>>\nstream\n0 g"])),
        ...onePage(BOX),
      },
      ROOT,
    ),
  ],
  ...["<</A[>>", "<</A]>>", "<</A<<>>", "<</A<zz>>", "[1 2"].flatMap((value): [string, number, Uint8Array][] => [
    [
      `graphics states that are ${value}, in a scanned file`,
      1,
      scanned(onePage(`${BOX}/Contents 4 0 R/Resources<</ExtGState 5 0 R>>`, { 4: { data: "/G gs" }, 5: value }), ROOT),
    ],
    [
      `annotations that are ${value}, in a scanned file`,
      1,
      scanned(onePage(`${BOX}/Annots 5 0 R`, { 5: value }), ROOT),
    ],
  ]),
  ...["<<>>", "(x)", "6 0 R"].flatMap((value): [string, number, Uint8Array][] => [
    [`annotations that are ${value}`, 1, file(onePage(`${BOX}/Annots ${value}`, { 6: "7" }))],
    [`a reference to annotations that are ${value}`, 1, file(onePage(`${BOX}/Annots 5 0 R`, { 5: value, 6: "7" }))],
  ]),
  [
    "a page behind data without endstream",
    2,
    scanned(onePage(BOX, { 2: TREE, 5: "<</Length 99>>\nstreamndstream", 6: PAGE }), ROOT),
  ],
  [
    "a page behind an endobj in data of a wrong length",
    2,
    scanned(
      onePage(BOX, {
        2: TREE,
        5: `<</Length 3>>\nstream\n0 g 1\nendobj\n6 0 obj\n${PAGE}\nendobj\n7 0 obj\n<<>>\nstream\n0 g\nendstream`,
      }),
      ROOT,
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
];

/**
 * Irregular page trees. Each row has a description, the number of pages, and the objects that replace those of a file
 * with one page.
 */
export const IRREGULAR_TREES: [string, number, Bodies][] = [
  [
    "a page in two nodes with other resources and boxes",
    2,
    {
      2: "<</Type/Pages/Count 2/Kids[5 0 R 6 0 R]>>",
      3: "<</Type/Page/Parent 5 0 R/Contents 4 0 R>>",
      5: `<</Type/Pages/Parent 2 0 R/Count 1/Kids[3 0 R]${BOX}/Resources<<>>>>`,
      6: `<</Type/Pages/Parent 2 0 R/Count 1/Kids[3 0 R]${BOX}/CropBox[0 0 50 50]/Resources<</Font<<>>>>>>`,
    },
  ],
  [
    "an array of kids that two nodes share",
    2,
    {
      2: "<</Type/Pages/Count 2/Kids[5 0 R 6 0 R]>>",
      3: "<</Type/Page/Parent 6 0 R/Contents 4 0 R>>",
      5: `<</Type/Pages/Parent 2 0 R/Count 1/Kids 7 0 R${BOX}/Resources<<>>>>`,
      6: `<</Type/Pages/Parent 2 0 R/Count 1/Kids 7 0 R${BOX}/Resources<</Font<<>>>>>>`,
      7: "[3 0 R]",
    },
  ],
  ["a node that is listed twice", 2, { 2: "<</Type/Pages/Count 2/Kids[5 0 R 5 0 R]>>", 5: `<</Kids[3 0 R]${BOX}>>` }],
  [
    "a node within an array of kids",
    1,
    { 2: `<</Type/Pages/Count 1/Kids[<</Type/Pages/Count 1/Kids[3 0 R]${BOX}/Resources<<>>>>]>>` },
  ],
  ["a page within an array of kids", 1, { 2: `<</Type/Pages/Count 1/Kids[<</Type/Page${BOX}/Contents 4 0 R>>]>>` }],
  ["a page in place of the tree", 1, { 1: "<</Type/Catalog/Pages 3 0 R>>" }],
  ["a tree within the catalog", 1, { 1: `<</Type/Catalog/Pages<</Type/Pages/Count 1/Kids[3 0 R]${BOX}>>>>` }],
];

/** Returns a file with an irregular page tree. */
export const withTree = (bodies: Bodies) => file({ ...onePage(), 4: { data: "0.5 g 10 10 100 100 re f" }, ...bodies });

/** Malformed page contents. Each row has a description and the content. */
export const MALFORMED_CONTENTS: [string, string][] = [
  ["an operator that lacks a name", "36 Tf"],
  ["an operator without operands", "re"],
  ["many operators without operands", "l ".repeat(12)],
  ["many unknown operators", "foo ".repeat(101)],
  ["many saved states with an empty clip", `${"q ".repeat(31)}0 0 0 0 re W n`],
  ["many states too many restored", "Q ".repeat(60)],
  ["hidden content that is left open", "/OC /Hidden BDC ".repeat(5)],
  ["a string that is left open", "(abc"],
  ["an array and a dictionary that are left open", "[<</A["],
  ["an inline image without data", "BI /W 9 /H 9 /BPC 8 /CS /RGB ID "],
  ["text that is left open", "BT /F1 9 Tf"],
  ["image data without an image", "ID"],
  ["the size of a glyph", "9 0 0 0 9 9 d1"],
  ["a dictionary as an operand", "BT /F1 <</A 1>> Tf"],
  ["many graphics states without /ExtGState", "/None gs ".repeat(150)],
  ["many color spaces without /ColorSpace", "/None cs 1 sc ".repeat(150)],
  ["many resources of two missing categories", "/None gs /None cs 1 sc ".repeat(55)],
];

/** Returns the objects of a file whose page has this malformed content. */
export function withContent(content: string): Bodies {
  const resources = "/Resources<</Properties<</Hidden 9 0 R>>>>";
  return onePage(`${BOX}/Contents 4 0 R${resources}`, { 4: { data: `0 g ${content}` }, 9: "<</Type/OCG>>" });
}

export const CATALOG = "<</Type/Catalog/Pages 2 0 R>>";
export const CONTENTS = { 4: { data: "0 0 1 rg 20 20 60 40 re f" } };

/** Returns a page dictionary of this width. */
export const page = (width: number) => `<</Type/Page/MediaBox[0 0 ${width} 400]/Contents 4 0 R>>`;

/** Returns a page-tree node with these objects as kids. */
export const node = (...kids: number[]) =>
  `<</Type/Pages/Count ${kids.length}/Kids[${kids.map((num) => `${num} 0 R`).join(" ")}]>>`;

/**
 * Returns a file without a cross-reference. All its pages share one content stream, and the last trailer is the newest.
 */
export const scannedPages = (bodies: Bodies, ...trailers: string[]) => scanned({ ...CONTENTS, ...bodies }, ...trailers);

/** Returns a file with two pages, followed by the objects of later revisions. */
function redefined(...updates: Bodies[]): Uint8Array {
  const builder = new FileBuilder().objects({ ...CONTENTS, 1: CATALOG, 2: node(3, 5), 3: page(300), 5: page(310) });
  for (const update of updates) builder.objects(update);
  return encode(`${builder.text}trailer\n<</Root 1 0 R>>\n`);
}

const REPAIRED = ["source-repaired"];
const INCOMPLETE = ["source-repaired", "pages-missing"];

/**
 * Files with several page trees. Each row has a description, the file, the widths of the output's pages, and the
 * notices.
 */
export const SCANNED_TREES: [string, Uint8Array, number[], string[]][] = [
  ["one tree", scannedPages({ 1: CATALOG, 2: node(3), 3: page(300) }, "/Root 1 0 R"), [300], REPAIRED],
  [
    "a newer tree that lost a kid",
    scannedPages(
      { 1: CATALOG, 2: node(3, 5), 3: page(300), 5: page(310), 6: "<</Type/Catalog/Pages 7 0 R>>", 7: node(9, 5) },
      "/Root 1 0 R",
      "/Root 6 0 R",
    ),
    [300, 310],
    REPAIRED,
  ],
  [
    "a newer tree that lost a kid, and a catalog that no trailer names",
    scannedPages(
      { 1: CATALOG, 2: node(9, 5), 3: page(300), 5: page(310), 6: "<</Type/Catalog/Pages 7 0 R>>", 7: node(3, 5) },
      "/Root 1 0 R",
    ),
    [300, 310],
    REPAIRED,
  ],
  ["a tree before its root was redefined", redefined({ 2: node(9, 5) }), [300, 310], REPAIRED],
  [
    "a tree before the catalog was redefined, with its own definitions of pages",
    redefined({ 1: "<</Type/Catalog/Pages 7 0 R>>", 3: page(320), 7: node(9, 5) }),
    [300, 310],
    REPAIRED,
  ],
  [
    "a tree before its root was redefined, which lost more pages",
    redefined({ 2: node(8, 9, 5, 3, 5) }),
    [310, 300, 310],
    INCOMPLETE,
  ],
  ["a tree whose root was redefined as complete", redefined({ 2: node(5) }), [310], INCOMPLETE],
  ["a tree before its root was redefined twice", redefined({ 2: node(8, 5) }, { 2: node(9, 5) }), [300, 310], REPAIRED],
  ["a tree whose root was redefined twice as complete", redefined({ 2: node(5) }, { 2: node(3) }), [300], INCOMPLETE],
  [
    "two trees with as many pages",
    scannedPages(
      { 1: CATALOG, 2: node(3), 3: page(300), 5: page(310), 6: "<</Type/Catalog/Pages 7 0 R>>", 7: node(5) },
      "/Root 1 0 R",
      "/Root 6 0 R",
    ),
    [310],
    REPAIRED,
  ],
  [
    "a tree that lost a kid",
    scannedPages({ 1: CATALOG, 2: node(9, 3), 3: page(300) }, "/Root 1 0 R"),
    [300],
    INCOMPLETE,
  ],
  [
    "a tree with a node that lists the root",
    scannedPages(
      { 1: CATALOG, 2: node(3, 5, 7), 3: page(300), 5: page(310), 6: page(320), 7: node(2, 6) },
      "/Root 1 0 R",
    ),
    [300, 310, 320],
    INCOMPLETE,
  ],
  [
    "two trees that lost kids",
    scannedPages(
      { 1: CATALOG, 2: node(3, 9, 5), 3: page(300), 5: page(310), 6: "<</Type/Catalog/Pages 7 0 R>>", 7: node(9, 5) },
      "/Root 1 0 R",
      "/Root 6 0 R",
    ),
    [300, 310],
    INCOMPLETE,
  ],
  [
    "a newer tree that cannot be read",
    scannedPages(
      { 1: CATALOG, 2: node(3), 3: page(300), 6: "<</Type/Catalog/Pages 7 0 R>>", 7: node(3, 8), 8: { data: "" } },
      "/Root 1 0 R",
      "/Root 6 0 R",
    ),
    [300],
    INCOMPLETE,
  ],
];
