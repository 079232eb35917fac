/** Tests which pages the engine finds in well-formed and in damaged files. */
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/engine/index.ts";
import { RangeSource } from "../../../src/engine/pdf/source/byteSource.ts";
import { encode } from "../../support/bytes.ts";
import { readerBy } from "../../support/ranges.ts";
import { type Bodies, FileBuilder, file, latin1, onePage, open, ranges, stamp } from "./fixture.ts";

const edit = (bytes: Uint8Array, change: (text: string) => string) => encode(change(latin1(bytes)));
const codeOf = async (bytes: Uint8Array, options = {}) =>
  open(bytes, options).then(
    ({ pages }) => `${pages.length} pages`,
    (error) => (error instanceof EngineError ? error.code : String(error)),
  );

const plain = file(onePage());
const pages = (kids: string, more: Bodies = {}) =>
  file({ 1: "<</Type/Catalog/Pages 2 0 R>>", 2: `<</Type/Pages/Count 2/Kids[${kids}]>>`, ...more });
const PAGE = "<</Type/Page/MediaBox[0 0 300 400]>>";

function compressed(): FileBuilder {
  const builder = new FileBuilder().objects({ 4: { data: "" } });
  const members = builder.objectStream(5, {
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    3: PAGE,
  });
  return builder.xrefStream(6, members);
}

function endingWithNumber(): Uint8Array {
  const builder = new FileBuilder().objects({ 4: { data: "" } });
  const page = "<</Type/Page/MediaBox[0 0 300 400]/Rotate 10 0 R>>";
  const members = builder.objectStream(5, {
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    3: page,
    10: "90",
  });
  return builder.xrefStream(6, members).bytes();
}

function hybrid(): Uint8Array {
  const builder = new FileBuilder().objects({ 1: "<</Type/Catalog/Pages 2 0 R>>" });
  const members = builder.objectStream(5, { 2: "<</Type/Pages/Count 1/Kids[3 0 R]>>", 3: PAGE });
  builder.xrefStream(6, members);
  return builder.table({ numbers: [1, 5], trailer: `/Root 1 0 R/XRefStm ${builder.offsets.get(6)}`, size: 7 }).bytes();
}

function updated(): Uint8Array {
  const builder = new FileBuilder().objects(onePage()).table();
  const previous = /startxref\n(\d+)/.exec(builder.text)?.[1];
  builder.objects({ 3: "<</Type/Page/MediaBox[0 0 500 600]>>" });
  return builder.table({ numbers: [3], trailer: `/Root 1 0 R/Prev ${previous}` }).bytes();
}

