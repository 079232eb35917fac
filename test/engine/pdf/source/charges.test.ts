/** Tests small files that cause much work. The engine either avoids the work or charges it to the meter. */
import { deflateSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { decodeStream } from "../../../../src/engine/pdf/objects/filters.ts";
import { Objects } from "../../../../src/engine/pdf/objects/objects.ts";
import { findEndobj, isEndOfData } from "../../../../src/engine/pdf/objects/streams.ts";
import { IN_FILE, IN_STREAM, XrefTable } from "../../../../src/engine/pdf/objects/xrefTable.ts";
import { Boundaries, SECTION } from "../../../../src/engine/pdf/output/boundaries.ts";
import { checkBoundaries } from "../../../../src/engine/pdf/output/extents.ts";
import { KidList } from "../../../../src/engine/pdf/pages/kids.ts";
import { PageInkReader } from "../../../../src/engine/pdf/pages/pageInk.ts";
import { listPages, type TreeNode } from "../../../../src/engine/pdf/pages/treeNode.ts";
import type { Cipher } from "../../../../src/engine/pdf/security/encryption.ts";
import { MemorySource } from "../../../../src/engine/pdf/source/byteSource.ts";
import { Meter } from "../../../../src/engine/pdf/source/meter.ts";
import { Malformed } from "../../../../src/engine/pdf/syntax/lexer.ts";
import type { Value } from "../../../../src/engine/pdf/syntax/values.ts";
import { encode } from "../../../support/bytes.ts";
import { type Bodies, FileBuilder, file, onePage, open, outcome, plan } from "../fixture.ts";

/** Returns a file whose cross-reference stream has the dictionary entries `dict` and the rows `rows`. */
function withRows(dict: string, rows: Uint8Array): Uint8Array {
  const builder = new FileBuilder().objects(onePage());
  const at = builder.text.length;
  const data = deflateSync(rows);
  builder.objects({ 9: { dict: `/Type/XRef/Root 1 0 R/Filter/FlateDecode${dict}`, data } });
  builder.text += `startxref\n${at}\n%%EOF\n`;
  return builder.bytes();
}

/**
 * Returns a file without a cross-reference: one page, the objects `more`, and `trailers`. The engine finds the objects
 * only in a scan.
 */
const scanned = (trailers: string, more: Bodies = {}) => {
  const builder = new FileBuilder().objects({ ...onePage(), ...more });
  builder.text += `${trailers}trailer\n<</Root 1 0 R>>\n`;
  return builder.bytes();
};

/** Returns a file with one page and `count` revisions, each with a new cross-reference stream. */
function revised(count: number): Uint8Array {
  const builder = new FileBuilder().objects(onePage());
  for (let previous = "", revision = 0; revision < count; revision++) {
    const at = builder.text.length;
    builder.xrefStream(9, [], `/Root 1 0 R${previous}`);
    previous = `/Prev ${at}`;
  }
  return builder.bytes();
}

/**
 * Returns a file with one page and `count` revisions, each with a new cross-reference table. Only the oldest table has
 * entries.
 */
function tables(count: number): Uint8Array {
  const builder = new FileBuilder().objects(onePage()).table();
  const from = builder.text.lastIndexOf("\nxref") + 1;
  const parts = [builder.text];
  let previous = from;
  let at = builder.text.length;
  for (let i = 1; i < count; i++) {
    const part = `xref\n0 0\ntrailer\n<</Root 1 0 R/Prev ${previous}>>\n`;
    parts.push(part);
    previous = at;
    at += part.length;
  }
  return encode(`${parts.join("")}startxref\n${previous}\n%%EOF\n`);
}

test("rejects a file with too many revisions, since ignoring the oldest revision would lose objects", async () => {
  expect(await outcome(tables(10_001))).toBe("too_complex");
});

describe("cross-reference streams", () => {
  // Readers reject these object numbers, so the engine stores no row for them.
  const BEYOND = "/Index[8388608 9999999999999]";

  test("every row of a cross-reference stream counts against the work limit, even without an effect", async () => {
    expect(await outcome(withRows(`/W[0 1 0]${BEYOND}`, new Uint8Array(19_000_000)))).toBe("too_complex");
  });

  test("accepts thousands of revisions if their cross-reference streams are short", async () => {
    expect(await outcome(revised(3000))).toBe("stamped");
  });

  test.each([
    ["fields that are a fraction of a byte wide", `/W[0 .00000001 0]${BEYOND}`],
    ["rows for negative object numbers", "/W[1 2 1]/Index[-1 3]"],
    ["a fractional number of rows", "/W[1 2 1]/Index[0.5 3]"],
  ])("the engine scans a file for objects if the file's cross-reference stream has %s", async (_, dict) => {
    expect(await outcome(withRows(dict, new Uint8Array(200)))).toBe("stamped");
  });
});

test("each entry of an object stream counts against the work limit, even if object numbers repeat", async () => {
  const data = deflateSync(Buffer.from("0 0 ".repeat(490_000)));
  const streams = Array.from({ length: 10 }, (_, i) => [
    10 + i,
    { dict: "/Type/ObjStm/N 490000/First 1960000/Filter/FlateDecode", data },
  ]);
  expect(await outcome(scanned("", Object.fromEntries(streams)))).toBe("too_complex");
});

test("every trailer that a scan finds counts against the memory limit", async () => {
  const trailer = `trailer\n<</A[${"()".repeat(50_000)}]>>\n`;
  expect(await outcome(scanned(trailer))).toBe("stamped");
  expect(await outcome(scanned(trailer.repeat(6)))).toBe("too_complex");
});

test("catalog values that the engine does not need do not count against an object's memory limit", async () => {
  const catalog = `<</Type/Catalog/Pages 2 0 R/PageLabels<</Nums[${"()".repeat(60_000)}]>>>>`;
  expect(await outcome(file(onePage(undefined, { 1: catalog })))).toBe("stamped");
  expect(await outcome(scanned("", { 1: catalog }))).toBe("stamped");
});

describe("filters", () => {
  const decode = (entries: [string, Value][], data: Uint8Array) => {
    const meter = new Meter(data.length);
    return { bytes: decodeStream(new Map(entries), data, meter), scanned: meter.used.scanned };
  };
  /** Work charged for each filter, even for empty data. */
  const FILTER = 4096;

  test("rejects a stream with more than 16 filters", () => {
    const filters = (count: number): [string, Value][] => [["Filter", Array<Value>(count).fill("RL")]];
    expect(decode(filters(16), new Uint8Array()).bytes).toHaveLength(0);
    expect(() => decode(filters(17), new Uint8Array())).toThrow(Malformed);
  });

  test("each filter of a stream counts against the work limit, even for empty data", () => {
    expect(decode([["Filter", Array<Value>(16).fill("LZW")]], new Uint8Array()).scanned).toBe(16 * FILTER);
  });

  test("each row of a predictor counts against the work limit", () => {
    const params: Value = new Map<string, Value>([["Predictor", 15]]);
    const data = deflateSync(new Uint8Array(2000));
    const { bytes, scanned } = decode(
      [
        ["Filter", "Fl"],
        ["DecodeParms", params],
      ],
      data,
    );
    expect([bytes.length, scanned]).toEqual([1000, FILTER + 16 * 1000 + 4 * 2000 + 10 * data.length]);
  });

  test("rejects a stream whose filters together exceed the work limit", () => {
    const END = 128;
    const most = ((128 << 20) - FILTER) / 4;
    expect(decode([["Filter", "RL"]], new Uint8Array(most).fill(END)).bytes).toHaveLength(0);
    expect(() => decode([["Filter", "RL"]], new Uint8Array(most + 1).fill(END))).toThrow("takes too long");
    const literals = new Uint8Array(129 * 150_000).map((_, at) => (at % 129 === 0 ? 127 : END));
    const twice: Value = ["RL", "RL"];
    expect(decode([["Filter", twice]], literals.subarray(0, 129 * 120_000)).bytes).toHaveLength(0);
    expect(() => decode([["Filter", twice]], literals)).toThrow("takes too long");
  });

  test("empty Deflate blocks count against the work limit each time they are inflated", () => {
    const empty = Array.from({ length: 1000 }, () => [0, 0, 0, 0xff, 0xff]).flat();
    const blocks = [0x78, 0x9c, ...empty, 1, 0, 0, 0xff, 0xff];
    const [intact, withoutSum] = [[...blocks, 0, 0, 0, 1], blocks].map((data) =>
      decode([["Filter", "Fl"]], new Uint8Array(data)),
    );
    expect([intact!.bytes.length, intact!.scanned]).toEqual([0, FILTER + 10 * (blocks.length + 4)]);
    expect([withoutSum!.bytes.length, withoutSum!.scanned]).toEqual([0, FILTER + 10 * blocks.length]);
    const wrongSum = decode([["Filter", "Fl"]], new Uint8Array([...blocks, 9, 9, 9, 9]));
    expect([wrongSum.bytes.length, wrongSum.scanned]).toEqual([0, FILTER + 2 * 10 * (blocks.length + 4)]);
  });

  test.each(["AHx", "A85", "LZW"])(
    "the input of the filter %s counts against the work limit even if its output is empty",
    (filter) => {
      // For LZW, the second code marks the end of the data.
      const END = new Uint8Array(1000).fill(" ".charCodeAt(0)).fill(128, 0, 2);
      const { bytes, scanned } = decode([["Filter", filter]], END);
      expect([bytes.buffer.byteLength, scanned]).toEqual([0, FILTER + 4000]);
    },
  );
});

test("cross-reference streams that a scan finds count against the memory limit", async () => {
  const kept = async (more: string) => {
    const source = new MemorySource(scanned(more));
    await open(source);
    return source.meter.used.retained;
  };
  const values = 1000;
  const stream = `9 0 obj<</Type/XRef/A[${"()".repeat(values)}]/Length 0>>stream\n\nendstream endobj\n`;
  expect((await kept(stream)) - (await kept(""))).toBeGreaterThan(256 * values);
});

test.each([
  ["that is complete", "]"],
  ["that is malformed at its end", "}"],
])("the parsed part of a value %s counts against the work limit", async (_, end) => {
  const value = `[${"0 ".repeat(1000)}${end}`;
  const { objects } = await open(file(onePage("", { 5: value })));
  const { meter } = objects.source;
  const before = meter.used.scanned;
  await objects.run(() => objects.value(5)).catch((error) => expect(error).toBeInstanceOf(Malformed));
  expect(meter.used.scanned - before).toBeGreaterThan(32 * 2000);
});

test("the memory overhead of a copied object-stream member counts against the memory limit", async () => {
  const { objects } = await open(scanned("", { 5: { dict: "/Type/ObjStm/N 1/First 6", data: "100 0 [1]" } }));
  const { meter } = objects.source;
  const before = meter.used.retained;
  await objects.run(() => objects.value(100));
  expect(meter.used.retained - before).toBeGreaterThan(192);
});

test("the copied header of an object stream counts against the work limit", async () => {
  const { objects } = await open(
    scanned("", {
      5: { dict: "/Type/ObjStm/N 1/First 99999999", data: `100 0 ${" ".repeat(50_000)}` },
    }),
  );
  const source = new MemorySource(objects.source.bytes(0, objects.source.length));
  new Objects(source, objects.table, true).stream(5);
  expect(source.meter.used.scanned).toBeGreaterThan(50_000);
});

/** Returns a file whose page tree has one page and `nodes` empty nodes. */
function barren(nodes: number): Uint8Array {
  const numbers = Array.from({ length: nodes }, (_, index) => 10 + index);
  const objects = Object.fromEntries(numbers.map((num) => [num, "<</Type/Pages/Count 1/Parent 2 0 R/Kids[]>>"]));
  const kids = numbers.map((num) => `${num} 0 R`).join(" ");
  return file({ ...onePage("", objects), 2: `<</Type/Pages/Count 1/Kids[3 0 R ${kids}]>>` });
}

test.each([
  ["content is too long", 9, 0, ""],
  ["content is damaged at its end", 3, 1, ""],
  ["forms are too long", 9, 0, "/Subtype/Form/BBox[0 0 9 9]"],
  ["images are too long", 9, 0, "/Subtype/Image/Width 9/Height 9/BitsPerComponent 8/ColorSpace/DeviceGray"],
])(
  "checking and searching pages stops after 128 to 136 MB of discarded bytes if the pages' %s",
  async (_, size, damage, kind) => {
    const data = deflateSync(new Uint8Array(size << 20).fill(32));
    data[data.length - 1]! ^= damage;
    const bodies: Bodies = { 1: "<</Type/Catalog/Pages 2 0 R>>" };
    const kids = Array.from({ length: 100 }, (_, index) => 3 + 3 * index);
    for (const num of kids) {
      const resources = `/Resources<</XObject<</X ${num + 2} 0 R>>>>`;
      bodies[num] = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents ${num + 1} 0 R${resources}>>`;
      bodies[num + 1] = { data: "9 0 0 9 0 0 cm /X Do" };
      bodies[kind ? num + 2 : num + 1] = { dict: `/Filter/FlateDecode${kind}`, data };
    }
    bodies[2] = `<</Type/Pages/Count 100/Kids[${kids.map((num) => `${num} 0 R`).join(" ")}]>>`;
    const { objects, pages } = await open(file(bodies));
    const reader = new PageInkReader(objects);
    for (const page of pages) await reader.read(page, { ink() {} });
    expect(objects.source.meter.used.discarded).toBeGreaterThanOrEqual(128 << 20);
    expect(objects.source.meter.used.discarded).toBeLessThanOrEqual(136 << 20);
  },
);

test("decodes an object stream that is too long only once, even if every page refers to an annotation in the stream", async () => {
  const kids = Array.from({ length: 20 }, (_, index) => `${10 + index} 0 R`);
  const page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Annots[5 0 R]>>";
  const data = deflateSync(new Uint8Array(24 << 20).fill(32));
  const builder = new FileBuilder().objects({
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: `<</Type/Pages/Count 20/Kids[${kids.join(" ")}]>>`,
    ...Object.fromEntries(kids.map((_, index) => [10 + index, page])),
    6: { dict: "/Type/ObjStm/N 1/First 4/Filter/FlateDecode", data },
  });
  const { objects, pages } = await open(builder.xrefStream(7, [[5, 6, 0]]).bytes());
  const reader = new PageInkReader(objects);
  for (const each of pages) await reader.read(each, { ink() {} });
  expect(objects.source.meter.used.discarded).toBeLessThan(48 << 20);
});

test("page-tree nodes count against the memory limit, even if they are empty", async () => {
  const kept = async (nodes: number) => (await open(barren(nodes))).objects.source.meter.used.retained;
  expect((await kept(20)) - (await kept(10))).toBeGreaterThanOrEqual(10 * 512);
});

test("counting the pages of a page tree yields to the event loop", async () => {
  const meter = new Meter(0);
  const turns = vi.spyOn(meter, "yield");
  const kids = new KidList();
  const empty = { kids, found: [], next: 0, dictionaries: 1, count: undefined, leastPages: 0 };
  const found = Array.from(
    { length: 50_000 },
    () => ({ ...empty, kids: new KidList(), found: [] }) as unknown as TreeNode,
  );
  for (const index of found.keys()) kids.addReference(10 + index);
  const top = { ...empty, found } as unknown as TreeNode;
  await listPages(top, 1, meter);
  expect(turns.mock.calls.length).toBeGreaterThan(3);
});

const pageWith = (entries: string) => file(onePage(`/MediaBox[0 0 300 400]${entries}`));

test.each(["/Contents<</A[%]>>", "/Contents 4 0 R/Resources[%]"])(
  "the engine does not parse a page entry whose value has a wrong type: %s",
  async (entries) => {
    const parsed = 600_000; // the values need more memory than the limit for one object allows
    expect(await outcome(pageWith(entries.replace("%", "0 ".repeat(parsed))))).toBe(
      await outcome(pageWith(entries.replace("%", "0"))),
    );
  },
);

test("reading many large pages yields to the event loop", async () => {
  const kids = Array.from({ length: 20 }, (_, index) => 10 + index);
  const page = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Resources<<>>/Other(${"a".repeat(200_000)})>>`;
  const objects = Object.fromEntries(kids.map((num) => [num, page]));
  const pages = `<</Type/Pages/Count ${kids.length}/Kids[${kids.map((num) => `${num} 0 R`).join(" ")}]>>`;
  const source = new MemorySource(file({ ...onePage("", objects), 2: pages }));
  const turns = vi.spyOn(source.meter, "yield");
  await open(source);
  expect(turns.mock.calls.length).toBeGreaterThanOrEqual(kids.length);
});

test("decrypting an object stream counts against the work limit, and decoding it yields to the event loop", async () => {
  const data = `100 0 [1]${" ".repeat(1 << 20)}`;
  const { objects } = await open(scanned("", { 5: { dict: "/Type/ObjStm/N 1/First 6", data } }));
  const work = async (cipher?: Partial<Cipher>) => {
    const source = new MemorySource(objects.source.bytes(0, objects.source.length));
    const turns = vi.spyOn(source.meter, "yield");
    const objectsAgain = new Objects(source, objects.table, true);
    objectsAgain.cipher = cipher as Cipher;
    await objectsAgain.run(() => objectsAgain.value(100));
    return { scanned: source.meter.used.scanned, turns: turns.mock.calls.length };
  };
  const [plain, encrypted] = [await work(), await work({ decryptStream: (_num, _gen, bytes) => bytes })];
  expect(encrypted.scanned - plain.scanned).toBe(2 * data.length);
  expect(encrypted.turns).toBe(1);
});

/**
 * Returns a file with `depth` pages outside the page tree. Each of these pages is inside a string of the previous page.
 * The file also has `rows` cross-reference rows without effect.
 */
function strays(depth: number, rows: number): Uint8Array {
  const builder = new FileBuilder().objects(onePage());
  for (let num = 10; num < 10 + depth; num++) {
    builder.offsets.set(num, builder.text.length);
    builder.text += `${num} 0 obj<</Type/Page/A(`;
  }
  builder.text += ")>>endobj\n".repeat(depth);
  const older = builder.text.length;
  const index = `/W[1 0 0]/Index[${"1 4 ".repeat(rows / 4)}]`;
  const data = deflateSync(new Uint8Array(rows));
  builder.objects({ 9: { dict: `/Type/XRef/Root 1 0 R/Filter/FlateDecode${index}`, data } });
  return builder.table({ trailer: `/Root 1 0 R/Prev ${older}` }).bytes();
}

test("all cross-reference rows count against the work limit each time erasing a page uncovers another page", async () => {
  const rows = 10_000;
  const scanned = async (depth: number) => {
    const source = new MemorySource(strays(depth, rows));
    await plan(source);
    return source.meter.used.scanned;
  };
  expect((await scanned(4)) - (await scanned(2))).toBeGreaterThan(2 * 32 * rows);
});

test("checking the boundaries of erased parts yields to the event loop", async () => {
  const { objects } = await open(file(onePage()));
  const turns = vi.spyOn(objects.source.meter, "yield");
  const boundaries = new Boundaries(300_000);
  for (let i = 0; i < 300_000; i++) boundaries.add(i, SECTION);
  await checkBoundaries(objects, boundaries, new Set());
  expect(turns.mock.calls.length).toBeGreaterThan(3);
});

test("the cross-reference table sorts its offsets again only after an uncompressed object is added or removed", () => {
  const table = new XrefTable(1000);
  table.replace(1, IN_FILE, 10, 0);
  table.replace(2, IN_FILE, 20, 0);
  expect([table.nextOffset(10), table.isSorted]).toEqual([20, true]);
  table.replace(3, IN_STREAM, 1, 0);
  expect(table.isSorted).toBe(true);
  table.replace(2, IN_STREAM, 1, 1);
  expect([table.isSorted, table.nextOffset(10)]).toEqual([false, Number.POSITIVE_INFINITY]);
});

test.each(["/MediaBox[0 0 300 400", "/Rotate[0", "/UserUnit[1"])(
  "rejects a page entry that is too long to read: %s …]",
  async (begun) => {
    const page = `<</Type/Page/Parent 2 0 R${begun}${" 1-".repeat(25_000)}]>>`;
    expect(await outcome(file(onePage("", { 3: page })))).toBe("too_complex");
    expect(await outcome(file(onePage("", { 3: page.replace(/( 1-)+\]/, "]") })))).not.toBe("too_complex");
  },
);

test("each candidate `endobj` counts against the work limit, and the search stops after a few candidates", () => {
  const source = new MemorySource(encode("\nendobj ".repeat(50_000)));
  expect(findEndobj(source, 0, source.length)).toBeUndefined();
  expect(source.meter.used.scanned).toBeGreaterThan(2000);
  expect(source.meter.used.scanned).toBeLessThan(20_000);
});

test("white space after stream data counts against the work limit, even if no `endstream` follows", () => {
  for (const [blanks, end] of [
    [1000, "endstream"],
    [50_000, "x"],
    [90_000, "endstream"],
  ] as const) {
    const source = new MemorySource(encode(`${" ".repeat(blanks)}${end}`));
    expect(isEndOfData(source, 0)).toBe(blanks === 1000);
    expect(source.meter.used.scanned).toBeGreaterThan(10 * blanks);
  }
});
