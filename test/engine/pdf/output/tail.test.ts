/**
 * Tests the end of the output with a strict reader. Each cross-reference entry must lead to its object, and each object
 * must have an entry.
 */
import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { OpenOptions } from "../../../../src/engine/pdf/document/openPdf.ts";
import type { PdfDocument } from "../../../../src/engine/pdf/document/pdfDocument.ts";
import type { Reference } from "../../../../src/engine/pdf/syntax/values.ts";
import { encode, joined } from "../../../support/bytes.ts";
import { type Bodies, FileBuilder, file, latin1, onePage, open, plan, ranges, stamp } from "../fixture.ts";
import { encryptedPage, VECTORS } from "../security/encryptedFile.ts";

/**
 * A cross-reference entry. Its kind is 0 for a free number, 1 for an uncompressed object, and 2 for an object-stream
 * member (ISO 32000-2, Table 18).
 */
type Entry = { kind: 0 | 1 | 2; place: number; detail: number };
/**
 * A cross-reference section: its entries by object number, the first number and the length of each subsection, and the
 * rest of its dictionary.
 */
type Section = { entries: Map<number, Entry>; subsections: [number, number][]; trailer: string; isStream: boolean };

function readTable(text: string): Section {
  const [, lines, trailer] = /^xref\n((?:\d+ \d+\n(?:\d{10} \d{5} [nf] \n)+)+)trailer\n<<([\s\S]*)>>\nstartxref\n/.exec(
    text,
  )!;
  const [entries, subsections]: [Section["entries"], Section["subsections"]] = [new Map(), []];
  for (const [, first, count, rows] of lines!.matchAll(/(\d+) (\d+)\n((?:\d{10} \d{5} [nf] \n)+)/g)) {
    subsections.push([Number(first), Number(count)]);
    expect(rows).toHaveLength(20 * Number(count));
    for (const [index, row] of rows!.match(/.+\n/g)!.entries())
      entries.set(Number(first) + index, {
        kind: row[17] === "n" ? 1 : 0,
        place: Number(row.slice(0, 10)),
        detail: Number(row.slice(11, 16)),
      });
  }
  return { entries, subsections, trailer: trailer!, isStream: false };
}

/** Reads a cross-reference stream whose rows are encoded with the PNG predictor Up. */
function readStream(text: string): Section {
  const [head, dict] = /^\d+ 0 obj\n<<([\s\S]*?)>>\nstream\n/.exec(text)!;
  const numbersOf = (pattern: RegExp) => pattern.exec(dict!)![1]!.split(" ").map(Number);
  const [length, widths] = [numbersOf(/\/Length (\d+)/)[0]!, numbersOf(/\/W\[([\d ]+)\]/)];
  const data = inflateSync(Buffer.from(text.slice(head.length, head.length + length), "latin1"));
  const width = widths.reduce((sum, each) => sum + each);
  expect(numbersOf(/\/Predictor 12\/Columns (\d+)/)).toEqual([width]);
  const rows: number[][] = [];
  for (let at = 0; at < data.length; at += width + 1) {
    expect(data[at]).toBe(2);
    rows.push([...data.subarray(at + 1, at + 1 + width)].map((byte, x) => (byte + (rows.at(-1)?.[x] ?? 0)) & 255));
  }
  const number = (bytes: number[]) => bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  const index = numbersOf(/\/Index\[([\d ]+)\]/);
  const [entries, subsections]: [Section["entries"], Section["subsections"]] = [new Map(), []];
  let next = 0;
  for (let i = 0; i < index.length; i += 2) {
    subsections.push([index[i]!, index[i + 1]!]);
    for (let num = index[i]!; num < index[i]! + index[i + 1]!; num++) {
      const row = rows[next++]!;
      const place = number(row.slice(1, 1 + widths[1]!));
      entries.set(num, { kind: row[0] as Entry["kind"], place, detail: number(row.slice(1 + widths[1]!)) });
    }
  }
  expect(next).toBe(rows.length);
  return { entries, subsections, trailer: dict!, isStream: true };
}

