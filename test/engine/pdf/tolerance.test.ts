/** The repairs and leniencies of docs/pdf-tolerance.md that no other test holds. */
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

/** How wide the pages are, or why there are none. */
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
/** A body of the page that no cross-reference names: a scan takes it where it is the last. */
const DECOY = "3 0 obj\n<</Type/Page/MediaBox[0 0 9 9]>>\nendobj\n";

/** A page that is 300 wide by the cross-reference, and 9 by a scan. */
function decoyed(bodies: Bodies = {}, head?: string): FileBuilder {
  const builder = new FileBuilder(head).objects({ ...onePage(), ...bodies });
  builder.text += DECOY;
  return builder;
}

/** The same in an object stream; `off` is how far the cross-reference stream is off with the places there. */
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

/** With a second section, which has a trailer of its own. */
function linked(builder: FileBuilder, trailer: (previous: string) => string, bodies: Bodies = { 9: "null" }) {
  const previous = /startxref\n(\d+)/.exec(builder.text)![1]!;
  const numbers = Object.keys(bodies).map(Number);
  return builder
    .objects(bodies)
    .table({ numbers, trailer: trailer(previous) })
    .bytes();
}

/** A file to scan, of so many trailers; the last one has another catalog, of a page that is 200 wide. */
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

describe("the file's own cross-reference is followed", () => {
  it.each<[string, Uint8Array]>([
    ["where nothing is wrong", plain],
    ["with two thousand bytes of junk behind the end", edit(plain, (text) => text + "\0".repeat(2000))],
    ["without %%EOF and a last end of line", edit(plain, (text) => text.replace("\n%%EOF\n", ""))],
    ["without a header", edit(plain, (text) => text.replace("%PDF", "%XYZ"))],
    ["with offsets that count from the header, not from the junk before it", edit(plain, (text) => `junk\n${text}`)],
    ["with offsets that count from the junk before the header", decoyed({}, "junk\n%PDF-1.4\n").table().bytes()],
    [
      "where startxref names the white space before it",
      edit(plain, (text) => text.replace(`\n${table}`, `\n${table - 1}`)),
    ],
    ["where its lines are one byte short", edit(plain, (text) => text.replaceAll(" n \n", " n\n"))],
    ["where its numbers are short", edit(plain, (text) => text.replace(/0{4,9}(\d+) 00000 n/g, "$1 0 n"))],
    [
      "where its first number is 1 by mistake",
      edit(plain, (text) => text.replace("xref\n0 1\n", "xref\n1 5\n").replace(/\d 1\n(\d{10} 00000 n)/g, "$1")),
    ],
    ["where it calls unused objects used, at offset 0", moved(decoyed(), 9, 0).table().bytes()],
    ["where a stream calls unused objects used, at offset 0", moved(decoyed(), 9, 0).xrefStream(6).bytes()],
    ["where /Prev is a reference", linked(decoyed().table(), (at) => `/Root 1 0 R/Prev ${at} 0 R`)],
    ["where /Prev leads back", edit(plain, (text) => text.replace("/Root", `/Prev ${table}/Root`))],
    ["where the trailer holds the catalog itself", decoyed().table(IN_TRAILER).bytes()],
    ["where it names the white space before objects", early.table().bytes()],
    ["where generations do not match", edit(plain, (text) => text.replaceAll(" 00000 n", " 00007 n"))],
    ["in a stream of fewer entries than it says", packed({ trailer: "/Root 1 0 R/Index[0 9999999]" }).bytes()],
    ["in a stream without /Size", edit(streams, (text) => text.replace("/XRef/Size", "/XRef/Sise"))],
    [
      "into an object stream whose filter is an object",
      edit(streams, (text) => text.replace("/Filter/FlateDecode", "/Filter 7 0 R      ")),
    ],
    ["into an object stream, with wrong indexes", packed({ off: 7 }).bytes()],
    ["into an object stream without /Type", edit(streams, (text) => text.replace("/ObjStm", "/Object"))],
    ["into an object stream with too large an /N", edit(streams, (text) => text.replace("/N 3", "/N 9"))],
    ["through streams of wrong /Length", edit(streams, (text) => text.replace(/\/Length \d/g, "/Length 9"))],
  ])("%s", async (_, bytes) => {
    expect(await widths(bytes)).toBe("300");
  });

  it("but for objects that are not where it says, even where no page needs them", async () => {
    const bytes = moved(new FileBuilder().objects({ ...onePage(), 9: "42" }), 9, 15)
      .table()
      .bytes();
    expect((await open(bytes)).objects.value(9)).toBe(42);
  });
});

