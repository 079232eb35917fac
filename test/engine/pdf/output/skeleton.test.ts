/**
 * Tests the skeleton of the output: the catalog, the page tree and the page dictionaries. The skeleton must be
 * complete, so that readers need neither inheritance nor repairs.
 */
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { PdfDocument } from "../../../../src/engine/pdf/document/pdfDocument.ts";
import { planOutput } from "../../../../src/engine/pdf/output/outputPlan.ts";
import type { Cipher } from "../../../../src/engine/pdf/security/encryption.ts";
import type { Reference } from "../../../../src/engine/pdf/syntax/values.ts";
import { encode, joined } from "../../../support/bytes.ts";
import { MUPDF, type Onlooker, PDFIUM } from "../../../support/onlookers.ts";
import { CORNER } from "../../../support/trialMarks.ts";
import { FileBuilder, file, latin1, onePage, open, ranges, stamp } from "../fixture.ts";
import { IRREGULAR_TREES, withTree } from "../irregularFiles.ts";
import { encryptText, VECTORS, type Vector } from "../security/encryptedFile.ts";

const BOX = "/MediaBox[0 0 300 400]";
const CATALOG = "<</Type/Catalog/Pages 2 0 R>>";
const GRAY = { data: "0.5 g 10 10 100 100 re f" };

/**
 * Marks a file in memory and by reading it in byte ranges, and checks that both outputs are equal. Returns which pages
 * show the mark in each reader.
 */
async function shown(source: Uint8Array): Promise<(readonly boolean[])[]> {
  const mark = async (document: PdfDocument) => {
    await CORNER.lay(document);
    return joined((await planOutput(document)).chunks());
  };
  const output = await mark(await open(source));
  expect(latin1(await mark(await open(ranges(source), { thorough: true })))).toBe(latin1(output));
  return [MUPDF, PDFIUM].map((onlooker: Onlooker) => onlooker.look(output, CORNER));
}

describe("the page tree of the output", () => {
  it.each(IRREGULAR_TREES)("all readers show the mark on every page of a file with %s", async (_, pages, bodies) => {
    const marked = Array<boolean>(pages).fill(true);
    expect(await shown(withTree(bodies))).toEqual([marked, marked]);
  });

  it.each([1, 64, 65, 200, 4097])(
    "each node of the output's page tree has at most 64 kids, for %i pages",
    async (count) => {
      const numbers = Array.from({ length: count }, (_, index) => 10 + index);
      const pages = Object.fromEntries(numbers.map((num) => [num, `<</Type/Page/Parent 2 0 R${BOX}>>`]));
      const tree = `<</Type/Pages/Count ${count}/Kids[${numbers.map((num) => `${num} 0 R`).join(" ")}]>>`;
      const output = await stamp(file({ ...onePage(), ...pages, 2: tree }), { maxPages: 5000 });
      const { objects, catalog, pages: found } = await open(output, { maxPages: 5000 });
      expect(found.map(({ rewrite }) => rewrite.num)).toEqual(numbers);
      const walk = (value: unknown, parent: unknown): number => {
        const node = objects.dictionary(value as never)!;
        expect(node.get("Parent")).toEqual(parent);
        if (node.get("Type") === "Page") return 1;
        const kids = node.get("Kids") as unknown[];
        expect(kids.length).toBeLessThanOrEqual(64);
        const below = kids.map((kid) => walk(kid, value)).reduce((sum, each) => sum + each);
        expect(node.get("Count")).toBe(below);
        return below;
      };
      expect(walk(catalog.get("Pages"), undefined)).toBe(count);
    },
  );

  it("the output copies a page that is listed twice, but without /StructParents and article threads", async () => {
    const page = `${BOX}/StructParents 0/B[9 0 R]/Annots[8 0 R]/Contents 4 0 R/Resources<</Font<<>>>>`;
    const bodies = { ...onePage(page), 2: "<</Type/Pages/Count 2/Kids[3 0 R 3 0 R]>>", 8: "<<>>", 9: "<<>>" };
    const output = await stamp(file(bodies));
    const { objects, pages } = await open(output);
    const [first, second] = pages.map(({ rewrite }) => objects.dictionary(objects.value(rewrite.num))!);
    expect(pages[0]!.rewrite.num).toBe(3);
    expect(pages[1]!.rewrite.num).toBeGreaterThan(1000);
    expect([...first!.keys()].filter((key) => !second!.has(key))).toEqual(["StructParents", "B"]);
    expect(second!.get("Annots")).toEqual(first!.get("Annots"));
  });

  it("pages of the output that inherited the same resources refer to one resource dictionary", async () => {
    const node = `<</Type/Pages/Count 2/Kids[3 0 R 5 0 R]${BOX}/Resources<</Font<</F1 6 0 R>>>>>>`;
    const page = "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>";
    const output = await stamp(file({ ...onePage(), 2: node, 3: page, 5: page, 6: "<<>>" }));
    const { objects, pages } = await open(output);
    const [first, second] = pages.map(({ rewrite }) =>
      objects.dictionary(objects.value(rewrite.num))!.get("Resources"),
    );
    expect(first).toEqual(second);
    expect([...objects.dictionary(first)!.keys()].sort()).toEqual(["Font", "XObject"]);
    expect(latin1(output).match(/F1 6 0 R/g)).toHaveLength(1);
  });
});