/** Returns the object numbers in each object stream, by the number of the stream. */
function membersOf(text: string): Map<number, number[]> {
  const streams = /^(\d+) 0 obj\n<<([^>]*\/Type\/ObjStm[^>]*)>>\nstream\n/gm;
  const members = new Map<number, number[]>();
  for (const { 0: head, 1: num, 2: dict, index } of text.matchAll(streams)) {
    const [count, length] = [/\/N (\d+)/, /\/Length (\d+)/].map((pattern) => Number(pattern.exec(dict!)![1]));
    const start = index + head.length;
    const data = latin1(inflateSync(Buffer.from(text.slice(start, start + length!), "latin1")));
    const numbers = data.split(/\s+/, 2 * count!).filter((_, at) => at % 2 === 0);
    members.set(Number(num), numbers.map(Number));
  }
  return members;
}

/** Writes the output, and checks the invariants that every output must have. */
async function tailOf(
  source: Uint8Array,
  options: Partial<OpenOptions> = {},
  change?: (document: PdfDocument) => void,
) {
  const planned = await plan(source, options, change);
  const chunks: number[] = [];
  async function* counted() {
    for await (const chunk of planned.chunks()) {
      chunks.push(chunk.length);
      yield chunk;
    }
  }
  const output = await joined(counted());
  expect(output).toHaveLength(planned.length);
  const text = latin1(output);
  const at = Number(/\nstartxref\n(\d+)\n%%EOF\n$/.exec(text)![1]);
  const section = text.startsWith("xref", at) ? readTable(text.slice(at)) : readStream(text.slice(at));
  const { entries, trailer } = section;
  const members = membersOf(text);
  expect(Number(/\/Size (\d+)/.exec(trailer)![1]), "/Size").toBe(Math.max(...entries.keys()) + 1);
  expect([...entries.keys()], "ascending").toEqual([...entries.keys()].sort((a, b) => a - b));
  expect(entries.get(0), "the head of the free list").toMatchObject({ kind: 0, detail: 65_535 });

  let free = 0;
  for (const [num, { kind, place, detail }] of entries) {
    if (kind === 1) expect(text.slice(place - 1, place + 20)).toMatch(new RegExp(`^\n${num} ${detail} obj\n`));
    if (kind === 2) expect([num, members.get(place)?.[detail]]).toEqual([num, num]);
    if (kind === 0 && num > 0) {
      expect(entries.get(free)!.place, "the next free number").toBe(num);
      free = num;
    }
  }
  expect(entries.get(free)!.place, "the last leads back").toBe(0);
  for (const { 1: num, index } of text.matchAll(/^(\d+) \d+ obj$/gm))
    expect([num, entries.get(Number(num))]).toEqual([num, expect.objectContaining({ kind: 1, place: index })]);
  for (const [stream, numbers] of members) {
    expect(numbers.length, "no object stream is empty").toBeGreaterThan(0);
    for (const [index, num] of numbers.entries())
      expect([num, entries.get(num)]).toEqual([num, { kind: 2, place: stream, detail: index }]);
  }
  return { ...section, text, output, members, chunks, at };
}

const PAGE = "/MediaBox[0 0 300 400]/Contents 4 0 R/Resources 6 0 R";
const PARTS: Record<number, string> = {
  1: "<</Type/Catalog/Pages 2 0 R>>",
  2: "<</Type/Pages/Count 1/Kids[3 0 R]>>",
  3: `<</Type/Page/Parent 2 0 R${PAGE}>>`,
  6: "<</ProcSet[/PDF]>>",
};
/**
 * Returns a file whose objects are in an object stream together with the objects `more`. Only the page contents are
 * outside.
 */
function compressed(more: Record<number, string> = {}, inFile: Bodies = {}): FileBuilder {
  const builder = new FileBuilder().objects({ 4: { data: "0 g" }, ...inFile });
  return builder.xrefStream(7, builder.objectStream(5, { ...PARTS, ...more }));
}
/**
 * Returns a hybrid file: its cross-reference table is complemented by a cross-reference stream with the compressed
 * objects (ISO 32000-2, 7.5.8.4).
 */
