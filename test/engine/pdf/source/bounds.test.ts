/** Tests hostile files that try to exceed the work limits or to leave a page unmarked. */
import { deflateSync } from "node:zlib";
import { describe, expect, it, test, vi } from "vitest";
import { EngineError } from "../../../../src/engine/index.ts";
import { openPdf } from "../../../../src/engine/pdf/document/openPdf.ts";
import { MemorySource, retryAll } from "../../../../src/engine/pdf/source/byteSource.ts";
import { XrefReader } from "../../../../src/engine/pdf/xref/xref.ts";
import { encode, joined } from "../../../support/bytes.ts";
import { alternating, HOSTILE_FILES, lengthsApart, packedPages, shuffled } from "../../../support/hostileFiles.ts";
import { PdfWriter } from "../../../support/pdfWriter.ts";
import { FileBuilder, file, latin1, onePage, plan, stamp } from "../fixture.ts";

/** Marks a file. Returns the outcome, the length of the output, and the total work that the meter counted. */
async function mark(bytes: Uint8Array) {
  const source = new MemorySource(bytes);
  let outcome = "stamped";
  let length = 0;
  try {
    length = (await joined((await plan(source, { maxPages: 100_000 })).chunks())).length;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    outcome = error.code;
  }
  const { scanned, decoded, retained } = source.meter.used;
  return { outcome, length, work: scanned + decoded + retained };
}

describe("hostile files", () => {
  test.each(Object.entries(HOSTILE_FILES))(
    "the work and the output length for a hostile file grow at most in proportion to the file size: %s",
    async (_, make) => {
      const [small, large] = [make(200), make(400)];
      const [one, two] = [await mark(small), await mark(large)];
      expect(two.outcome).toBe(one.outcome);
      // Read windows grow by factors of eight, so a file of twice the size can take slightly more than twice the work.
      // Quadratic growth would take four times the work.
      expect(two.work / one.work).toBeLessThan(3);
      expect(two.length / (one.length || 1)).toBeLessThan(2.2);
      expect(two.length).toBeLessThanOrEqual(large.length + 1024 * 1024 + 400 * 10 * 4096);
    },
  );
});

it("reading the rows of a large cross-reference stream yields to the event loop", async () => {
  const rows = deflateSync(new Uint8Array(400_000));
  const source = new MemorySource(
    encode(
      `%PDF-1.5\n1 0 obj\n<</Type/XRef/W[1 2 1]/Size 100000/Root 2 0 R/Filter/FlateDecode/Length ${rows.length}>>\nstream\n${latin1(rows)}\nendstream endobj\nstartxref\n9\n%%EOF`,
    ),
  );
  const reader = new XrefReader(source);
  const turns = vi.spyOn(source.meter, "yield");
  await retryAll(source, reader);
  expect(reader.xref.table.rows).toBe(100_000);
  expect(turns.mock.calls.length).toBeGreaterThan(2);
});

/** Returns the number of pages of an output, and the number of pages whose contents have the mark. */
async function markedPages(output: Uint8Array) {
  const document = await openPdf(new MemorySource(output), {});
  const marked = document.pages.filter(({ rewrite }) => /\/Contents ?\[\d+ 0 R .*\d+ 0 R\]/.test(latin1(rewrite.text)));
  return { pages: document.pages.length, marked: marked.length };
}

describe("pages of files with an unusual page tree", () => {
  it.each<[string, Uint8Array, number]>([
    ["pages of many object streams in random order", packedPages(2000, 50, 20_000, shuffled(2000)), 2000],
    ["pages that alternate between two large object streams", packedPages(200, 100, 150_000, alternating(200)), 200],
    ["nodes and pages in alternating object streams", chained(60), 60],
    [
      "a page whose /Type is /Pages and whose /Kids is not an array",
      file({ ...onePage(), 3: "<</Type/Pages/MediaBox[0 0 9 9]/Kids 7>>" }),
      1,
    ],
  ])("marks every page of a file with %s", async (_, bytes, count) => {
    expect(await markedPages(await stamp(bytes, { maxPages: 100_000 }))).toEqual({ pages: count, marked: count });
  });

  it("a page whose /Rotate is null inherits the /Rotate of its page-tree node", async () => {
    const bytes = file({
      ...onePage("/MediaBox[0 0 300 400]/Rotate null"),
      2: "<</Type/Pages/Rotate 90/Kids[3 0 R]>>",
    });
    expect((await openPdf(new MemorySource(bytes), {})).pages[0]!.rotate).toBe(90);
  });
});

