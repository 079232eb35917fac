/** Tests that the output contains no copies of pages without the mark, such as thumbnails and private data. */
import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, it, test } from "vitest";
import { ReferenceGraph } from "../../../../src/engine/pdf/output/referenceGraph.ts";
import { joined } from "../../../support/bytes.ts";
import { type Bodies, FileBuilder, file, latin1, onePage, open, plan, ranges } from "../fixture.ts";

const BOX = "/MediaBox[0 0 300 400]/Contents 4 0 R";
const packed = (data: string) => ({ dict: "/Filter/FlateDecode", data: deflateSync(data) });
const secret = packed("PRIVATE");
const page = (entries: string, resources = "") =>
  `<</Type/Page/Parent 2 0 R${BOX}/Resources<<${resources}>>${entries}>>`;
const catalog = (entries: string) => `<</Type/Catalog/Pages 2 0 R${entries}>>`;

/**
 * Returns the text of two outputs, including all inflated streams. The source of the first output is in memory, and the
 * source of the second is read in byte ranges.
 */
async function written(source: Uint8Array): Promise<string[]> {
  const plans = [plan(source), plan(ranges(source), { thorough: true })];
  const outputs = await Promise.all(plans.map(async (output) => joined((await output).chunks())));
  for (const output of outputs) expect((await open(output)).pages).toHaveLength(1);
  return outputs.map((output) => {
    const text = latin1(output);
    const streams = Array.from(text.matchAll(/stream\n([\s\S]*?)\nendstream/g), ([, data]) => {
      const bytes = Buffer.from(data!, "latin1");
      return data!.startsWith("x") ? inflateSync(bytes).toString("latin1") : data;
    });
    return [text, ...streams].join("\n");
  });
}

const PIECE = "/PieceInfo<</Illustrator<</Private 10 0 R/LastModified(D:2026)>>>>";
const CHAIN: Bodies = { 10: "<</AIPrivateData1 11 0 R/Page 3 0 R/Up 10 0 R>>", 11: secret };

describe("private data", () => {
  it.each<[string, Bodies]>([
    ["a thumbnail", { 3: page("/Thumb 11 0 R"), 11: secret }],
    ["a program's private data of a page", { 3: page(PIECE), ...CHAIN }],
    ["private data behind references", { 3: page("/PieceInfo 12 0 R"), 12: "13 0 R", 13: `<<${PIECE}>>`, ...CHAIN }],
    ["private data of the catalog", { 1: catalog(PIECE), ...CHAIN }],
    ["data of Web Capture", { 1: catalog("/SpiderInfo<</V 1/C[11 0 R]>>"), 11: secret }],
    [
      "content sets of Web Capture",
      { 1: catalog("/Names<</IDS<</Names[(x)10 0 R]>>/URLS 12 0 R>>"), ...CHAIN, 12: "<</Names[(u)10 0 R]>>" },
    ],
    [
      "template pages",
      {
        1: catalog("/Names 12 0 R"),
        12: "<</Templates<</Names[(t)13 0 R]>>>>",
        13: "<</Type/Template/Contents 11 0 R>>",
        11: secret,
      },
    ],
    ["templates of the catalog", { 1: catalog("/Templates 10 0 R"), ...CHAIN }],
    [
      "private data of a node of the page tree",
      { 2: `<</Type/Pages/Count 1/Kids[3 0 R]${PIECE}>>`, 3: page("/Thumb null"), ...CHAIN },
    ],
    ...["11 0 R ", "11 0 R("].map((data): [string, Bodies] => [
      `private data that content of a wrong length seems to refer to: ${data}`,
      { 3: page(PIECE), ...CHAIN, 4: `<</Length 1>>\nstream\nBI/W 7/H 1/BPC 8/CS/G ID ${data}\nEI\nendstream` },
    ]),
    [
      "private data beside content with an unreadable dictionary",
      { 3: page(PIECE), ...CHAIN, 4: "<</Length 3/A[>>\nstream\n0 g\nendstream" },
    ],
    ["private data with a malformed dictionary", { 3: page(PIECE), 10: "<</A 11 0 R", 11: secret }],
  ])("the output contains no object that belongs to %s", async (_, bodies) => {
    const builder = new FileBuilder();
    const objects = { ...onePage(BOX), ...bodies };
    const members = Object.entries(objects).filter(([, body]) => typeof body === "string" && body.endsWith(">>"));
    const rest = Object.entries(objects).filter(([num]) => !members.some(([member]) => member === num));
    builder.objects(Object.fromEntries(rest));
    const compressed = builder.objectStream(20, Object.fromEntries(members) as Record<number, string>);
    for (const source of [file(objects), builder.xrefStream(21, compressed).bytes()])
      for (const text of await written(source))
        expect(text).not.toMatch(/PRIVATE|AIPrivateData|PieceInfo|Thumb|Template|Spider/);
  });
});