function hybrid(): Uint8Array {
  const builder = new FileBuilder().objects(onePage(undefined, { 6: "(six)" }));
  builder.xrefStream(7, builder.objectStream(5, { 8: "(eight)" }));
  const numbers = [1, 2, 3, 4, 5, 6, 7];
  return builder.table({ numbers, trailer: `/Root 1 0 R/XRefStm ${builder.offsets.get(7)}`, size: 9 }).bytes();
}
const numbered = (from: number, count: number, value: (num: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [from + index, value(from + index)]));
/** Returns a file whose cross-reference lists a member of a missing object stream. */
function strayMember(): Uint8Array {
  const builder = new FileBuilder().objects({ 4: { data: "0 g" } });
  return builder.xrefStream(7, [...builder.objectStream(5, PARTS), [9, 8, 5]]).bytes();
}
/** Returns a file with neither a cross-reference nor a final line end. Its first object is the page. */
const scanned = () => {
  const { 3: page, ...others } = onePage();
  return encode(new FileBuilder().objects({ 3: page! }).text + new FileBuilder("").objects(others).text.trimEnd());
};
const STRAY = "<</Type/Page/Stray true>>";

describe("cross-references", () => {
  it.each<[string, Uint8Array, { isStream: boolean; keeps?: number[]; frees?: number[] }]>([
    ["a file with a table", file(onePage()), { isStream: false, keeps: [4], frees: [2] }],
    [
      "a file with gaps between object numbers",
      file(onePage(undefined, { 9: "(nine)", 12: "(twelve)" })),
      { isStream: false, keeps: [9, 12], frees: [5, 8, 10] },
    ],
    [
      "a file with a distant object number",
      file(onePage(undefined, { 5000: "(far)" })),
      { isStream: false, keeps: [4, 5000] },
    ],
    [
      "a file with the largest object number",
      file(onePage(undefined, { 8388607: "(last)" })),
      { isStream: false, keeps: [4, 8_388_607] },
    ],
    [
      "a file with a cross-reference stream",
      new FileBuilder().objects(onePage()).xrefStream(5).bytes(),
      { isStream: true, keeps: [4] },
    ],
    ["a file with object streams", compressed({ 8: "(eight)" }).bytes(), { isStream: true, keeps: [8], frees: [5, 7] }],
    [
      "a file with unchanged object streams",
      pagesInFile().bytes(),
      { isStream: true, keeps: [4, 8, 9], frees: [2, 7] },
    ],
    ["a hybrid file", hybrid(), { isStream: true, keeps: [6, 8] }],
    [
      "a file with an unlisted page",
      file(onePage(undefined, { 7: STRAY, 8: "(eight)" })),
      { isStream: false, keeps: [8], frees: [7] },
    ],
    ["a file with junk before its header", encode(`junk\n${latin1(file(onePage()))}`), { isStream: false, keeps: [4] }],
    [
      "a file without a header",
      encode(latin1(file(onePage())).replace("%PDF-1.7", "%XYZ-1.7")),
      { isStream: false, keeps: [4] },
    ],
    ["a file that was scanned", scanned(), { isStream: false }],
    ["a file with a member of a missing object stream", strayMember(), { isStream: true, frees: [9] }],
  ])(
    "the cross-reference lists exactly the objects of the output if the source is %s",
    async (_, source, { isStream, keeps = [], frees = [] }) => {
      const tail = await tailOf(source);
      expect(tail.isStream).toBe(isStream);
      const [before, after] = await Promise.all([open(source), open(tail.output)]);
      for (const num of keeps) {
        const [was, is] = await Promise.all(
          [before, after].map(({ objects }) => objects.run(() => objects.value(num))),
        );
        expect([num, is]).toEqual([num, was]);
      }
      for (const num of frees) expect([num, tail.entries.get(num)?.kind ?? 0]).toEqual([num, 0]);
      expect(tail.entries.get(9)?.kind === 0 ? tail.entries.get(9)!.detail : 0, "no index for a generation").toBe(0);
    },
  );

  /** Returns a file whose objects are in an object stream, except its page and content. */
  function pagesInFile(): FileBuilder {
    const { 3: page, ...others } = PARTS;
    const builder = new FileBuilder().objects({ 3: page!, 4: { data: "0 g" } });
    return builder.xrefStream(7, builder.objectStream(5, { ...others, 8: "(eight)", 9: "(nine)" }));
  }
});