it.each([
  ["", "9 0 R"],
  ["/Parent 9 0 R", "/Parent 1 0 R"],
])(
  "the output replaces a missing or wrong /Parent, since readers need /Parent to find inherited attributes",
  async (own, node) => {
    const bytes = file({
      1: "<</Type/Catalog/Pages 2 0 R>>",
      2: "<</Type/Pages/MediaBox[0 0 100 100]/Resources<<>>/Kids[5 0 R]>>",
      3: `<</Type/Page${own}/Contents 4 0 R>>`,
      4: { data: "0 g" },
      5: `<</Type/Pages ${node}/Kids[3 0 R]>>`,
    });
    const output = latin1(await stamp(bytes));
    const [, root] = /\/Type\/Catalog\/Pages (\d+) 0 R/.exec(output)!;
    expect(output).toMatch(
      new RegExp(`\n3 0 obj\n<</Type/Page/Parent ${root} 0 R/MediaBox\\[0 0 100 100\\]/Resources `),
    );
    expect(output.match(/\/Parent/g)).toHaveLength(1);
    expect(output).not.toMatch(/\n[25] 0 obj/);
  },
);

/**
 * Returns a file with a chain of page-tree nodes. The kids of each node are one page and the next node. Two object
 * streams contain the nodes alternately.
 */
function chained(count: number): Uint8Array {
  const writer = new PdfWriter();
  const catalog = writer.reserve();
  const nodes = Array.from({ length: count + 1 }, () => writer.reserve());
  const pages = Array.from({ length: count }, () => writer.reserve());
  const streams: [number, string][][] = [[], []];
  for (let i = 0; i < count; i++) {
    const kids = i + 1 < count ? `${pages[i]} 0 R ${nodes[i + 1]} 0 R` : `${pages[i]} 0 R`;
    streams[i % 2]!.push([nodes[i]!, `<</Type/Pages/MediaBox[0 0 9 9]/Kids[${kids}]>>${" ".repeat(150_000)}`]);
    streams[(i + 1) % 2]!.push([pages[i]!, `<</Type/Page/Parent ${nodes[i]} 0 R>>`]);
  }
  streams[0]!.push([catalog, `<</Type/Catalog/Pages ${nodes[0]} 0 R>>`]);
  for (const members of streams) writer.objectStream(members);
  return writer.finish(catalog, "stream");
}

function escaped(): Uint8Array {
  return file({
    1: "<</Type/Catalog/#50ages 2 0 R>>",
    2: "<</#54ype/Pages/#4bids[3 0 R]/Media#42ox[0 0 300 400]>>",
    3: "<</Type/P#61ge/#52otate 90/Crop#42ox[0 0 100 50]/C#6fntents 4 0 R/#52esources<<>>>>",
    4: { data: "0 g" },
  });
}