/** The beginning of a stream whose /Length leads back, to what looks like its end. */
const BACKWARDS = "<</A(endstream)/Length -30>>stream\n";

describe("a scan", () => {
  const quoting = (length: string) => `<</Length ${length}>>\nstream\n${DECOY}endstream\n${DECOY}\nendstream`;
  const length = String(2 * DECOY.length + 10);
  const scanned = (bodies: Bodies) => new FileBuilder().objects(onePage()).objects(bodies);
  const cut = (bytes: Uint8Array) => edit(bytes, (text) => text.slice(0, text.indexOf("6 0 obj")));

  it.each<[string, Uint8Array, string]>([
    ["takes the last body", scanned({ 3: "<</Type/Page/MediaBox[0 0 9 9]>>" }).bytes(), "9"],
    ["takes a body behind the object stream", cut(streams), "9"],
    ["takes an object stream behind the body", cut(packed({ before: DECOY, behind: "" }).bytes()), "300"],
    ["takes nothing from a stream", scanned({ 5: quoting(length) }).bytes(), "300"],
    ["takes nothing from a stream of indirect length", scanned({ 5: length, 6: quoting("5 0 R") }).bytes(), "300"],
    [
      "takes nothing from a stream of wrong length",
      scanned({ 5: `<</Length 2>>\nstream\n${DECOY}\nendstream` }).bytes(),
      "300",
    ],
    [
      "takes nothing from a stream of negative length",
      scanned({ 5: `${BACKWARDS}${DECOY}\nendstream` }).bytes(),
      "300",
    ],
    ["takes a catalog that only an older trailer names", linked(scanned({}).table(), (at) => `/Prev ${at}`), "300"],
    ["takes a catalog that the trailer does not name", scanned({}).table({ trailer: "/Root 4 0 R" }).bytes(), "300"],
    [
      "takes the catalog of an older trailer",
      scanned({ 1: "<</Pages 2 0 R>>" }).table().table({ trailer: "/Root 4 0 R" }).bytes(),
      "300",
    ],
    ["takes the catalog of the newest of very many trailers", manyTrailers(1001), "200"],
    [
      "finds the page where a table claims more than it has",
      edit(file(onePage()), (text) => text.replace("xref\n0 1\n", "xref\n0 9\n")),
      "300",
    ],
    [
      "takes the place of a cross-reference whose /Encrypt leads to nothing",
      scanned({}).table({ trailer: "/Root 1 0 R/Encrypt 99 0 R" }).bytes(),
      "300",
    ],
  ])("%s", async (_, bytes, expected) => {
    expect(await widths(bytes)).toBe(expected);
  });
});

describe("a value", () => {
  it.each<[string, string, Value]>([
    ["may have several signs", "--5", -5],
    ["may have several points", "1.2.3", 1.2],
    ["may have a sign within", "12-34", 12],
    ["is null where a number has an exponent", "1e3", null],
    ["is null where a number has no digits", "-.", null],
    ["is null where it is an unknown word", "nil", null],
    ["may hold a # that begins no escape", "/A#zz#41", "A#zzA"],
    ["may have other characters among hexadecimal digits", "<4x1-4>", encode("A@")],
  ])("%s", (_, text, expected) => {
    expect(parseValue(encode(`${text} `), 0)).toEqual(expected);
  });
});