describe("free object numbers", () => {
  const subsections = async (bodies: Bodies) => (await tailOf(file(onePage(undefined, bodies)))).subsections;
  it("the cross-reference has one subsection each for source objects and new objects, unless many numbers are free", async () => {
    const some = expect.any(Number);
    expect(await subsections({ 20: "(a)" })).toEqual([
      [0, 21],
      [1021, some],
    ]);
    expect(await subsections({ 1000: "(a)" })).toEqual([
      [0, 1001],
      [2001, some],
    ]);
    const most = numbered(10, 300, () => "(a)");
    expect(await subsections({ ...most, 1500: "(a)" })).toEqual([
      [0, 1501],
      [2501, some],
    ]);
    expect(await subsections({ 5000: "(a)" })).toEqual([
      [0, 5],
      [5000, 1],
      [6001, some],
    ]);
  });

  it("new objects get free object numbers if the source already uses the largest object number", async () => {
    const { entries, subsections } = await tailOf(file(onePage(undefined, { 8388607: "(last)" })));
    expect(subsections.at(-1)).toEqual([8_388_607, 1]);
    expect(entries.size).toBeLessThan(20);
  });

  it.each([
    [0, 1],
    [7, 8],
    [65_535, 65_535],
  ])("the cross-reference entry of a freed object of generation %i has generation %i", async (gen, next) => {
    const builder = new FileBuilder().objects(onePage());
    builder.offsets.set(9, builder.text.length);
    builder.text += `9 ${gen} obj\n${STRAY}\nendobj\n`;
    builder.table().text = builder.text.replace(/(\n9 1\n\d{10} )00000/, `$1${String(gen).padStart(5, "0")}`);
    const { entries } = await tailOf(builder.bytes());
    expect(entries.get(9)).toMatchObject({ kind: 0, detail: next });
  });

  it("an object number that is free in the source keeps its generation in the output", async () => {
    const source = latin1(file(onePage())).replace(
      "xref\n0 1\n0000000000 65535 f \n",
      (head) => `${head}9 1\n0000000000 00005 f \n`,
    );
    const { entries } = await tailOf(encode(source));
    expect(entries.get(9)).toMatchObject({ kind: 0, detail: 5 });
  });
});

describe("an object stream", () => {
  const sizes = (members: Map<number, number[]>) => [...members.values()].map(({ length }) => length);

  it("an object stream of the output has at most 200 objects, even if it replaces a larger object stream", async () => {
    const { members } = await tailOf(compressed(numbered(10, 450, (num) => `(${num})`)).bytes());
    expect(Math.max(...sizes(members))).toBe(200);
    const found = [...members.values()].flat();
    expect(found).toEqual(expect.arrayContaining(Array.from({ length: 450 }, (_, index) => index + 10)));
  });

  it("an object stream of the output ends after one megabyte of data", async () => {
    const { members } = await tailOf(
      compressed(numbered(10, 3, (num) => `(${String(num).repeat(num < 12 ? 263_000 : 1)})`)).bytes(),
    );
    const streams = [...members.values()].map((numbers) => numbers.filter((num) => num >= 10).length);
    expect(streams.filter((count) => count > 0)).toEqual([2, 1]);
  });

  it("the output separates new objects, old members and rewritten objects by object stream, and leaves pages uncompressed", async () => {
    const builder = new FileBuilder().objects({ 4: { data: "0 g" } });
    const [second, { 3: page, ...first }] = [PAGE.replace("4 0 R", "4 0 R/Second true"), PARTS];
    const members = [
      ...builder.objectStream(5, { ...first, 2: "<</Type/Pages/Count 2/Kids[3 0 R 10 0 R]>>", 3: page!, 8: "(eight)" }),
      ...builder.objectStream(9, { 10: `<</Type/Page/Parent 2 0 R${second}>>`, 11: "(eleven)" }),
    ];
    const source = builder.xrefStream(7, members).bytes();
    const tail = await tailOf(source, {}, (document) => void document.add("(new)"));
    const streams = [...tail.members.values()].map((numbers) => numbers.filter((num) => num <= 11));
    expect(streams).toEqual([[], [8], [11], [6]]);
    for (const num of [1, 3, 10]) expect([num, tail.entries.get(num)?.kind]).toEqual([num, 1]);
  });

  it("new objects are in object streams only if the source has a cross-reference stream", async () => {
    const kindOfNew = async (source: Uint8Array) => {
      let num = 0;
      const { entries } = await tailOf(source, {}, (document) => {
        num = Number.parseInt(document.add("(new)"), 10);
      });
      return entries.get(num)?.kind;
    };
    expect([await kindOfNew(compressed().bytes()), await kindOfNew(file(onePage()))]).toEqual([2, 1]);
  });
});