describe("openPdf", () => {
  it.each<[string, Uint8Array]>([
    ["by a cross-reference table", plain],
    ["by a cross-reference stream that lists the page in an object stream", compressed().bytes()],
    ["by the cross-reference stream of a hybrid file", hybrid()],
    ["if an object stream ends with a number", endingWithNumber()],
    ["after an update", updated()],
    ["behind junk before the header, with offsets counted from the header", encode(`junk\n${latin1(plain)}`)],
    ["behind junk before the header, with offsets counted from the junk", junkCounted()],
    ["if the lines of a table are one byte short", edit(plain, (text) => text.replaceAll(" n \n", " n\n"))],
    ["if startxref points nowhere", edit(plain, (text) => text.replace(/startxref\n\d+/, "startxref\n99999999"))],
    ["without startxref", edit(plain, (text) => text.replace("startxref", ""))],
    ["without any cross-reference", edit(plain, (text) => text.slice(0, text.indexOf("xref")))],
    [
      "in an object stream without any cross-reference",
      edit(compressed().bytes(), (text) => text.slice(0, text.indexOf("6 0 obj"))),
    ],
    [
      "if an offset is wrong",
      edit(plain, (text) => text.replace(/(\d{10}) 00000 n \n4 1/, "0000000031 00000 n \n4 1")),
    ],
    [
      "if the /Prev entries form a cycle",
      edit(plain, (text) => text.replace("trailer\n<<", `trailer\n<</Prev ${latin1(plain).indexOf("xref")}`)),
    ],
    ["if objects have no endobj", edit(plain, (text) => text.replaceAll("endobj\n", ""))],
    [
      "if another object begins within an object",
      edit(plain, (text) =>
        text
          .replaceAll("endobj\n", "")
          .replace("2 0 obj", "5 0 obj\n<</A 1\n2 0 obj")
          .replace("3 0 obj", ">>\n3 0 obj"),
      ),
    ],
    ["if /Size is absurd", edit(plain, (text) => text.replace("/Size 5", "/Size 99999999999"))],
    ["if the table starts at 1 by mistake", numberedFromOne()],
  ])("openPdf finds the page of a one-page file %s", async (_, bytes) => {
    expect(await codeOf(bytes)).toBe("1 pages");
  });

  it("openPdf reads only a small part of a large file with one page", async () => {
    const big = file({ ...onePage(), 5: { data: new Uint8Array(2_000_000) } });
    const asked: number[] = [];
    const source = new RangeSource(
      readerBy(big.length, async (start, end) => {
        asked.push(end - start);
        return big.slice(start, end);
      }),
    );
    const document = await open(source);
    expect(document.pages.length).toBe(1);
    expect(asked.reduce((sum, length) => sum + length, 0)).toBeLessThan(200_000);
  });

  it("openPdf finds both pages of a file read in byte ranges, even if a cross-reference offset is too large", async () => {
    const far = { 1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[4 0 R 5 0 R]>>" };
    const bytes = file({
      ...far,
      3: { data: new Uint8Array(300_000) },
      4: PAGE,
      5: PAGE,
      6: { data: new Uint8Array(300_000) },
    });
    const lost = edit(bytes, (text) => text.replace(/(\n5 1\n)\d{10}/, "$10000999999"));
    const reader = readerBy(lost.length, async (start, end) => lost.slice(start, end));
    expect((await open(new RangeSource(reader))).pages).toHaveLength(2);
  });

  it("openPdf reads several byte ranges in parallel if pages are far apart", async () => {
    const bodies: Bodies = {
      1: "<</Type/Catalog/Pages 2 0 R>>",
      2: "<</Type/Pages/Kids[10 0 R 20 0 R 30 0 R 40 0 R]>>",
    };
    for (const num of [10, 20, 30, 40]) {
      bodies[num] = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>";
      bodies[num + 1] = { data: new Uint8Array(600_000) };
    }
    const far = file(bodies);
    let [running, most, reads] = [0, 0, 0];
    const source = new RangeSource(
      readerBy(far.length, async (start, end) => {
        most = Math.max(most, ++running);
        reads++;
        await scheduler.wait(1);
        running--;
        return far.slice(start, end);
      }),
    );
    expect((await open(source)).pages).toHaveLength(4);
    expect(most).toBe(3);
    expect(reads).toBeLessThan(8);
  });

  it("openPdf reads the content streams of a page in file order, regardless of their order in /Contents", async () => {
    const numbers = Array.from({ length: 130 }, (_, index) => 10 + index);
    const order = numbers.map((_, index) => `${numbers[(37 * index) % 130]} 0 R`);
    const streams = Object.fromEntries(numbers.map((num) => [num, { data: " ".repeat(10_000) }]));
    const bytes = file(onePage(`/MediaBox[0 0 300 400]/Contents[${order.join(" ")}]`, streams));
    let reads = 0;
    const source = new RangeSource(
      readerBy(bytes.length, async (start, end) => {
        reads++;
        return bytes.slice(start, end);
      }),
    );
    await open(source);
    expect(reads).toBeLessThan(10);
  });
});

function junkCounted(): Uint8Array {
  return new FileBuilder("junk\n%PDF-1.4\n").objects(onePage()).table().bytes();
}

function numberedFromOne(): Uint8Array {
  const builder = new FileBuilder().objects(onePage());
  const offsets = [1, 2, 3, 4]
    .map((num) => `${String(builder.offsets.get(num)).padStart(10, "0")} 00000 n \n`)
    .join("");
  const at = builder.text.length;
  builder.text += `xref\n1 5\n0000000000 65535 f \n${offsets}trailer\n<</Root 1 0 R/Size 5>>\nstartxref\n${at}\n%%EOF\n`;
  return builder.bytes();
}

describe("the page-tree walk", () => {
  it.each<[string, Uint8Array, string]>([
    [
      "finds the pages of nested nodes",
      pages("3 0 R 5 0 R", { 3: "<</Type/Pages/Kids[4 0 R]>>", 4: PAGE, 5: PAGE }),
      "2 pages",
    ],
    ["ignores a node that lists itself", pages("3 0 R 2 0 R", { 3: PAGE }), "1 pages"],
    [
      "accepts a page whose /Type is not /Page",
      pages("3 0 R", { 3: "<</Type/Template/MediaBox[0 0 9 9]>>" }),
      "1 pages",
    ],
    ["ignores a wrong /Count", pages("3 0 R 4 0 R 5 0 R", { 3: PAGE, 4: PAGE, 5: PAGE }), "3 pages"],
    ["ignores kids that are missing objects", pages("3 0 R 9 0 R null", { 3: PAGE }), "1 pages"],
    [
      "follows a chain of references from a kid to a page",
      pages("5 0 R 5 0 R 3 0 R", { 5: "6 0 R", 6: "3 0 R", 3: PAGE }),
      "3 pages",
    ],
    [
      "ignores kids that are references to each other",
      pages("3 0 R 5 0 R", { 5: "6 0 R", 6: "5 0 R", 3: PAGE }),
      "1 pages",
    ],
    ["counts a page that is listed twice as two", pages("3 0 R 3 0 R", { 3: PAGE }), "2 pages"],
    ["accepts pages that are direct dictionaries", pages(`${PAGE} 3 0 R`, { 3: PAGE }), "2 pages"],
    [
      "reads an indirect /Kids",
      file({ 1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids 4 0 R>>", 3: PAGE, 4: "[3 0 R]" }),
      "1 pages",
    ],
    [
      "accepts a single page in place of the page tree",
      file({ 1: "<</Type/Catalog/Pages 2 0 R>>", 2: PAGE }),
      "1 pages",
    ],
    ["reads a page tree of 20,000 levels", deepTree(20_000), "1 pages"],
    [
      "accepts a page-tree root that is a direct dictionary of the catalog",
      file({ 1: "<</Pages<</Kids[3 0 R 4 0 R]>>>>", 3: PAGE, 4: PAGE }),
      "2 pages",
    ],
    [
      "accepts a page-tree root in the catalog that contains a page as a direct dictionary",
      file({ 1: `<</Pages<</Kids[${PAGE} 3 0 R]>>>>`, 3: PAGE }),
      "2 pages",
    ],
    ["accepts a single page that is a direct dictionary of the catalog", file({ 1: `<</Pages${PAGE}>>` }), "1 pages"],
    ["rejects an array in place of the page tree", file({ 1: "<</Pages[3 0 R]>>", 3: PAGE }), "damaged_pdf"],
    ["rejects a page tree without kids", pages(""), "damaged_pdf"],
    ["rejects a page tree whose nodes have no pages", pages("3 0 R", { 3: "<</Type/Pages/Kids[]>>" }), "damaged_pdf"],
  ])("%s", async (_, bytes, expected) => {
    expect(await codeOf(bytes)).toBe(expected);
  });

  it("ignores inheritable attributes of a page-tree root that is a direct object of the catalog", async () => {
    const root = "/Pages<</Kids[3 0 R]/MediaBox[0 0 9 9]/Rotate 90/Resources<</Font 9 0 R>>>>";
    const source = file({ 1: `<<${root}>>`, 3: "<</Type/Page>>" });
    expect((await open(source)).pages[0]).toMatchObject({ box: { x1: 612, y1: 792 }, rotate: 0 });
    expect(latin1(await stamp(source))).toMatch(/3 0 obj\n<<.*\/Resources<<\/XObject<<\/[A-Z][a-z]{2}0/);
  });

  it("rejects a page tree with more pages than the limit", async () => {
    expect(await codeOf(pages("3 0 R 4 0 R", { 3: PAGE, 4: PAGE }), { maxPages: 1 })).toBe("too_many_pages");
  });
});

function deepTree(depth: number): Uint8Array {
  const bodies: Bodies = { 1: "<</Type/Catalog/Pages 2 0 R>>" };
  for (let num = 2; num < depth; num++) bodies[num] = `<</Type/Pages/Kids[${num + 1} 0 R]>>`;
  bodies[depth] = PAGE;
  return file(bodies);
}

describe("page attributes", () => {
  it.each<[string, string, object]>([
    [
      "takes the page box from the MediaBox",
      "/MediaBox[0 0 300 400]",
      { box: { x0: 0, y0: 0, x1: 300, y1: 400 }, rotate: 0, userUnit: 1 },
    ],
    [
      "normalizes box and rotation",
      "/MediaBox[300 400 10 20]/Rotate -90",
      { box: { x0: 10, y0: 20, x1: 300, y1: 400 }, rotate: 270 },
    ],
    [
      "takes the page box from the part of the CropBox that is within the MediaBox",
      "/MediaBox[0 0 300 400]/CropBox[-10 10 200 500]",
      { box: { x0: 0, y0: 10, x1: 200, y1: 400 } },
    ],
    [
      "ignores a CropBox outside the MediaBox",
      "/MediaBox[0 0 300 400]/CropBox[500 500 600 600]",
      { box: { x0: 0, y0: 0, x1: 300, y1: 400 } },
    ],
    ["uses the US Letter size if the page has no box", "", { box: { x0: 0, y0: 0, x1: 612, y1: 792 } }],
    [
      "uses the US Letter size if the box has no area",
      "/MediaBox[0 0 0 400]",
      { box: { x0: 0, y0: 0, x1: 612, y1: 792 } },
    ],
    ["reduces a rotation of more than a full turn", "/MediaBox[0 0 300 400]/Rotate 810", { rotate: 90 }],
    ["ignores a rotation that is no multiple of 90", "/MediaBox[0 0 300 400]/Rotate 45", { rotate: 0 }],
    ["returns the user unit", "/MediaBox[0 0 300 400]/UserUnit 2.5", { userUnit: 2.5 }],
    ["ignores a negative user unit", "/MediaBox[0 0 300 400]/UserUnit -1", { userUnit: 1 }],
    [
      "uses the last of two entries with the same key",
      "/MediaBox[0 0 1 1]/MediaBox[0 0 300 400]",
      { box: { x0: 0, y0: 0, x1: 300, y1: 400 } },
    ],
  ])("openPdf reads page attributes and %s", async (_, entries, expected) => {
    const { pages: found } = await open(file(onePage(entries)));
    expect(found[0]).toMatchObject(expected);
  });
});

describe("openPdf, given unusable files", () => {
  it.each<[string, Uint8Array, string]>([
    ["that is not a PDF", encode("<html>not found</html>"), "not_a_pdf"],
    ["that is empty", new Uint8Array(0), "not_a_pdf"],
    ["that consists of a header only", encode("%PDF-1.7\n"), "damaged_pdf"],
    [
      "that is a dynamic XFA form",
      file({
        ...onePage(),
        1: "<</Type/Catalog/Pages 2 0 R/NeedsRendering true/AcroForm<</XFA 4 0 R/Fields[4 0 R]>>>>",
      }),
      "xfa_not_supported",
    ],
    [
      "that is encrypted by an unsupported security handler",
      edit(plain, (text) => text.replace("/Root", "/Encrypt<</Filter/Adobe.PubSec/V 4>>/Root")),
      "unsupported_encryption",
    ],
  ])("openPdf rejects an unusable file: a file %s", async (_, bytes, code) => {
    expect(await codeOf(bytes)).toBe(code);
  });
});

describe("PdfDocument.signed", () => {
  const form = (fields: string) => `/AcroForm<</SigFlags 3/Fields ${fields}>>`;
  it.each<[string, string, Bodies, boolean]>([
    ["is true for a signature field with a value", form("[5 0 R]"), { 5: "<</FT/Sig/V 6 0 R>>" }, true],
    ["is true for a direct signature", form("[5 0 R]"), { 5: "<</FT/Sig/V<</Type/Sig>>>>" }, true],
    ["is true for a nested field that inherits its type", form("[5 0 R]"), { 5: "<</FT/Sig/Kids[7 0 R]>>" }, true],
    [
      "is true for fields and types behind references",
      form("8 0 R"),
      { 8: "[5 0 R]", 5: "<</Kids 9 0 R/FT 10 0 R/V 6 0 R>>", 9: "[11 0 R]", 10: "/Sig", 11: "<</Parent 5 0 R>>" },
      true,
    ],
    ["is true for an unreadable field", form("[5 0 R]"), { 5: "<</FT/Sig/V(" }, true],
    ["is true for more fields than are read", form(`[${"5 0 R<<>>".repeat(1000)}]`), {}, true],
    ["is true for a certification", "/Perms<</DocMDP 4 0 R>>", {}, true],
    ["is false for a form without fields", form("[]"), {}, false],
    ["is false for a signature field without a value", form("[5 0 R]"), { 5: "<</FT/Sig>>" }, false],
    ["is false for a signature field whose value is missing", form("[5 0 R]"), { 5: "<</FT/Sig/V 90 0 R>>" }, false],
    ["is false for a value of another field", form("[5 0 R]"), { 5: "<</FT/Tx/V 6 0 R>>" }, false],
    ["is false for a field that is its own kid", form("[5 0 R]"), { 5: "<</FT/Sig/Kids[5 0 R 5 0 R]>>" }, false],
    ["is false for a form without signature flags", "/AcroForm<</Fields[5 0 R]>>", { 5: "<</FT/Sig/V 6 0 R>>" }, false],
  ])("PdfDocument.signed %s", async (_, entry, more, signed) => {
    const objects = { 6: "<</Type/Sig>>", 7: "<</Parent 5 0 R/V 6 0 R>>", ...more };
    const source = file({ ...onePage(), 1: `<</Type/Catalog/Pages 2 0 R${entry}>>`, ...objects });
    for (const opened of [source, ranges(source)]) expect((await open(opened)).signed).toBe(signed);
  });
});

it.each<[string, string]>([
  ["is in an object behind the stream", "5 0 R"],
  ["is wrong", "17"],
])("a scan of a file read in byte ranges finds the end of a large stream whose length %s", async (_, length) => {
  const size = 9_000_000;
  const bodies = onePage(undefined, {
    6: `<</Length ${length}>>stream\n${"0".repeat(size)}\nendstream`,
    7: String(size),
  });
  const source = encode(new FileBuilder().objects(bodies).text.replace("7 0 obj", "5 0 obj"));
  let read = 0;
  const counted = new RangeSource(
    readerBy(source.length, async (start, end) => {
      read += end - start;
      return source.slice(start, end);
    }),
  );
  expect((await open(counted)).pages).toHaveLength(1);
  expect(read).toBeLessThan(5 * source.length);
});