describe("the position of the catalog and the page tree in the output", () => {
  it("the catalog is the last object of the output and is not compressed, even if the source has object streams", async () => {
    const packed = new FileBuilder().objects({ 4: GRAY });
    const members = packed.objectStream(5, { 1: CATALOG, 2: "<</Kids[3 0 R]>>", 3: `<</Type/Page${BOX}>>` });
    const output = latin1(await stamp(packed.xrefStream(6, members).bytes()));
    const objects = [...output.matchAll(/\n(\d+) 0 obj\n(.{0,200})/g)];
    // The last match, at(-1), is the cross-reference stream.
    expect(objects.at(-2)![0]).toMatch(/\n1 0 obj\n<<\/Type\/Catalog/);
    expect(objects.at(-4)![0]).toMatch(/\n3 0 obj\n<<.*\/Type\/Page\/Parent/);
  });

  it("no new object of the output uses the number of a missing object that the resources refer to", async () => {
    const page = `${BOX}/Contents 4 0 R/Resources<</XObject<</A 5 0 R/B 12 0 R>>>>`;
    const output = latin1(await stamp(file(onePage(page))));
    for (const [, num] of output.matchAll(/\n(\d+) 0 obj/g))
      expect([1, 3, 4].includes(+num!) || +num! > 1000).toBe(true);
  });

  it.each([
    ["a missing object", "/A 9 0 R", "/A null"],
    ["a missing object with the number of a new one", "/A[1007 0 R 4 0 R]", "/A[null 4 0 R]"],
    ["an object by another generation", "/A<</B 4 7 R>>", "/A<</B 4 0 R>>"],
    ["a node", "/A 2 0 R", "/A null"],
    ["a page outside the page tree", "/A 8 0 R", "/A null"],
    ["a missing object behind a string", "/A(9 0 R)/B 9 0 R", "/A(9 0 R)/B null"],
  ])("the output corrects references from the catalog and from a page to %s", async (_, entry, expected) => {
    const output = await withEntry(entry);
    expect(output.split(expected)).toHaveLength(3);
    expect(output.split(entry)).toHaveLength(1);
  });

  it("the output does not change text in comments and strings that looks like a reference", async () => {
    const entry = "/A(9 0 R)/B<39>% 9 0 R\n";
    expect((await withEntry(entry)).split(entry)).toHaveLength(3);
  });
});

/** Returns the output for a file whose catalog and page have an additional entry. */
async function withEntry(entry: string): Promise<string> {
  const bodies = { 1: `<</Type/Catalog/Pages 2 0 R${entry}>>`, 8: `<</Type/Page/Stray true${BOX}>>` };
  return latin1(await stamp(file({ ...onePage(`${BOX}/Contents 4 0 R${entry}`), ...bodies })));
}