describe("the order of the tail", () => {
  it.each<[string, Uint8Array]>([
    ["a file with a table", file({ ...PARTS, 4: { data: "0 g" } })],
    ["a file with object streams", compressed().bytes()],
    ["a file whose page alone is uncompressed", compressed({}, { 3: PARTS[3]! }).bytes()],
  ])(
    "the page, the page-tree node and the catalog are, in this order, the last objects in the output of %s",
    async (_, source) => {
      const { entries, at, output } = await tailOf(source);
      const root = await open(output).then(({ catalog }) => catalog.get("Pages") as Reference);
      const places = [...entries].filter(([, { kind, place }]) => kind === 1 && place < at);
      const inOrder = places.sort(([, a], [, b]) => a.place - b.place).map(([num]) => num);
      expect(inOrder.slice(-3)).toEqual([3, root.num, 1]);
    },
  );
});

it("the output after the copied source is written in chunks of at most a quarter of a megabyte", async () => {
  const pages = numbered(10, 1000, () => `<</Type/Page/Parent 2 0 R${PAGE}/Filler(${"x".repeat(150)})>>`);
  const kids = Object.keys(pages).map((num) => `${num} 0 R`);
  const { 3: _, ...others } = PARTS;
  const source = file({
    ...others,
    2: `<</Type/Pages/Count 1000/Kids[${kids.join(" ")}]>>`,
    4: { data: "0 g" },
    ...pages,
  });
  const planned = await plan(source, { maxPages: 1000 });
  const sizes: number[] = [];
  let copied = 0;
  for await (const chunk of planned.chunks()) {
    if (copied < source.length - 100_000) copied += chunk.length;
    else sizes.push(chunk.length);
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
  expect(sizes.length).toBeLessThan(12);
});

describe("the trailer", () => {
  it("the output's trailer retains /Encrypt and the half of /ID that the encryption key uses", async () => {
    const [vector] = VECTORS;
    const source = encryptedPage(vector!);
    const [, id] = /\/ID ?\[ ?<(\w+)>/.exec(latin1(source))!;
    const { trailer } = await tailOf(source, { password: vector!.user });
    expect(trailer).toMatch(/\/Encrypt ?5 0 R/);
    expect(trailer.toLowerCase()).toContain(`/id[<${id!.toLowerCase()}>`);
  });

  const trailerOf = async (trailer: string) =>
    (await tailOf(new FileBuilder().objects(onePage()).table({ trailer }).bytes())).trailer;

  it("the output's trailer retains entries that do not describe a cross-reference section", async () => {
    const trailer = await trailerOf("/Root 1 0 R/Info<</Title(a title)>>/Mine[1 2]/DocChecksum/abc/Filter/None/Prev 9");
    expect(trailer).toMatch(/\/Mine ?\[1 2\]/);
    expect(trailer).toMatch(/\/DocChecksum ?\/abc/);
    expect(trailer).toMatch(/\/Info ?<<\/Title\(a title\)>>/);
    expect(trailer.match(/\/Root/g)).toHaveLength(1);
    expect(trailer).not.toMatch(/\/Filter|\/Prev/);
  });

  it("the output's trailer omits a key without a value", async () => {
    const builder = new FileBuilder().objects(onePage()).table();
    builder.text = builder.text.replace(/\/Size \d+>>/, "/Mine[1]$&").replace(">>\nstartxref", "/Without>>\nstartxref");
    const { trailer } = await tailOf(builder.bytes());
    expect(trailer).toMatch(/\/Mine ?\[1\]/);
    expect(trailer).not.toMatch(/Without/);
  });

  it("the output's trailer takes /Root and /Info from an older trailer if the newest trailer lacks them", async () => {
    const builder = new FileBuilder().objects(onePage()).table({ trailer: "/Root 1 0 R/Info<</Title(older)>>/Old(a)" });
    const previous = /startxref\n(\d+)/.exec(builder.text)![1];
    const { trailer } = await tailOf(builder.table({ trailer: `/New(b)/Prev ${previous}` }).bytes());
    expect(trailer).toMatch(/\/New ?\(b\)/);
    expect(trailer).toMatch(/\/Info ?<<\/Title\(older\)>>/);
    expect(trailer).not.toMatch(/\/Old/);
  });

  it("the output's trailer has null in place of an unknown keyword", async () => {
    expect(await trailerOf("/Root 1 0 R/Mine garbage")).toMatch(/\/Mine null/);
  });
});

describe("growth of the output", () => {
  /**
   * Returns a file with a page object of more than `bytes` bytes. The output rewrites the object and erases its old
   * bytes.
   */
  const pageOf = (bytes: number) => file(onePage(`/MediaBox[0 0 300 400]/Contents 4 0 R/Filler(${"x".repeat(bytes)})`));

  /**
   * Returns a file whose page has `count` content streams, each inside the data of the previous stream. The output must
   * therefore rewrite each stream.
   */
  const nested = (count: number) => {
    const numbers = Array.from({ length: count }, (_, index) => 10 + index);
    const builder = new FileBuilder().objects(onePage(`/Contents[${numbers.map((num) => `${num} 0 R`).join(" ")}]`));
    let data = "x".repeat(100_000);
    const lengths = numbers.toReversed().map((num) => {
      data = `${num} 0 obj<</A 1 2/Length ${data.length}>>stream\n${data}`;
      return data.length;
    });
    const end = builder.text.length + data.length;
    for (const num of numbers) builder.offsets.set(num, end - lengths.pop()!);
    builder.text += `${data}\nendstream\nendobj\n`;
    return builder.table().bytes();
  };

  it.each([
    ["in memory", (bytes: Uint8Array) => bytes],
    ["from byte ranges", ranges],
  ])("rejects a file if its output would be much larger than its pages justify, %s", async (_, from) => {
    await expect(plan(from(nested(15)))).rejects.toMatchObject({
      code: "too_complex",
      message: expect.stringContaining("would be too large"),
    });
    await plan(from(nested(10)));
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      "the mark",
      () => tailOf(file(onePage()), {}, (document) => void document.add({ dict: "", data: new Uint8Array(2_000_000) })),
    ],
    ["a rewritten page", () => tailOf(pageOf(1_100_000))],
    [
      "a table that is erased before an update",
      () => {
        const builder = new FileBuilder().objects(onePage()).table();
        const older = builder.text.lastIndexOf("\nxref") + 1;
        const rows = `10 60000\n${"0000000000 00001 f \n".repeat(60_000)}`;
        builder.text = builder.text.replace("trailer", (word) => rows + word);
        return plan(
          builder
            .objects({ 4: { data: "1 g" } })
            .table({ trailer: `/Root 1 0 R/Prev ${older}` })
            .bytes(),
        );
      },
    ],
    [
      "content with a corrected length",
      () => tailOf(file(onePage(undefined, { 4: `<</Length 9>>stream\n${"0 g\n".repeat(500_000)}\nendstream` }))),
    ],
  ])("accepts a large output if its size is due to %s", async (_, make) => {
    await make();
  });
});

it.each(["[/A 0 R]", "[R]", "[(a) R]"])(
  "the output's trailer omits an entry that may contain a malformed reference: %s",
  async (value) => {
    const builder = new FileBuilder().objects(onePage()).table({ trailer: `/Root 1 0 R/X${value}/Y(kept)` });
    const output = latin1(await stamp(builder.bytes()));
    const trailer = output.slice(output.lastIndexOf("trailer"));
    expect(trailer).toContain("/Y(kept)");
    expect(trailer).not.toContain("/X");
  },
);
