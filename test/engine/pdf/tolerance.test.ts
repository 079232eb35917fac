/** Tests those repairs of docs/compatibility-repairs.md that no other test covers. */
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/engine/index.ts";
import { decodeStream } from "../../../src/engine/pdf/objects/filters.ts";
import { readStream } from "../../../src/engine/pdf/objects/streams.ts";
import { MemorySource } from "../../../src/engine/pdf/source/byteSource.ts";
import { Meter } from "../../../src/engine/pdf/source/meter.ts";
import { type Dictionary, parseValue, type Value } from "../../../src/engine/pdf/syntax/values.ts";
import { encode } from "../../support/bytes.ts";
import { type Bodies, FileBuilder, file, latin1, onePage, open, stamp } from "./fixture.ts";

const edit = (bytes: Uint8Array, change: (text: string) => string) => encode(change(latin1(bytes)));

/** Returns the widths of the pages, or the code of the error that rejects the file. */
const widths = (bytes: Uint8Array) =>
  open(bytes).then(
    ({ pages }) => pages.map(({ box }) => box.x1 - box.x0).join(" "),
    (error) => (error instanceof EngineError ? error.code : String(error)),
  );

const CATALOG = "<</Type/Catalog/Pages 2 0 R>>";
const IN_TRAILER = { trailer: `/Root${CATALOG}` };
const PAGE = "<</Type/Page/MediaBox[0 0 300 400]>>";
const UNREADABLE = "]<</Type/Page>>";
const BOX = "/MediaBox[0 0 300 400]";
/**
 * A second definition of the page that no cross-reference lists. A scan for objects uses this definition if it is the
 * last one in the file.
 */
const DECOY = "3 0 obj\n<</Type/Page/MediaBox[0 0 9 9]>>\nendobj\n";

/**
 * Returns a file whose page is 300 wide according to the cross-reference, but 9 wide according to a scan for objects.
 */
function decoyed(bodies: Bodies = {}, head?: string): FileBuilder {
  const builder = new FileBuilder(head).objects({ ...onePage(), ...bodies });
  builder.text += DECOY;
  return builder;
}

/**
 * Returns a file whose page is in an object stream and 300 wide. `behind` follows the stream and is by default a decoy
 * page that is 9 wide. The cross-reference's member indexes are too high by `off`.
 */
function packed({ trailer = "/Root 1 0 R", off = 0, before = "", behind = DECOY } = {}): FileBuilder {
  const builder = new FileBuilder(`%PDF-1.7\n${before}`).objects({ 4: { data: "0 g" }, 7: "/FlateDecode" });
  const bodies = { 1: CATALOG, 2: "<</Type/Pages/Count 1/Kids[3 0 R]>>", 3: PAGE };
  const members = builder.objectStream(5, bodies);
  for (const member of members) member[2] += off;
  builder.text += behind;
  return builder.xrefStream(6, members, trailer);
}

function moved(builder: FileBuilder, num: number, offset: number): FileBuilder {
  builder.offsets.set(num, offset);
  return builder;
}

/** Adds a second cross-reference section with its own trailer. */
function linked(builder: FileBuilder, trailer: (previous: string) => string, bodies: Bodies = { 9: "null" }) {
  const previous = /startxref\n(\d+)/.exec(builder.text)![1]!;
  const numbers = Object.keys(bodies).map(Number);
  return builder
    .objects(bodies)
    .table({ numbers, trailer: trailer(previous) })
    .bytes();
}

/**
 * Returns a file without a cross-reference, with `count` trailers. Only the last trailer names the catalog whose page
 * is 200 wide.
 */
function manyTrailers(count: number): Uint8Array {
  const builder = new FileBuilder().objects({
    ...onePage(),
    5: "<</Type/Catalog/Pages 6 0 R>>",
    6: "<</Type/Pages/Count 1/Kids[7 0 R]>>",
    7: "<</Type/Page/Parent 6 0 R/MediaBox[0 0 200 400]>>",
  });
  builder.text += "trailer\n<</Root 1 0 R>>\n".repeat(count - 1);
  builder.text += "trailer\n<</Root 5 0 R>>\n";
  return builder.bytes();
}

