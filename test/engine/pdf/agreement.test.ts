/**
 * Tests files that readers interpret differently. The engine either rejects the file or writes an output that all
 * readers interpret alike.
 */
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/engine/index.ts";
import { PlanOutdated } from "../../../src/engine/pdf/output/eraser.ts";
import { RangeSource } from "../../../src/engine/pdf/source/byteSource.ts";
import { encode, joined } from "../../support/bytes.ts";
import { readerBy } from "../../support/ranges.ts";
import { type Bodies, FileBuilder, file, latin1, onePage, open, plan, stamp } from "./fixture.ts";
import { encryptedPage, VECTORS } from "./security/encryptedFile.ts";

const BOX = "/MediaBox[0 0 300 400]";
const PAGE = `<</Type/Page${BOX}>>`;
const NODE = "<</Type/Pages/Count 1/Kids[3 0 R]>>";
const CATALOG = "<</Type/Catalog/Pages 2 0 R>>";

/** Returns object `num` of the output on one line, or an empty string if the object does not exist. */
async function written(source: Uint8Array, num: number): Promise<string> {
  const output = latin1(await stamp(source));
  return new RegExp(`\\n${num} 0 obj\\n([\\s\\S]*?)\\nendobj`).exec(output)?.[1]?.replaceAll("\n", " ") ?? "";
}

async function outcome(source: Uint8Array): Promise<string> {
  try {
    const output = await stamp(source);
    return `${(await open(output)).pages.length} marked`;
  } catch (error) {
    if (error instanceof EngineError) return error.code;
    throw error;
  }
}

/** Returns a one-page PDF that another program encrypted with an empty user password. */
function encrypted(revision: string): string {
  return latin1(encryptedPage(VECTORS.find(({ name }) => name === `an empty user password, ${revision}`)!));
}

/**
 * Returns a one-page PDF with the catalog, the page-tree node and the page in object stream 5. `members` adds or
 * replaces members of the stream.
 */
function packed(members: Record<number, string> = {}, dict?: (text: string) => string): Uint8Array {
  const builder = new FileBuilder().objects({ 4: { data: "0 g" } });
  const { 1: catalog, 2: node, 3: page } = onePage() as Record<number, string>;
  const entries = builder.objectStream(5, { 1: catalog!, 2: node!, 3: page!, ...members });
  const bytes = builder.xrefStream(6, entries).bytes();
  return dict ? encode(dict(latin1(bytes))) : bytes;
}