describe("an object to which private data refer", () => {
  const shared = packed("SHARED");
  it.each<[string, Bodies]>([
    ["if it is the page's content", { 3: page("/PieceInfo<</A<</Private 4 0 R>>>>"), 4: packed("% SHARED\n") }],
    ["if the page uses it", { 3: page("/Thumb 11 0 R", "/XObject<</X 11 0 R>>"), 11: shared }],
    ["if an object of the page uses it", { 3: page("/Thumb 11 0 R/Annots[12 0 R]"), 11: shared, 12: "<</A 11 0 R>>" }],
    [
      "if the length of another object is in it",
      { 3: page("/Thumb 12 0 R", "/X 11 0 R"), 11: `<</Length 12 0 R>>stream\nSHARED\nendstream`, 12: "6" },
    ],
    [
      "if a chain of references leads to it",
      { 3: page("/Thumb 11 0 R", "/X 12 0 R"), 12: "13 0 R", 13: "11 0 R", 11: shared },
    ],
    [
      "if a dictionary with a stray bracket uses it",
      { 3: page("/Thumb 11 0 R/Annots[12 0 R]"), 11: shared, 12: "<</A 1]/B 11 0 R>>" },
    ],
    ["if a malformed object uses it", { 3: page("/Thumb 11 0 R/Annots[12 0 R]"), 11: shared, 12: "<</A 11 0 R" }],
    ["if the trailer uses it", { 3: page("/Thumb 9 0 R"), 9: "<</Title(SHARED)>>" }],
    [
      "if a malformed object is too long to read",
      { 3: page("/Thumb 11 0 R"), 11: shared, 12: `<</A(${"x".repeat(1 << 20)}` },
    ],
  ])(
    "the output retains an object that both private data and another part of the file refer to, %s",
    async (_, bodies) => {
      const source = new FileBuilder()
        .objects({ ...onePage(), ...bodies })
        .table({ trailer: "/Root 1 0 R/Info 9 0 R" });
      for (const text of await written(source.bytes())) expect(text).toContain("SHARED");
    },
  );

  it("the output retains an object that private data refer to if an object stream of the file is unreadable", async () => {
    const builder = new FileBuilder().objects({ ...onePage(), 3: page("/Thumb 11 0 R"), 11: shared });
    builder.objects({ 12: { dict: "/Type/ObjStm/N 1/First 5/Filter/Unknown", data: "damaged" } });
    const source = builder.xrefStream(14, [[13, 12, 0]]).bytes();
    for (const text of await written(source)) expect(text).toContain("SHARED");
  });
});

test("a reference graph rejects an object whose references exceed the graph's size limit", async () => {
  const { objects } = await open(file(onePage()));
  const graph = new ReferenceGraph(objects.table);
  const million = Array<number>(1 << 20).fill(3);
  expect([graph.add(1, million), graph.add(2, [99, ...million.slice(1)]), graph.add(3, [4, 4])]).toEqual([
    true,
    true,
    false,
  ]);
  const reached = new Uint8Array(objects.table.rows);
  graph.reach([1], reached);
  expect(reached.filter((mark) => mark === 1)).toHaveLength(2);
});