const plain = decoyed().table().bytes();
const table = latin1(plain).indexOf("xref\n");
const streams = packed().bytes();
const early = decoyed();
for (const [num, at] of early.offsets) early.offsets.set(num, at - 1);

describe("openPdf, without a scan for objects", () => {
  it.each<[string, Uint8Array]>([
    ["in a well-formed file", plain],
    ["with 2,000 bytes of junk after the end", edit(plain, (text) => text + "\0".repeat(2000))],
    ["without %%EOF and a final line end", edit(plain, (text) => text.replace("\n%%EOF\n", ""))],
    ["without a header", edit(plain, (text) => text.replace("%PDF", "%XYZ"))],
    ["with junk before the header and offsets counted from the header", edit(plain, (text) => `junk\n${text}`)],
    ["with junk before the header and offsets counted from the junk", decoyed({}, "junk\n%PDF-1.4\n").table().bytes()],
    [
      "if startxref points to the white space before the section",
      edit(plain, (text) => text.replace(`\n${table}`, `\n${table - 1}`)),
    ],
    ["if the lines of a table are one byte short", edit(plain, (text) => text.replaceAll(" n \n", " n\n"))],
    [
      "if the numbers in a table lack leading zeros",
      edit(plain, (text) => text.replace(/0{4,9}(\d+) 00000 n/g, "$1 0 n")),
    ],
    [
      "if a table is numbered from 1 by mistake",
      edit(plain, (text) => text.replace("xref\n0 1\n", "xref\n1 5\n").replace(/\d 1\n(\d{10} 00000 n)/g, "$1")),
    ],
    ["if a table lists unused objects at offset 0", moved(decoyed(), 9, 0).table().bytes()],
    ["if a cross-reference stream lists unused objects at offset 0", moved(decoyed(), 9, 0).xrefStream(6).bytes()],
    ["if /Prev is a reference", linked(decoyed().table(), (at) => `/Root 1 0 R/Prev ${at} 0 R`)],
    [
      "if /Prev points to a section that was already read",
      edit(plain, (text) => text.replace("/Root", `/Prev ${table}/Root`)),
    ],
    ["if the trailer contains the catalog", decoyed().table(IN_TRAILER).bytes()],
    ["if offsets point to the white space before objects", early.table().bytes()],
    [
      "if the generations of references and objects do not match",
      edit(plain, (text) => text.replaceAll(" 00000 n", " 00007 n")),
    ],
    [
      "if a cross-reference stream has fewer entries than declared",
      packed({ trailer: "/Root 1 0 R/Index[0 9999999]" }).bytes(),
    ],
    ["if a cross-reference stream lacks /Size", edit(streams, (text) => text.replace("/XRef/Size", "/XRef/Sise"))],
    [
      "if the filter of an object stream is an indirect object",
      edit(streams, (text) => text.replace("/Filter/FlateDecode", "/Filter 7 0 R      ")),
    ],
    ["if its indexes of object-stream members are wrong", packed({ off: 7 }).bytes()],
    ["if an object stream lacks /Type", edit(streams, (text) => text.replace("/ObjStm", "/Object"))],
    ["if the /N of an object stream is too large", edit(streams, (text) => text.replace("/N 3", "/N 9"))],
    ["if streams have a wrong /Length", edit(streams, (text) => text.replace(/\/Length \d/g, "/Length 9"))],
  ])("openPdf uses the file's own cross-reference and needs no scan for objects %s", async (_, bytes) => {
    expect(await widths(bytes)).toBe("300");
  });

  it("scans a file for objects if any object is at a wrong offset, even if no page needs the object", async () => {
    const bytes = moved(new FileBuilder().objects({ ...onePage(), 9: "42" }), 9, 15)
      .table()
      .bytes();
    expect((await open(bytes)).objects.value(9)).toBe(42);
  });
});

/** The beginning of a stream whose negative /Length points back to a string that resembles the end of the stream. */
const BACKWARDS = "<</A(endstream)/Length -30>>stream\n";