it("reads page entries whose names have escapes", async () => {
  const [page] = (await openPdf(new MemorySource(escaped()), {})).pages;
  expect(page).toMatchObject({ rotate: 90, box: { x1: 100, y1: 50 } });
  const output = latin1(await stamp(escaped()));
  expect(output).toMatch(/\/Contents\[\d+ 0 R 4 0 R \d+ 0 R \d+ 0 R\]/);
  expect(output).not.toMatch(/C#6fntents/);
});

describe("damaged files", () => {
  const lost = new FileBuilder().objects({ 4: { data: "0 g" } });
  const members = lost.objectStream(5, {
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: "<</Kids[3 0 R 7 0 R]>>",
    3: "<</Type/Page>>",
  });
  lost.objects({ 8: { dict: "/Type/ObjStm/N 1/First 4/Filter/FlateDecode", data: "not deflated" } });
  const broken = encode(lost.xrefStream(6, members).text.replace(/startxref\n\d+/, "startxref\n0"));

  // The page, object 6, is inside the data of a stream, which a scan for objects skips. The cross-reference entry of
  // object 9 is wrong.
  const within = new FileBuilder().objects({ ...onePage(), 2: "<</Kids[3 0 R 6 0 R]>>" });
  within.objects({ 5: { data: "6 0 obj<</Type/Page>>endobj" }, 9: "null" });
  within.offsets.set(6, within.text.indexOf("6 0 obj"));
  within.offsets.set(9, 20);

  // The data of the object stream end before the second page.
  const cut = new FileBuilder().objects({ 1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Kids[3 0 R 6 0 R]>>" });
  cut.objects({ 5: { dict: "/Type/ObjStm/N 2/First 10", data: "3 0 6 14  <</Type/Page>>" } });
  // Object 5 is an object stream that contains page 6. Another object stream also has a member with the number 5.
  const twice = new FileBuilder().objects({ 1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Kids[3 0 R 6 0 R]>>" });
  const ofPage = twice.objectStream(5, { 6: "<</Type/Page>>" });
  const ofNumber = twice.objectStream(7, { 3: "<</Type/Page>>", 5: "null" });

  const zero = new FileBuilder().objects({ 0: "<</Pages 2 0 R>>", 2: "<</Kids[3 0 R]>>", 3: "<</Type/Page>>" });

  const free = deflateSync(new Uint8Array(600_000 * 3));
  const rows = new FileBuilder().objects(onePage());
  const start = rows.text.length;
  rows.objects({ 5: { dict: "/Type/XRef/W[1 1 1]/Size 600000/Root 1 0 R/Filter/FlateDecode", data: free } });

  /** Returns a file with a page in object stream 5. Object 8 is the cross-reference stream. */
  const withStructure = (entries: string) => {
    const builder = new FileBuilder();
    const { 1: catalog, 2: node, 3: page, ...rest } = onePage(entries) as Record<number, string>;
    builder.objects(rest);
    return builder.xrefStream(8, builder.objectStream(5, { 1: catalog!, 2: node!, 3: page! })).bytes();
  };

  const large = (text: string) => encode(latin1(file(onePage())).replace(text, text.replace("4", "9000000")));

  it.each<[string, Uint8Array, string]>([
    ["pages in an object stream that cannot be read", broken, "damaged_pdf"],
    ["an object number above 8,388,607", large("4 1\n"), "too_complex"],
    ["more free entries than the file size allows", encode(`${rows.text}startxref\n${start}\n%%EOF`), "too_complex"],
    ["pages inside an object that another object overlaps", within.table().bytes(), "damaged_pdf"],
    [
      "a page that is missing because its object stream ends early",
      cut
        .xrefStream(8, [
          [3, 5, 0],
          [6, 5, 1],
        ])
        .bytes(),
      "damaged_pdf",
    ],
    [
      "a page in an object stream that has the same number as another object",
      twice.xrefStream(8, [...ofPage, ...ofNumber]).bytes(),
      "damaged_pdf",
    ],
    ["a catalog with the number 0", zero.table({ trailer: "/Root 0 0 R" }).bytes(), "damaged_pdf"],
    ["contents that are read again for each of many object streams", lengthsApart(2000), "too_complex"],
    [
      "XObjects that are a stream",
      file(onePage("/Contents 4 0 R/Resources<</XObject 5 0 R>>", { 5: { data: "" } })),
      "damaged_pdf",
    ],
    [
      "contents that are the catalog",
      file({ ...onePage("/Contents 1 0 R"), 1: "<</Type/Catalog/Pages 2 0 R/Length 9>>\nstream\n0 g\nendstream" }),
      "damaged_pdf",
    ],
    [
      "contents that are also the usage rights",
      file({
        ...onePage("/Contents 5 0 R"),
        1: "<</Type/Catalog/Pages 2 0 R/Perms 5 0 R>>",
        5: { dict: "/UR3<<>>", data: "0 g" },
      }),
      "damaged_pdf",
    ],
    ["contents that are the cross-reference stream", withStructure("/Contents 8 0 R"), "damaged_pdf"],
    ["contents that are the object stream of their page", withStructure("/Contents 5 0 R"), "damaged_pdf"],
  ])("rejects a damaged file with %s", async (_, bytes, code) => {
    expect((await mark(bytes)).outcome).toBe(code);
  });
});