describe("an object is read", () => {
  const node = `<</Type/Pages/Count 1/Kids[3 0 R]${BOX}>>`;
  it.each<[string, Bodies]>([
    ["as the catalog, without /Type", { 1: "<</Pages 2 0 R>>" }],
    ["as the catalog, with something else where a key belongs", { 1: "<</Type/Catalog 7 (x) null/Pages 2 0 R>>" }],
    ["as the catalog, with a key that has no value", { 1: "<</Type/Catalog/Pages 2 0 R/Lang>>" }],
    ["as the catalog, closed by one bracket", { 1: "<</Type/Catalog/Pages 2 0 R>" }],
    ["as a page, with something else where a key belongs", { 3: `<<7 (x) null/Type/Page 7${BOX} 7/A 7)>>` }],
    ["as a page, opened twice", { 3: `<< <</Type/Page${BOX}>>` }],
    ["as a page, with a key that has no value", { 3: `<</Type/Page${BOX}/Contents>>` }],
    ["as a page, with a wrong parent", { 2: node, 3: "<</Type/Page/Parent 4 0 R>>" }],
    ["as a page, though it calls itself a node", { 3: `<</Type/Pages${BOX}>>` }],
    ["as a page, though it has /Kids", { 3: `<</Type/Page/Kids[]${BOX}>>` }],
    ["as a node, called something else", { 2: "<</Type/Tree/Count 1/Kids[3 0 R]>>", 3: PAGE }],
    ["as a box, behind several references", { 3: "<</Type/Page/MediaBox 5 0 R>>", 5: "6 0 R", 6: "[0 0 300 400]" }],
    ["as a box, with five numbers", { 3: "<</Type/Page/MediaBox[0 0 300 400 9]>>" }],
    ["as no box, with three numbers", { 2: node, 3: "<</Type/Page/MediaBox[0 0 9]>>" }],
    ["as no box, with a name in it", { 2: node, 3: "<</Type/Page/MediaBox[0 0 9/A]>>" }],
    ["as no box, with no area", { 2: node, 3: "<</Type/Page/MediaBox[9 9 9 9]>>" }],
  ])("%s", async (_, bodies) => {
    expect(await widths(decoyed(bodies).table().bytes())).toBe("300");
  });

  it.each<[string, Bodies, string?]>([
    ["as a page, beside kids that are not there", { 2: "<</Type/Pages/Count 3/Kids[3 0 R 9 0 R null]>>", 3: PAGE }],
    ["as a page, closed by one bracket", { 3: `<</Type/Page${BOX}>` }],
    ["as a page, not closed", { 3: `<</Type/Page${BOX}` }],
    ["as a page, with an array that is not closed", { 3: "<</Type/Page/MediaBox[0 0 300 400>>" }],
    ["as a page, with an array that is closed twice", { 3: `<</Type/Page${BOX}]/Rotate 0>>` }],
    ["as a page, with a string that is not closed", { 3: `<</Type/Page${BOX}/A(12>>` }],
    ["as a page, with a hexadecimal string that is not closed", { 3: `<</Type/Page/A<12 ${BOX}>>` }],
    ["as a page, beside kids that are not there", { 2: "<</Type/Pages/Count 3/Kids[3 0 R 9 0 R null]>>", 3: PAGE }],
    ["as a node, not closed", { 2: "<</Type/Pages/Count 1/Kids[3 0 R]" }],
    [
      "as an array of kids, without white space between them",
      { 2: "<</Count 2/Kids[3 0 R5 0 R]>>", 5: PAGE },
      "300 300",
    ],
    ["not at all where it may be a page", { 2: "<</Count 2/Kids[3 0 R 5 0 R]>>", 5: UNREADABLE }, "damaged_pdf"],
    ["only where it can be, as content", { 3: `<</Type/Page${BOX}/Contents 5 0 R>>`, 5: "<</Length 3 (" }],
  ])("%s", async (_, bodies, expected = "300") => {
    expect(await widths(file({ ...onePage(), ...bodies }))).toBe(expected);
  });
});

describe("a stream's data end", () => {
  it.each([
    ["at endstream, where /Length is wrong", "<</Length 2>>stream\nabcd\nendstream"],
    ["at endstream, where /Length leads back to one before", `${BACKWARDS}abcd\nendstream`],
    ["at endstream, where there is no /Length", "<<>>stream\nabcd\r\nendstream"],
    ["at endstream, where /Length leads to nothing", "<</Length 9 0 R>>stream\nabcd\nendstream"],
    ["at endobj, where there is no endstream", "<</Length 4>>stream\nabcd\nendobj endstream"],
    ["with the file, where there is no other end", "<</Length 9>>stream\nabcd"],
    ["as they should, after a carriage return alone", "<</Length 4>>stream\rabcd\nendstream"],
    ["as they should, after blanks behind the keyword", "<</Length 4>>stream \t\r\nabcd\nendstream"],
    ["as they should, straight after the keyword", "<</Length 4>>streamabcd\nendstream"],
  ])("%s", (_, object) => {
    const { data } = readStream(new MemorySource(encode(`1 0 obj${object}`)), 0, () => undefined);
    expect(latin1(data)).toBe("abcd");
  });
});