describe("a scan for objects", () => {
  const quoting = (length: string) => `<</Length ${length}>>\nstream\n${DECOY}endstream\n${DECOY}\nendstream`;
  const length = String(2 * DECOY.length + 10);
  const scanned = (bodies: Bodies) => new FileBuilder().objects(onePage()).objects(bodies);
  const cut = (bytes: Uint8Array) => edit(bytes, (text) => text.slice(0, text.indexOf("6 0 obj")));

  it.each<[string, Uint8Array, string]>([
    ["uses the last definition of an object", scanned({ 3: "<</Type/Page/MediaBox[0 0 9 9]>>" }).bytes(), "9"],
    ["prefers a later definition of an object to the member of an object stream", cut(streams), "9"],
    [
      "prefers the member of a later object stream to a definition",
      cut(packed({ before: DECOY, behind: "" }).bytes()),
      "300",
    ],
    ["ignores objects in stream data", scanned({ 5: quoting(length) }).bytes(), "300"],
    [
      "ignores objects in stream data with an indirect length",
      scanned({ 5: length, 6: quoting("5 0 R") }).bytes(),
      "300",
    ],
    [
      "ignores objects in stream data with a wrong length",
      scanned({ 5: `<</Length 2>>\nstream\n${DECOY}\nendstream` }).bytes(),
      "300",
    ],
    [
      "ignores objects in stream data with a negative length",
      scanned({ 5: `${BACKWARDS}${DECOY}\nendstream` }).bytes(),
      "300",
    ],
    ["uses a catalog that only an older trailer names", linked(scanned({}).table(), (at) => `/Prev ${at}`), "300"],
    ["uses a catalog that no trailer names", scanned({}).table({ trailer: "/Root 4 0 R" }).bytes(), "300"],
    [
      "uses the catalog of an older trailer if the newest trailer names none",
      scanned({ 1: "<</Pages 2 0 R>>" }).table().table({ trailer: "/Root 4 0 R" }).bytes(),
      "300",
    ],
    ["uses the catalog of the newest of 1,001 trailers", manyTrailers(1001), "200"],
    [
      "finds the page if a table has fewer entries than declared",
      edit(file(onePage()), (text) => text.replace("xref\n0 1\n", "xref\n0 9\n")),
      "300",
    ],
    [
      "replaces a cross-reference if the object that its /Encrypt refers to is missing",
      scanned({}).table({ trailer: "/Root 1 0 R/Encrypt 99 0 R" }).bytes(),
      "300",
    ],
  ])("a scan of the file for objects %s", async (_, bytes, expected) => {
    expect(await widths(bytes)).toBe(expected);
  });
});

describe("a value", () => {
  it.each<[string, string, Value]>([
    ["with several signs", "--5", -5],
    ["with several decimal points", "1.2.3", 1.2],
    ["with a sign within a number", "12-34", 12],
    ["with an exponent as null", "1e3", null],
    ["that is a number without digits as null", "-.", null],
    ["that is an unknown keyword as null", "nil", null],
    ["that is a name with a # that begins no escape", "/A#zz#41", "A#zzA"],
    ["that is a hexadecimal string with other characters", "<4x1-4>", encode("A@")],
  ])("the parser reads a malformed value %s", (_, text, expected) => {
    expect(parseValue(encode(`${text} `), 0)).toEqual(expected);
  });
});