describe("the output", () => {
  it.each<[string, Bodies, number, RegExp]>([
    [
      "no garbage in a page dictionary",
      onePage(`${BOX} 7 word<</A 1>>/B(x)y`),
      3,
      /\/MediaBox\[0 0 300 400\].*\/B \(x\) >>$/,
    ],
    [
      "an escape for a byte in a name that PDFium reads as white space",
      { ...onePage(), 3: "<</Type/Page/Parent 2 0 R/Contents\xff5 0 R/Contents 4 0 R>>" },
      3,
      /\/Contents#ff5 /,
    ],
    [
      "no garbage in a resource dictionary",
      { ...onePage("/Resources 5 0 R"), 5: "<<7/A 1>>" },
      5,
      /^<<\/XObject<<.*>>\/A 1 >>$/,
    ],
    [
      "no garbage in the catalog",
      { ...onePage(), 1: "<<7/Type/Catalog/Pages 2 0 R>>" },
      1,
      /^<<\/Type\/Catalog\/Pages \d+ 0 R *>>$/,
    ],
    ["balanced brackets in the catalog", { ...onePage(), 1: CATALOG.slice(0, -1) }, 1, /^<<\s*\/Type.* R\s*>>$/],
    ["/Type /Page in place of a page's wrong /Type", { ...onePage(), 3: "<</Type/Template>>" }, 3, /\/Type\/Page\//],
    ["no /Kids in a page", onePage("/Kids[]"), 3, /^(?!.*Kids)/],
    [
      "no /Kids with a value that is not an array",
      { ...onePage(), 3: "<</Type/Pages/Kids 7>>" },
      3,
      /^(?!.*Kids).*\/Type\/Page\//,
    ],
    [
      "each key of a page once, with its last value",
      onePage("/Rotate 90/MediaBox[0 0 9 9]/Rotate 0/MediaBox[0 0 8 8]"),
      3,
      /^(?!.*90)(?!.*9 9)/,
    ],
    [
      "a /MediaBox in a page that lacks one",
      onePage("/CropBox[0 0 99 99]"),
      3,
      /^(?=.*\/MediaBox\[0 0 99 99\]).*\/CropBox\[0 0 99 99\]/,
    ],
    ["no /MediaBox that is too large", onePage("/MediaBox[0 0 20000000 9]"), 3, /\/MediaBox\[0 0 612 792\]/],
    [
      "a direct /MediaBox in place of a chain of references",
      { ...onePage("/MediaBox 5 0 R"), 5: "6 0 R", 6: "[0 0 9 9]" },
      3,
      /\/MediaBox\[0 0 9 9\]/,
    ],
    [
      "a single /Parent of each page, with the right generation",
      { ...onePage("/Parent 2 99999 R"), 2: NODE },
      3,
      /^(?!.*99999)(?!.*Parent.*Parent).*\/Parent \d+ 0 R/,
    ],
    [
      "a direct reference to the resources in place of a chain of references",
      { ...onePage("/Resources 5 0 R"), 5: "6 0 R", 6: "<<>>" },
      3,
      /\/Resources {1,2}6 0 R/,
    ],
    [
      "a direct reference to the XObjects in place of a chain of references",
      { ...onePage("/Resources<</XObject 5 0 R>>"), 5: "6 0 R", 6: "<<>>" },
      3,
      /\/XObject {1,2}6 0 R/,
    ],
    [
      "no garbage in the dictionary of a content stream",
      { ...onePage(), 4: "<<x/A 1/Length 3>>\nstream\n0 g\nendstream" },
      4,
      /^<<\/Length 3 \/A 1 >> stream 0 g/,
    ],
    ["a new node above a page that replaces the page tree", { 1: CATALOG, 2: PAGE }, 1, /\/Pages {1,2}(?!2 )\d+ 0 R/],
  ])("readers agree on the output, because it has %s", async (_, bodies, num, expected) => {
    expect(await written(file(bodies), num)).toMatch(expected);
    expect(await outcome(file(bodies))).toBe("1 marked");
  });

  it("the output has no garbage in the trailer", async () => {
    const output = latin1(
      await stamp(new FileBuilder().objects(onePage()).table({ trailer: "/Root 1 0 R/A 1 x" }).bytes()),
    );
    expect(output).toMatch(/trailer\n<<\/A 1\/Root 1 0 R/);
  });

  it("the output escapes a byte in a trailer name that PDFium reads as white space", async () => {
    const trailer = "/A\xff 1/Root 1 0 R";
    const output = latin1(await stamp(new FileBuilder().objects(onePage()).table({ trailer }).bytes()));
    expect(output).toMatch(/trailer\n<<\/A#ff 1\/Root 1 0 R/);
  });

  it("the output adds a page-tree node if /Pages is a page and /Root is a chain of references", async () => {
    const source = new FileBuilder().objects({ 1: CATALOG, 2: PAGE, 5: "1 0 R" }).table({ trailer: "/Root 5 0 R" });
    expect(await written(source.bytes(), 1)).toMatch(/\/Pages {1,2}(?!2 )\d+ 0 R/);
  });

  it("the output's trailer refers directly to the catalog, even if the source uses a chain of references", async () => {
    const source = new FileBuilder()
      .objects({ ...onePage(), 5: "6 0 R", 6: "1 0 R" })
      .table({ trailer: "/Root 5 0 R" });
    expect(latin1(await stamp(source.bytes()))).toMatch(/trailer\n<<\/Root 1 0 R/);
  });

  it.each<[string, Bodies | Uint8Array]>([
    ["a catalog whose /Type is /Page", { ...onePage(), 1: "<</Type/Catalog/Type/Page/Pages 2 0 R>>" }],
    ["a catalog in an object stream whose /Type is /Page", packed({ 1: "<</Type/Page/Pages 2 0 R>>" })],
    [
      "an encryption dictionary whose /Type is /Page",
      encode(encrypted("revision 2").replace("<< /Filter", "<</Type/Page/Filter")),
    ],
  ])("the output retains an object that looks like a page: %s", async (_, source) => {
    expect(await outcome(source instanceof Uint8Array ? source : file(source))).toBe("1 marked");
  });

  it("no new object of the output uses the number of a missing object that /Kids refers to", async () => {
    const output = await stamp(file({ ...onePage(), 2: "<</Type/Pages/Count 2/Kids[3 0 R 5 0 R 6 0 R]>>" }));
    expect((await open(output)).pages).toHaveLength(1);
    expect(latin1(output)).not.toMatch(/\n[56] 0 obj/);
  });
});

describe("object streams", () => {
  /**
   * Returns a PDF whose page is outside the object stream, so that marking the page changes no member of the stream.
   */
  const beside = (members: Record<number, string>, garbage = "") => {
    const builder = new FileBuilder().objects({ 1: CATALOG, 2: NODE, 3: "<</Type/Page/MediaBox 8 0 R>>" });
    const entries = builder.objectStream(5, { 8: "[0 0 300 400]", ...members });
    builder.text = builder.text.replace("/Type/ObjStm", `$&${garbage}`);
    return latin1(
      builder
        .xrefStream(
          6,
          entries.filter(([num]) => num !== 3),
        )
        .bytes(),
    );
  };
  it.each<[string, string]>([
    ["with a wrong number of members", beside({ 7: "(x)" }).replace("/N 2", "/N 9")],
    ["with a superseded member", beside({ 3: PAGE })],
    ["with a malformed dictionary", beside({}, "/A x")],
    ["without /Type", beside({}).replace("/Type/ObjStm", "/Kind/ObjStm")],
    ["without an end", beside({}).replace(/\nendstream\nendobj\n6 0 obj.*/s, "")],
  ])("the output rewrites an object stream %s", async (_, text) => {
    expect(latin1(await stamp(encode(text)))).not.toMatch(/\n5 0 obj/);
    expect(await outcome(encode(text))).toBe("1 marked");
  });

  it("the output leaves a well-formed object stream unchanged", async () => {
    expect(latin1(await stamp(encode(beside({ 7: "(x)" }))))).toMatch(/\n5 0 obj/);
  });

  it("the output repairs malformed members of an object stream and moves changed members into another stream", async () => {
    const output = await stamp(packed({ 7: "<<5/A 1 x>>" }));
    const { objects } = await open(output);
    const places = [3, 7].map((num) => objects.table.offset(objects.table.liveRow(num)));
    expect(places[0]).not.toBe(places[1]);
    const text = await objects.run(() => objects.at(7, (bytes) => latin1(bytes)));
    expect(text).toMatch(/^<<\/A 1 >>\s/);
  });

  it("the cross-reference of the output gives each object-stream member its correct index", async () => {
    const builder = new FileBuilder().objects({ 3: `<</Type/Page/Parent 2 0 R${BOX}/Resources 7 0 R>>` });
    builder.objects({ 1: CATALOG, 2: NODE, 4: "<<>>" });
    const members = builder.objectStream(5, { 6: "(x)", 7: "<</XObject 4 0 R>>" });
    const { objects } = await open(
      await stamp(
        builder
          .xrefStream(
            8,
            members.map(([num, stream]) => [num, stream, 0]),
          )
          .bytes(),
      ),
    );
    const row = objects.table.liveRow(7);
    const stream = await objects.run(() => objects.stream(objects.table.streamNumber(row)));
    expect(stream.numbers[objects.table.index(row)]).toBe(7);
  });
});

it("treats an object as free if its object stream is missing", async () => {
  const builder = new FileBuilder().objects(onePage());
  const { objects } = await open(await stamp(builder.xrefStream(6, [[5, 9, 0]]).bytes()));
  expect(objects.table.isInUse(5)).toBe(false);
});

it("skips a cross-reference entry of unknown type in favor of the entry in the older section", async () => {
  const builder = new FileBuilder().objects(onePage()).table();
  const previous = /startxref\n(\d+)/.exec(builder.text)![1];
  builder.text += `3 0 obj\n<</Type/Page/MediaBox[0 0 9 9]>>\nendobj\n`; // a scan of the file would find the page here
  const at = builder.text.length;
  const data = Uint8Array.from([3, 0, 0, 0, 0, 0]);
  builder.objects({ 9: { dict: `/Type/XRef/Size 10/W[1 3 2]/Index[3 1]/Root 1 0 R/Prev ${previous}`, data } });
  builder.text += `startxref\n${at}\n%%EOF\n`;
  expect((await open(builder.bytes())).pages[0]!.box.x1).toBe(300);
});

describe("a scan for objects", () => {
  const scanned = (bodies: Bodies, change: (text: string) => string) =>
    encode(change(new FileBuilder().objects({ ...onePage(), ...bodies }).text));
  const two = { 2: "<</Type/Pages/Kids[3 0 R 5 0 R]>>", 5: PAGE };
  it.each<[string, Uint8Array, string]>([
    [
      "does not read the end of a word as an object number",
      scanned({}, (text) => `${text}x3 0 obj\n[]\nendobj\n`),
      "1 marked",
    ],
    [
      "does not read the beginning of a word as the keyword obj",
      scanned({}, (text) => `${text}3 0 obj00 n\n`),
      "1 marked",
    ],
    ["ignores an object number that readers reject", scanned({}, (text) => `${text}2147483648 0 obj\n1\n`), "1 marked"],
    ["finds an object directly after endobj", scanned(two, (text) => text.replace("\n5 0 obj", "5 0 obj")), "2 marked"],
    [
      "does not read an object header as a value",
      scanned({}, (text) => text.replace("3 0 obj", "9 0 obj\n3 0 obj")),
      "1 marked",
    ],
    [
      "rejects a file with a page whose generation has a sign",
      scanned(two, (text) => text.replace("5 0 obj", "5 -0 obj")),
      "damaged_pdf",
    ],
  ])("a scan of the file for objects %s", async (_, bytes, expected) => {
    expect(await outcome(bytes)).toBe(expected);
  });
});

describe("a file", () => {
  /**
   * Returns a file that readers may interpret differently. The cross-reference lists the page, but `later` redefines an
   * object later in the file. The offset of object 9 is wrong, so that the engine scans the file.
   */
  const ambiguous = (bodies: Bodies, later: string) => {
    const builder = new FileBuilder().objects({ ...onePage(), ...bodies, 9: "null" });
    builder.text += later;
    builder.offsets.set(9, 20);
    return builder.table().bytes();
  };
  const aes = encrypted("revision 4");
  it.each<[string, Uint8Array, string]>([
    ["with two definitions of a page", ambiguous({}, `3 0 obj\n${PAGE}\nendobj\n`), "damaged_pdf"],
    [
      "with two definitions of /Kids",
      ambiguous({ 2: "<</Type/Pages/Kids 8 0 R>>", 8: "[3 0 R]" }, "8 0 obj\n[]\nendobj\n"),
      "damaged_pdf",
    ],
    [
      "with definitions of a page before and within an unreadable trailer",
      encode(`${new FileBuilder().objects(onePage()).text}trailer\n<</Root 1 0 R <\n3 0 obj <</Type/Page>> endobj\n`),
      "damaged_pdf",
    ],
    [
      "with a page in an object stream within an unclosed string",
      (() => {
        const builder = new FileBuilder().objects({ ...onePage(), 2: "<</Type/Pages/Kids[3 0 R 6 0 R]>>" });
        builder.text += "7 0 obj\n<</A x(>>\nendobj\n";
        builder.objects({ 8: { dict: "/Type/ObjStm/N 1/First 4", data: `6 0 ${PAGE}` } });
        return encode(`${builder.text}9 0 obj\n)>>\nendobj\n`);
      })(),
      "damaged_pdf",
    ],
    [
      "with a page that a later object stream redefines",
      encode(
        new FileBuilder().objects({
          ...onePage(),
          2: "<</Type/Pages/Kids[3 0 R 6 0 R]>>",
          8: { dict: "/Type/ObjStm/N 1/First 4", data: `6 0 ${PAGE}` },
          9: { dict: "/Type/ObjStm/N 1/First 4", data: "6 0 7" },
        }).text,
      ),
      "damaged_pdf",
    ],
    [
      "with a page that is later redefined as a reference to a missing object",
      encode(
        new FileBuilder().objects({ ...onePage(), 2: "<</Type/Pages/Kids[3 0 R 6 0 R]>>", 6: PAGE }).text +
          "6 0 obj\n9 0 R\nendobj\n",
      ),
      "damaged_pdf",
    ],
    [
      "with a page in a stream that only some readers read as an object stream",
      encode(
        new FileBuilder().objects({
          ...onePage(),
          2: "<</Type/Pages/Kids[3 0 R 6 0 R]>>",
          8: `<</Type/ObjStm/N 1/First 4>\nstream\n6 0 ${PAGE}\nendstream`,
        }).text,
      ),
      "damaged_pdf",
    ],
    ["with a page that has kids", file(onePage("/Kids[4 0 R]")), "damaged_pdf"],
    ["with missing /Kids", file({ ...onePage(), 2: `<</Type/Pages${BOX}/Kids 9 0 R>>` }), "damaged_pdf"],
    [
      "with an unreadable kid",
      file({ ...onePage(), 2: "<</Type/Pages/Kids[3 0 R 5 0 R]>>", 5: "x<</Type/Page>>" }),
      "damaged_pdf",
    ],
    [
      "with a page that is an object stream",
      file({ ...onePage(), 3: { dict: "/Type/ObjStm/N 0/First 0", data: "" } }),
      "damaged_pdf",
    ],
    [
      "with a damaged node that has fewer kids than its /Count",
      file({ ...onePage(), 2: "<</Type/Pages/Count 2/Kids[3 0 R(]>>" }),
      "damaged_pdf",
    ],
    [
      "with a damaged node that lost its /Kids",
      file({ ...onePage(), 2: "<</Type/Pages/Kids[3 0 R 5 0 R]>>", 5: "<</Type/Pages/Count 1[/Kids[6 0 R]]>>" }),
      "damaged_pdf",
    ],
    [
      "with a page in data that only some readers read as a stream",
      encode(
        new FileBuilder().objects({
          ...onePage(),
          2: "<</Type/Pages/Kids[3 0 R 5 0 R]>>",
          4: { dict: "x", data: `5 0 obj\n${PAGE}\nendobj` },
        }).text,
      ),
      "damaged_pdf",
    ],
    [
      "with a page behind an endstream in stream data of indirect length",
      encode(
        new FileBuilder().objects({
          ...onePage(),
          2: "<</Type/Pages/Kids[3 0 R 6 0 R]>>",
          4: `<</Length 5 0 R>>\nstream\nendstream\nendobj\n6 0 obj\n${PAGE}\nendobj\nendstream`,
          5: String(`endstream\nendobj\n6 0 obj\n${PAGE}\nendobj`.length),
        }).text,
      ),
      "damaged_pdf",
    ],
    [
      "with a page in an object stream whose number is redefined",
      (() => {
        const builder = new FileBuilder().objects({ ...onePage(), 2: "<</Type/Pages/Kids[3 0 R 6 0 R]>>" });
        builder.objectStream(8, { 6: PAGE });
        return encode(builder.objects({ 8: "null" }).text);
      })(),
      "damaged_pdf",
    ],
    [
      "with a page behind an endstream in stream data that end with their object",
      encode(
        new FileBuilder().objects({
          ...onePage(),
          2: "<</Type/Pages/Kids[3 0 R 6 0 R]>>",
          5: `<</Length ${`\nendstream\nendobj\n6 0 obj\n${PAGE}`.length}>>\nstream\n\nendstream\nendobj\n6 0 obj\n${PAGE}`,
        }).text,
      ),
      "damaged_pdf",
    ],
    [
      "with a page that is later redefined as a number",
      encode(
        new FileBuilder()
          .objects({ ...onePage(), 2: "<</Type/Pages/Kids[3 0 R 6 0 R]>>", 6: PAGE, 7: "0" })
          .text.replace("7 0 obj", "6 0 obj"),
      ),
      "damaged_pdf",
    ],
    [
      "with a page that is also the catalog",
      file({ 1: "<</Type/Catalog/Pages 2 0 R/MediaBox[0 0 9 9]>>", 2: "<</Type/Pages/Kids[1 0 R]>>" }),
      "damaged_pdf",
    ],
    [
      "with a page that is also the catalog, if the trailer refers to the catalog indirectly",
      new FileBuilder()
        .objects({ 1: "<</Type/Catalog/Pages 2 0 R/MediaBox[0 0 9 9]>>", 2: "<</Type/Pages/Kids[1 0 R]>>", 3: "1 0 R" })
        .table({ trailer: "/Root 3 0 R" })
        .bytes(),
      "damaged_pdf",
    ],
    [
      "with a page in place of the tree, if it was scanned and has another page",
      encode(new FileBuilder().objects({ 1: CATALOG, 2: PAGE, 3: PAGE }).text),
      "damaged_pdf",
    ],
    [
      "with a kid that is a number at its offset, and a page elsewhere",
      encode(latin1(file({ ...onePage(), 3: `1 endobj 3 0 obj ${PAGE}` }))),
      "damaged_pdf",
    ],
    [
      "with a /Kids array that lists a node with the same /Kids array",
      file({
        ...onePage(),
        2: "<</Type/Pages/Kids 6 0 R>>",
        5: "<</Type/Pages/Parent 2 0 R/Kids 6 0 R>>",
        6: "[3 0 R 5 0 R]",
      }),
      "damaged_pdf",
    ],
    [
      "with a kid that only some readers read as a reference, if the file was scanned",
      encode(
        new FileBuilder().objects({ ...onePage(), 2: "<</Type/Pages/Kids 6 0 R>>", 5: PAGE, 6: "[3 0 R 5 +-1 R]" })
          .text,
      ),
      "damaged_pdf",
    ],
    [
      "with a page tree that is neither a node nor a page",
      file({ ...onePage(), 1: "<</Type/Catalog/Pages<</A 1>>>>" }),
      "damaged_pdf",
    ],
    [
      "with a generation above 65,535",
      encode(latin1(file(onePage())).replace("4 0 obj", "4 99999 obj")),
      "too_complex",
    ],
    ["with a malformed encryption dictionary", encode(aes.replace("/V 4", "/V 4 x")), "damaged_pdf"],
    ["with a key twice in the encryption dictionary", encode(aes.replace("/V 4", "/V 4/#56 2")), "damaged_pdf"],
    [
      "with a crypt filter that refers to no dictionary",
      encode(aes.replace(/\/CF\s*<</, "/CF <</Old 99 0 R ")),
      "unsupported_encryption",
    ],
    ["with a key twice in a crypt filter", encode(aes.replace("/CFM /AESV2", "/CFM /V2/CFM /AESV2")), "damaged_pdf"],
    [
      "with a malformed encryption dictionary in the trailer",
      encode(
        aes.replace("/Encrypt 5 0 R", `/Encrypt ${/5 0 obj\n(.*)\nendobj/.exec(aes)![1]!.replace("/V 4", "/V 4 x")}`),
      ),
      "damaged_pdf",
    ],
  ])("rejects a file that readers may interpret differently: a file %s", async (_, bytes, code) => {
    expect(await outcome(bytes)).toBe(code);
  });
});

it("discards a plan made from byte ranges if any object is not at its offset", async () => {
  const builder = new FileBuilder().objects({ ...onePage(), 9: "null" });
  builder.offsets.set(9, 20);
  const bytes = builder.table().bytes();
  const source = () => new RangeSource(readerBy(bytes.length, async (start, end) => bytes.slice(start, end)));
  const guessed = await plan(source());
  await expect(joined(guessed.chunks())).rejects.toThrow(PlanOutdated);
  const thorough = await plan(source(), { thorough: true });
  expect(latin1(await joined(thorough.chunks()))).toBe(latin1(await stamp(bytes)));
});