/** Texts of the strings in the catalog, the page, a direct kid and an indexed color space. */
const TEXTS = { catalog: "catalog", page: "a (page)", kid: "\\kid\r\n", indexed: "\0\u00ff()\\x" };

/**
 * Returns a file whose /Kids lists page 3 twice, with a direct page dictionary in between.
 * @param cipher encrypts the strings. Without a cipher, the strings are empty
 * @param isPacked whether the objects are in an object stream
 */
function withStrings(vector: Vector, cipher: Cipher | undefined, isPacked: boolean): Uint8Array {
  const hex = (bytes: Uint8Array) => `<${Buffer.from(bytes).toString("hex")}>`;
  const string = (text: string, num: number) => {
    const plain = encode(cipher ? text : "");
    return hex(isPacked || !cipher ? plain : cipher.encryptString(num, 0, plain));
  };
  const objects = [
    `<</Type/Catalog/Pages 2 0 R/Lang ${string(TEXTS.catalog, 1)}>>`,
    `<</Type/Pages/Count 3/Kids[3 0 R<</Type/Page/ID ${string(TEXTS.kid, 2)}>>3 0 R]${BOX}/Resources<</ColorSpace<</C[/Indexed/DeviceRGB 1 ${string(TEXTS.indexed, 2)}]>>>>>>`,
    `<</Type/Page/Parent 2 0 R/ID ${string(TEXTS.page, 3)}>>`,
  ];
  const trailer = `/Root 1 0 R/Encrypt 30 0 R/ID[<${vector.id}><${vector.id}>]`;
  const builder = new FileBuilder().objects({ 30: encryptText(vector) });
  if (!isPacked) return builder.objects({ 1: objects[0]!, 2: objects[1]!, 3: objects[2]! }).table({ trailer }).bytes();
  const [one, two] = [objects[0]!.length + 1, objects[0]!.length + objects[1]!.length + 2];
  const head = `1 0 2 ${one} 3 ${two} `;
  const data = cipher!.encryptStream(31, 0, deflateSync(encode(head + objects.join("\n"))));
  builder.objects({ 31: { dict: `/Type/ObjStm/N 3/First ${head.length}/Filter/FlateDecode`, data } });
  return builder
    .xrefStream(
      40,
      [1, 2, 3].map((num, index) => [num, 31, index]),
      trailer,
    )
    .bytes();
}

describe("strings of an encrypted file", () => {
  const vectors = VECTORS.filter(({ name }) => name.startsWith("an empty user password"));
  it.each(vectors.flatMap((vector) => [false, true].map((isPacked) => [vector.name, isPacked, vector] as const)))(
    "encrypted strings stay readable after a move to another object: %s, from an object stream: %s",
    async (_, isPacked, vector) => {
      const { cipher } = (await open(withStrings(vector, undefined, false))).objects;
      const { objects, pages, catalog } = await open(await stamp(withStrings(vector, cipher, isPacked)));
      const read = (num: number, value: unknown) => latin1(objects.cipher!.decryptString(num, 0, value as Uint8Array));
      expect(read(1, catalog.get("Lang"))).toBe(TEXTS.catalog);
      const found = pages.map(({ rewrite: { num } }) => ({ num, dict: objects.dictionary(objects.value(num))! }));
      expect(found[0]!.num).toBe(3);
      expect(found.map(({ num, dict }) => read(num, dict.get("ID")))).toEqual([TEXTS.page, TEXTS.kid, TEXTS.page]);
      const { num } = found[0]!.dict.get("Resources") as Reference;
      const spaces = objects.dictionary(objects.dictionary(objects.value(num))!.get("ColorSpace"))!;
      expect(read(num, (spaces.get("C") as unknown[])[3])).toBe(TEXTS.indexed);
    },
  );
});