describe("damaged objects", () => {
  const node = `<</Type/Pages/Count 1/Kids[3 0 R]${BOX}>>`;
  it.each<[string, Bodies]>([
    ["a catalog without /Type", { 1: "<</Pages 2 0 R>>" }],
    ["garbage in place of a key in the catalog", { 1: "<</Type/Catalog 7 (x) null/Pages 2 0 R>>" }],
    ["a key without a value in the catalog", { 1: "<</Type/Catalog/Pages 2 0 R/Lang>>" }],
    ["a catalog that ends with a single bracket", { 1: "<</Type/Catalog/Pages 2 0 R>" }],
    ["garbage in place of a key in the page", { 3: `<<7 (x) null/Type/Page 7${BOX} 7/A 7)>>` }],
    ["a page whose dictionary opens twice", { 3: `<< <</Type/Page${BOX}>>` }],
    ["a key without a value in the page", { 3: `<</Type/Page${BOX}/Contents>>` }],
    ["a wrong /Parent", { 2: node, 3: "<</Type/Page/Parent 4 0 R>>" }],
    ["a page whose /Type is /Pages", { 3: `<</Type/Pages${BOX}>>` }],
    ["a page with an empty /Kids", { 3: `<</Type/Page/Kids[]${BOX}>>` }],
    ["a node whose /Type is not /Pages", { 2: "<</Type/Tree/Count 1/Kids[3 0 R]>>", 3: PAGE }],
    ["a box behind a chain of references", { 3: "<</Type/Page/MediaBox 5 0 R>>", 5: "6 0 R", 6: "[0 0 300 400]" }],
    ["a box of five numbers", { 3: "<</Type/Page/MediaBox[0 0 300 400 9]>>" }],
    ["an inherited box in place of a box of three numbers", { 2: node, 3: "<</Type/Page/MediaBox[0 0 9]>>" }],
    ["an inherited box in place of a box that contains a name", { 2: node, 3: "<</Type/Page/MediaBox[0 0 9/A]>>" }],
    ["an inherited box in place of a box without an area", { 2: node, 3: "<</Type/Page/MediaBox[9 9 9 9]>>" }],
  ])("the cross-reference leads to the page of a file with %s", async (_, bodies) => {
    expect(await widths(decoyed(bodies).table().bytes())).toBe("300");
  });

  it.each<[string, Bodies, string?]>([
    ["a page beside missing kids", { 2: "<</Type/Pages/Count 3/Kids[3 0 R 9 0 R null]>>", 3: PAGE }],
    ["a page that ends with a single bracket", { 3: `<</Type/Page${BOX}>` }],
    ["a page that is not closed", { 3: `<</Type/Page${BOX}` }],
    ["an array that is not closed", { 3: "<</Type/Page/MediaBox[0 0 300 400>>" }],
    ["an array that is closed twice", { 3: `<</Type/Page${BOX}]/Rotate 0>>` }],
    ["a string that is not closed", { 3: `<</Type/Page${BOX}/A(12>>` }],
    ["a hexadecimal string that is not closed", { 3: `<</Type/Page/A<12 ${BOX}>>` }],
    ["a page beside missing kids", { 2: "<</Type/Pages/Count 3/Kids[3 0 R 9 0 R null]>>", 3: PAGE }],
    ["a node that is not closed", { 2: "<</Type/Pages/Count 1/Kids[3 0 R]" }],
    ["kids without white space between them", { 2: "<</Count 2/Kids[3 0 R5 0 R]>>", 5: PAGE }, "300 300"],
    ["unreadable contents, which the page omits", { 3: `<</Type/Page${BOX}/Contents 5 0 R>>`, 5: "<</Length 3 (" }],
  ])("opens a one-page file with %s", async (_, bodies, expected = "300") => {
    expect(await widths(file({ ...onePage(), ...bodies }))).toBe(expected);
  });

  it("rejects a file with an unreadable page under a page-tree node without /Count", async () => {
    const bodies = { ...onePage(), 2: "<</Kids[3 0 R 5 0 R]>>", 5: UNREADABLE };
    expect(await widths(file(bodies))).toBe("damaged_pdf");
  });
});

describe("readStream", () => {
  it.each([
    ["at endstream if /Length is wrong", "<</Length 2>>stream\nabcd\nendstream"],
    ["at endstream if /Length points back to an earlier endstream", `${BACKWARDS}abcd\nendstream`],
    ["at endstream without /Length", "<<>>stream\nabcd\r\nendstream"],
    ["at endstream if /Length refers to a missing object", "<</Length 9 0 R>>stream\nabcd\nendstream"],
    ["at endobj if endstream is missing", "<</Length 4>>stream\nabcd\nendobj endstream"],
    ["at the end of the file if endstream and endobj are missing", "<</Length 9>>stream\nabcd"],
    [
      "after /Length bytes if a carriage return without line feed follows the keyword stream",
      "<</Length 4>>stream\rabcd\nendstream",
    ],
    ["after /Length bytes if blanks follow the keyword stream", "<</Length 4>>stream \t\r\nabcd\nendstream"],
    ["after /Length bytes if no line end follows the keyword stream", "<</Length 4>>streamabcd\nendstream"],
  ])("readStream ends the data of a stream %s", (_, object) => {
    const { data } = readStream(new MemorySource(encode(`1 0 obj${object}`)), 0, () => undefined);
    expect(latin1(data)).toBe("abcd");
  });
});