describe("a filter", () => {
  const [FLATE, words] = ["/Filter/FlateDecode", "abcd".repeat(9)];
  const UP = `${FLATE}/DecodeParms<</Predictor 12/Columns 4>>`;
  const zlib = deflateSync(words, { level: 0 });
  it.each<[string, string, string | Uint8Array, string]>([
    ["takes Flate data that are cut short", FLATE, zlib.subarray(0, -8), words.slice(0, -4)],
    ["takes Flate data with something behind them", FLATE, `${latin1(zlib)}\r\nx`, words],
    ["takes Flate data with a wrong checksum", FLATE, zlib.with(-1, 0), words],
    ["takes Flate data with a wrong header", FLATE, zlib.with(0, 0), words],
    ["takes hexadecimal data with other characters and no end", "/Filter/ASCIIHexDecode", "6 1\n62-63 6", "abc`"],
    ["takes ASCII85 data without an end", "/Filter/ASCII85Decode", "@:E\n_W@/", "abcda"],
    ["takes LZW data without a clear code and an end", "/Filter/LZWDecode", "\x30\x98\x8c\x60", "abc"],
    ["takes run lengths up to their end", "/Filter/RunLengthDecode", "\x02abc\xfed\x80e", "abcddd"],
    ["takes run lengths without an end", "/Filter/RL", "\xffa\x05bc", "aabc"],
    ["takes a last row that is incomplete", UP, deflateSync("\0abcd\x02\0\x01"), "abcdac"],
    ["may be abbreviated, its key too", "/F/AHx", "61626364", "abcd"],
  ])("%s", (_, entries, data, expected) => {
    const dict = parseValue(encode(`<<${entries}>>`), 0) as Dictionary;
    expect(latin1(decodeStream(dict, typeof data === "string" ? encode(data) : data, new Meter(0)))).toBe(expected);
  });
});