describe("decodeStream", () => {
  const [FLATE, words] = ["/Filter/FlateDecode", "abcd".repeat(9)];
  const UP = `${FLATE}/DecodeParms<</Predictor 12/Columns 4>>`;
  const zlib = deflateSync(words, { level: 0 });
  it.each<[string, string, string | Uint8Array, string]>([
    ["Flate data that are cut short", FLATE, zlib.subarray(0, -8), words.slice(0, -4)],
    ["Flate data with trailing bytes", FLATE, `${latin1(zlib)}\r\nx`, words],
    ["Flate data with a wrong checksum", FLATE, zlib.with(-1, 0), words],
    ["Flate data with a wrong header", FLATE, zlib.with(0, 0), words],
    [
      "hexadecimal data with other characters and without an end marker",
      "/Filter/ASCIIHexDecode",
      "6 1\n62-63 6",
      "abc`",
    ],
    ["ASCII85 data without an end marker", "/Filter/ASCII85Decode", "@:E\n_W@/", "abcda"],
    ["LZW data without a clear code and without an end code", "/Filter/LZWDecode", "\x30\x98\x8c\x60", "abc"],
    ["run-length data up to their end marker", "/Filter/RunLengthDecode", "\x02abc\xfed\x80e", "abcddd"],
    ["run-length data without an end marker", "/Filter/RL", "\xffa\x05bc", "aabc"],
    ["predictor data with an incomplete last row", UP, deflateSync("\0abcd\x02\0\x01"), "abcdac"],
    ["data of a filter with an abbreviated name", "/F/AHx", "61626364", "abcd"],
  ])("decodeStream decodes %s", (_, entries, data, expected) => {
    const dict = parseValue(encode(`<<${entries}>>`), 0) as Dictionary;
    expect(latin1(decodeStream(dict, typeof data === "string" ? encode(data) : data, new Meter(0)))).toBe(expected);
  });
});