describe("the output", () => {
  const CONTENTS = /3 0 obj\n<<(?!.*Contents.*Contents).*\/Contents ?\[\d+ 0 R 4 0 R \d+ 0 R \d+ 0 R\]/;
  const RENEWED = /4 0 obj\n<<\/Length +3 ?>>\nstream\n0 g\nendstream/;
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
    ["keeps an object before the header", before.objects(onePage()).table().bytes(), /7 0 obj\nnull/],
    ["keeps an object on the header's line", builder(onePage(), "%PDF-1.7 ").table().bytes(), /1 0 obj\n<<\/Type\/Cat/],
    ["keeps a first object that cannot be read", broken.objects(onePage()).table().bytes(), /9 0 obj\n<<\/A/],
    ["keeps what an older section is wrong about", linked(astray.table(), linkTo), /20 20 60 40 re f/],
    [
      "keeps what an older section calls an object stream",
      linked(builder(onePage()).xrefStream(6, [[9, 4, 0]]), linkTo),
      /4 0 obj\n<<\/Length 25/,
    ],
    [
      "makes a catalog that stands in the trailer an object",
      builder(onePage()).table(IN_TRAILER).bytes(),
      /\n(\d+) 0 obj\n<<\/Type\/Cat.*>>\nendobj[\s\S]*\/Root \1 0 R/,
    ],
    ["has no generation above 65535", edit(plain, (text) => text.replaceAll(" 00000 n", " 99999 n")), /\n3 0 obj/],
    ["has the objects' own generations", edit(plain, (text) => text.replaceAll(" 00000 n", " 00007 n")), /\n3 0 obj/],
    ["names contents by their generation", file(onePage("/Contents 4 7 R")), CONTENTS],
    ["names contents in an array by their generations", file(onePage("/Contents[4 7 R]")), CONTENTS],
    ["names resources by their generation", resources("5 7 R", { 5: "<<>>" }), /3 0 obj\n.*\/Resources 5 0 R/],
    [
      "names no encryption where that leads to nothing",
      builder(onePage()).table({ trailer: "/Root 1 0 R/Encrypt 99 0 R" }).bytes(),
      /trailer\n<<(?!.*Encrypt)/,
    ],
    ["writes a node as it has been read", file({ ...onePage(), 2: NODE }), /2 0 obj\n<< ?\/Type \/Pages .*>>/],
    ["has no key without a value in a page", file(onePage(`${BOX}/Rotate`)), /3 0 obj\n<<.*300 400\] ?>>/],
    ["names contents once, the last", file(onePage("/Contents 5 0 R/Contents 4 0 R")), CONTENTS],
    ["names only streams, among values of other kinds", file(onePage("/Contents[null 4 0 R 7[4 0 R](a)]")), CONTENTS],
    ["names only streams as contents", file(onePage("/Contents[2 0 R 4 0 R 99 0 R]")), CONTENTS],
    ["names contents behind several references", file(onePage("/Contents 5 0 R", { 5: "4 0 R" })), CONTENTS],
    ["names contents whose dictionary is not closed", content("<</Length 3"), CONTENTS],
    ["gives contents the length they lack", content("<<>>\nstream\n0 g\nendstream"), RENEWED],
    ["gives contents a right length", content("<</Length 5 0 R>>\nstream\n0 g\nendstream", { 5: "99" }), RENEWED],
    ["gives contents a right length, where that is none", content("<</Length }>>\nstream\n0 g\nendstream"), RENEWED],
    ["gives contents the line's end they lack", content("<</Length 3>>\nstream0 g\nendstream"), RENEWED],
    ["gives contents a right length, where that is negative", content(`${BACKWARDS}0 g\nendstream`), /\/Length +3>>/],
    [
      "takes inherited resources for none",
      resources("99 0 R", { 2: "<</Count 1/Kids[3 0 R]/Resources<<>>>>" }),
      /2 0 obj\n.*\/Resources<<\/XObject<<\/[A-Z][a-z]{2}0[\s\S]*3 0 obj\n(?!.*Resources)/,
    ],
    [
      "adds no name twice where some references are longer than others",
      file({
        ...onePage("/Resources 5 0 R", { 5: "6 0 R", 6: "<</XObject 7 0 R>>", 7: "8 0 R", 8: "<<>>" }),
        2: "<</Count 3/Kids[3 0 R 9 0 R 10 0 R]>>",
        9: "<</Type/Page/Resources 6 0 R>>",
        10: "<</Type/Page/Resources<</XObject 8 0 R>>>>",
      }),
      /8 0 obj\n<<\/[A-Z][a-z]{2}0 \d+ 0 R>>/,
    ],
    [
      "takes resources behind several references",
      resources("5 0 R", { 5: "6 0 R", 6: "<<>>" }),
      /6 0 obj\n<<.*\/[A-Z][a-z]{2}0/,
    ],
    [
      "names resources behind several references",
      resources("5 0 R", { 5: "6 0 R", 6: "<</XObject 7 0 R>>", 7: "8 0 R", 8: "<<>>" }),
      /6 0 obj\n<<\/XObject 8 0 R>>[\s\S]*3 0 obj\n.*\/Resources 6 0 R/,
    ],
    [
      "names inherited resources behind several references",
      file(onePage("", { 2: "<</Count 1/Kids[3 0 R]/Resources 5 0 R>>", 5: "6 0 R", 6: "<<>>" })),
      /2 0 obj\n.*\/Resources 6 0 R/,
    ],
    [
      "replaces XObjects that are none",
      resources("<</XObject 99 0 R>>"),
      /\/Resources <<\/XObject<<\/[A-Z][a-z]{2}0 \d+ 0 R>>>>/,
    ],
  ])("%s", async (_, bytes, expected) => {
    expect(latin1(await stamp(bytes))).toMatch(expected);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["what is between the header and the first object", builder(onePage(), "%PDF-1.7\nleft\n").table().bytes(), /left/],
    ["an object stream with a superseded page", linked(packed(), linkTo, { 3: PAGE }), /\n5 0 obj/],
  ])("drops %s", async (_, bytes, left) => {
    expect(latin1(bytes)).toMatch(left);
    expect(latin1(await stamp(bytes))).not.toMatch(left);
  });

  it("gives contents a right length that end with the file", async () => {
    const output = latin1(await stamp(content("<</Length 9>>\nstream\n0 g")));
    const [, length, data] = /4 0 obj\n<<\/Length +(\d+)>>\nstream\n(0 g[\s\S]*?)\nendstream/.exec(output)!;
    expect(data).toHaveLength(Number(length));
  });
});

/** Made by Algorithms 2, 4 and 5 in Python: the password is empty, /O zeros, and there is no /ID. */
describe("a file that is encrypted without an /ID, and its output, are read", () => {
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
  ])("%s", async (_, entries) => {
    const trailer = `/Root 1 0 R/Encrypt<</Filter/Standard/P -4/O<${"00".repeat(32)}>${entries}>>`;
    expect(await widths(await stamp(new FileBuilder().objects(onePage()).table({ trailer }).bytes()))).toBe("300");
  });
});