describe("the output", () => {
  const CONTENTS = /3 0 obj\n<<(?!.*Contents.*Contents).*\/Contents ?\[\d+ 0 R 4 0 R \d+ 0 R \d+ 0 R\]/;
  const RENEWED = /4 0 obj\n<<\/Length +3 ?>>\n?stream\n0 g\nendstream/;
  const NODE = "<</Type/Pages/Count 1/Kids[3 0 R]";
  const builder = (bodies: Bodies, head?: string) => new FileBuilder(head).objects(bodies);
  const content = (body: string, more: Bodies = {}) => file(onePage("/Contents 4 0 R", { 4: body, ...more }));
  const resources = (value: string, more: Bodies = {}) => file(onePage(`/Resources ${value}`, more));
  const linkTo = (previous: string) => `/Root 1 0 R/Prev ${previous}`;
  const before = builder({ 7: "null" }, "\n");
  before.text += "%PDF-1.7\n";
  const broken = builder({ 9: "<</A" });
  const astray = builder(onePage());
  moved(astray, 9, astray.text.indexOf("20 20"));

  it.each<[string, Uint8Array, RegExp]>([
    ["retains an object before the header", before.objects(onePage()).table().bytes(), /7 0 obj\nnull/],
    [
      "retains an object on the line of the header",
      builder(onePage(), "%PDF-1.7 ").table().bytes(),
      /1 0 obj\n<<\/Type\/Cat/,
    ],
    ["retains an unreadable first object", broken.objects(onePage()).table().bytes(), /9 0 obj\n<<\/A/],
    [
      "retains an object into which a wrong offset of an older section points",
      linked(astray.table(), linkTo),
      /20 20 60 40 re f/,
    ],
    [
      "retains an object that an older section lists as an object stream",
      linked(builder(onePage()).xrefStream(6, [[9, 4, 0]]), linkTo),
      /4 0 obj\n<<\/Length 25/,
    ],
    [
      "turns a catalog in the trailer into an object",
      builder(onePage()).table(IN_TRAILER).bytes(),
      /\n(\d+) 0 obj\n<<\/Type\/Cat.*>>\nendobj[\s\S]*\/Root \1 0 R/,
    ],
    [
      "contains no generation above 65,535",
      edit(plain, (text) => text.replaceAll(" 00000 n", " 99999 n")),
      /\n3 0 obj/,
    ],
    [
      "uses the generations of the object headers",
      edit(plain, (text) => text.replaceAll(" 00000 n", " 00007 n")),
      /\n3 0 obj/,
    ],
    ["refers to contents by the generation in their header", file(onePage("/Contents 4 7 R")), CONTENTS],
    ["refers to contents in an array by the generations in their headers", file(onePage("/Contents[4 7 R]")), CONTENTS],
    [
      "refers to resources by the generation in their header",
      resources("5 7 R", { 5: "<<>>" }),
      /3 0 obj\n.*\/Resources 5 0 R/,
    ],
    [
      "has no /Encrypt if the source's /Encrypt refers to a missing object",
      builder(onePage()).table({ trailer: "/Root 1 0 R/Encrypt 99 0 R" }).bytes(),
      /trailer\n<<(?!.*Encrypt)/,
    ],
    ["drops a node that is not closed", file({ ...onePage(), 2: NODE }), /^(?![\s\S]*\n2 0 obj)/],
    ["removes a key without a value from a page", file(onePage(`${BOX}/Rotate`)), /3 0 obj\n<<(?!.*Rotate).*300 400\]/],
    ["refers only to the last of two /Contents", file(onePage("/Contents 5 0 R/Contents 4 0 R")), CONTENTS],
    ["removes direct values from an array of contents", file(onePage("/Contents[null 4 0 R 7[4 0 R](a)]")), CONTENTS],
    [
      "removes references to objects that are not streams from an array of contents",
      file(onePage("/Contents[2 0 R 4 0 R 99 0 R]")),
      CONTENTS,
    ],
    [
      "refers directly to contents behind a chain of references",
      file(onePage("/Contents 5 0 R", { 5: "4 0 R" })),
      CONTENTS,
    ],
    ["omits annotations that are no array", file(onePage("/Annots 5 0 R", { 5: "7" })), /3 0 obj\n<<(?!.*Annots)/],
    [
      "retains annotations behind a reference",
      file(onePage("/Annots 5 0 R", { 5: "6 0 R", 6: "[]" })),
      /\/Annots 5 0 R/,
    ],
    ["omits contents without data", content("<</Length 3"), /3 0 obj\n<<(?!.* 4 0 R)/],
    ["closes the dictionary of contents", content("<</Length 9\nstream\n0 g\nendstream"), RENEWED],
    ["drops a stray bracket from contents", content("<</Length 3]>>\nstream\n0 g\nendstream"), RENEWED],
    ...[
      ["a dictionary", "<</A[/B>>", /5 0 obj\n<< *\/A \[ \/B \] *>>\s*endobj/],
      [
        "a stream",
        "<</Length 1/A[>>\nstream\nx\nendstream",
        /5 0 obj\n<<\/Length 1 \/A \[ \] >>\n?stream\nx\nendstream/,
      ],
      ["an array, which becomes null,", "[1 2", /5 0 obj\nnull\nendobj/],
    ].map(([name, body, expected]): [string, Uint8Array, RegExp] => [
      `balances the brackets of ${name} in a scanned file`,
      encode(builder(onePage(`${BOX}/X 5 0 R`, { 5: body as string })).text),
      expected as RegExp,
    ]),
    ["adds a missing /Length to contents", content("<<>>\nstream\n0 g\nendstream"), RENEWED],
    ["corrects the /Length of contents", content("<</Length 5 0 R>>\nstream\n0 g\nendstream", { 5: "99" }), RENEWED],
    ["replaces a malformed /Length of contents", content("<</Length }>>\nstream\n0 g\nendstream"), RENEWED],
    ["adds a missing line end before the data of contents", content("<</Length 3>>\nstream0 g\nendstream"), RENEWED],
    ["corrects a negative /Length of contents", content(`${BACKWARDS}0 g\nendstream`), /\/Length +3>>/],
    [
      "uses inherited resources if a page's own resources are missing",
      resources("99 0 R", { 2: "<</Count 1/Kids[3 0 R]/Resources<<>>>>" }),
      /(\d+ 0) obj\n<<\/XObject<<\/[A-Z][a-z]{2}0[\s\S]*3 0 obj\n.*\/Resources \1 R(?!.*99)/,
    ],
    [
      "adds the mark's name once to resources that pages reach by different references",
      file({
        ...onePage("/Resources 5 0 R", { 5: "6 0 R", 6: "<</XObject 7 0 R>>", 7: "8 0 R", 8: "<<>>" }),
        2: "<</Count 3/Kids[3 0 R 9 0 R 10 0 R]>>",
        9: "<</Type/Page/Resources 6 0 R>>",
        10: "<</Type/Page/Resources<</XObject 8 0 R>>>>",
      }),
      /8 0 obj\n<<\/[A-Z][a-z]{2}0 \d+ 0 R>>/,
    ],
    [
      "adds the mark's name to resources behind a chain of references",
      resources("5 0 R", { 5: "6 0 R", 6: "<<>>" }),
      /6 0 obj\n<<.*\/[A-Z][a-z]{2}0/,
    ],
    [
      "refers directly to resources behind a chain of references",
      resources("5 0 R", { 5: "6 0 R", 6: "<</XObject 7 0 R>>", 7: "8 0 R", 8: "<<>>" }),
      /6 0 obj\n<<\/XObject 8 0 R>>[\s\S]*3 0 obj\n.*\/Resources 6 0 R/,
    ],
    [
      "refers directly to inherited resources behind a chain of references",
      file(onePage("", { 2: "<</Count 1/Kids[3 0 R]/Resources 5 0 R>>", 5: "6 0 R", 6: "<<>>" })),
      /3 0 obj\n.*\/Resources 6 0 R/,
    ],
    [
      "replaces a missing XObject dictionary",
      resources("<</XObject 99 0 R>>"),
      /\/Resources <<\/XObject<<\/[A-Z][a-z]{2}0 \d+ 0 R>>>>/,
    ],
  ])("the output of a file with a repairable defect %s", async (_, bytes, expected) => {
    expect(latin1(await stamp(bytes))).toMatch(expected);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["bytes between the header and the first object", builder(onePage(), "%PDF-1.7\nleft\n").table().bytes(), /left/],
    ["an object stream with a superseded page", linked(packed(), linkTo, { 3: PAGE }), /\n5 0 obj/],
  ])("the output does not retain %s", async (_, bytes, left) => {
    expect(latin1(bytes)).toMatch(left);
    expect(latin1(await stamp(bytes))).not.toMatch(left);
  });

  it("the output corrects the length of page content that ends with the file and lacks endstream", async () => {
    const output = latin1(await stamp(content("<</Length 9>>\nstream\n0 g")));
    const [, length, data] = /4 0 obj\n<<\/Length +(\d+)>>\nstream\n(0 g[\s\S]*?)\nendstream/.exec(output)!;
    expect(data).toHaveLength(Number(length));
  });
});

/**
 * The keys and hashes come from Algorithms 2, 4 and 5 (ISO 32000-2, 7.6.4). They were computed in Python for an empty
 * password, a zero /O and no /ID.
 */
describe("encryption without an /ID", () => {
  const [U2, U3] = [
    "8f7efc46fff90877b2e6d154adf4d6ef6350ba7dbf706fdab9637213e483e974",
    "88a0c6d0faa72332d59cc93e914365cc",
  ];
  const filter = (length: number) => `/V 4/R 4/StmF/S/StrF/S/CF<</S<</CFM/V2/Length ${length}>>>>/U<${U3}>`;
  it.each([
    ["with a key of 40 bits", `/V 1/R 2/U<${U2}>`],
    ["with a key of 80 bits", `/V 2/R 3/Length 80/U<${U3}>`],
    ["with a key of 80 bits, counted in bytes", `/V 2/R 3/Length 10/U<${U3}>`],
    ["with a crypt filter for keys of 80 bits", filter(80)],
    ["with a crypt filter for keys of 80 bits, counted in bytes", filter(10)],
  ])("marks a file encrypted without an /ID, %s, and opens the output", async (_, entries) => {
    const trailer = `/Root 1 0 R/Encrypt<</Filter/Standard/P -4/O<${"00".repeat(32)}>${entries}>>`;
    expect(await widths(await stamp(new FileBuilder().objects(onePage()).table({ trailer }).bytes()))).toBe("300");
  });
});
