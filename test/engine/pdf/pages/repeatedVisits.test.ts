/**
 * Tests objects that many pages share. The engine either reads a shared object only once, or charges the work for each
 * page. It never applies a change twice.
 */
import { constants, deflateSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { decodeStream } from "../../../../src/engine/pdf/objects/filters.ts";
import { Resources } from "../../../../src/engine/pdf/pages/resources.ts";
import { Rewrite } from "../../../../src/engine/pdf/pages/rewrite.ts";
import { MemorySource, RangeSource } from "../../../../src/engine/pdf/source/byteSource.ts";
import { Meter } from "../../../../src/engine/pdf/source/meter.ts";
import { Malformed } from "../../../../src/engine/pdf/syntax/lexer.ts";
import { joined } from "../../../support/bytes.ts";
import { type Bodies, FileBuilder, file, onePage, open, plan, ranges } from "../fixture.ts";

const LONG = 20_000;
const string = `<${"41".repeat(LONG / 2)}>`;

/**
 * Returns `count` pages and the objects that they refer to. `entries` returns the entries of a page, and `more` returns
 * additional objects.
 */
function pages(count: number, entries: (num: number) => string, more: (num: number) => Bodies, tree = ""): Bodies {
  const numbers = Array.from({ length: count }, (_, index) => 100 + 2 * index);
  const kids = numbers.map((num) => `${num} 0 R`).join(" ");
  const objects = numbers.map((num) => ({ [num]: `<</Type/Page/Parent 2 0 R${entries(num)}>>`, ...more(num + 1) }));
  const top = `<</Type/Pages/Count ${count}/Kids[${kids}]/MediaBox[0 0 300 400]${tree}>>`;
  return { ...onePage("", { 2: top }), ...Object.assign({}, ...objects) };
}

const own = (key: string) => (num: number) => `/${key} ${num + 1} 0 R`;
const toFive = (num: number) => ({ [num]: "5 0 R" });
const nothing = () => ({});

test.each<[string, (count: number) => Bodies]>([
  ["contents", (count) => ({ ...pages(count, own("Contents"), toFive), 5: string })],
  ["resources", (count) => ({ ...pages(count, own("Resources"), toFive), 5: string })],
  [
    "content length",
    (count) => ({
      ...pages(count, () => "/Contents 5 0 R", nothing),
      5: "<</Length 7 0 R>>stream\n0 g\nendstream",
      7: string,
    }),
  ],
  ["malformed kids", (count) => ({ ...pages(count, () => "/Kids 5 0 R", nothing), 5: `[${"0 ".repeat(LONG / 2)}]` })],
])(
  "a long value counts against the work limit once for each page that refers to the value as its %s",
  async (_, bodies) => {
    const scanned = async (count: number) => {
      const source = new MemorySource(file(bodies(count)));
      await plan(source).catch(() => undefined);
      return source.meter.used.scanned;
    };
    expect((await scanned(20)) - (await scanned(10))).toBeGreaterThan(10 * 15 * LONG);
  },
);

test("the engine inspects malformed inherited resources only once for all pages", async () => {
  const slots = vi.spyOn(Resources.prototype, "find");
  const bodies = pages(50, () => "", nothing, `/Resources[${"[]".repeat(1000)}]`);
  await open(file(bodies));
  expect(slots.mock.calls.length).toBeLessThan(5);
  slots.mockRestore();
});

/** Returns a file with the objects `bodies`, and with an object stream of the objects `members`. */
function withMembers(bodies: Bodies, members: Record<number, string>): Uint8Array {
  const builder = new FileBuilder().objects(bodies);
  return builder.xrefStream(91, builder.objectStream(90, members)).bytes();
}

test("reads a long resource dictionary only once, even if its pages wait for an object stream", async () => {
  const texts = vi.spyOn(Rewrite.prototype, "text", "get");
  const tree = `/Resources<<${"/A 0".repeat(1000)}/XObject 80 0 R>>`;
  const bytes = withMembers(
    pages(50, () => "", nothing, tree),
    { 80: "<<>>" },
  );
  await open(bytes);
  // There is one read for each entry, and a few for each page.
  expect(texts.mock.calls.length).toBeLessThan(10_000);
  texts.mockRestore();
});

test("a page counts against the work limit each time that it is read", async () => {
  const entry = `/A<${"41".repeat(LONG / 2)}>`;
  const scanned = async (count: number) => {
    const numbers = Array.from({ length: count }, (_, index) => 100 + 3 * index);
    const builder = new FileBuilder().objects(
      onePage(`${entry}/Contents[${numbers.map((num) => `${num} 0 R`).join(" ")}]`),
    );
    const members = numbers.flatMap((num) => {
      builder.objects({ [num]: `<</Length ${num + 1} 0 R>>stream\n0 g\nendstream` });
      return builder.objectStream(num + 2, { [num + 1]: "3" });
    });
    const source = new MemorySource(builder.xrefStream(99, members).bytes());
    await open(source);
    return source.meter.used.scanned;
  };
  expect((await scanned(20)) - (await scanned(10))).toBeGreaterThan(10 * 4 * LONG);
});

test("reads the XMP metadata only once, even if references through several object streams lead to the output intent", async () => {
  const xmp = `<x xmlns:p="http://www.aiim.org/pdfa/ns/id/" p:part="2">${" ".repeat(50_000)}`;
  const builder = new FileBuilder().objects({
    ...onePage(),
    1: "<</Type/Catalog/Pages 2 0 R/Metadata 5 0 R/OutputIntents[10 0 R]>>",
    5: { dict: "/Type/Metadata/Subtype/XML/Filter/FlateDecode", data: deflateSync(Buffer.from(xmp)) },
  });
  const members = [10, 20, 30, 40].flatMap((num) => builder.objectStream(num + 1, { [num]: `${num + 10} 0 R` }));
  const source = new MemorySource(builder.xrefStream(99, members).bytes());
  expect((await open(source)).pdfa).toMatchObject({ part: 2 });
  expect(source.meter.used.decoded).toBeLessThan(2 * xmp.length);
});

test("ignores an output intent and a name tree with object numbers above the maximum", async () => {
  const catalog = "<</Type/Catalog/Pages 2 0 R/OutputIntents[4294967295 0 R]/Names 4294967295 0 R>>";
  expect(await open(new MemorySource(file({ ...onePage(), 1: catalog })))).toMatchObject({ pdfa: undefined });
});

test("the dictionary of a shared content stream counts against the work limit once for each page", async () => {
  // The output must rewrite this dictionary, because the number 1e5 is malformed.
  const stream = `<<${"/A 0".repeat(LONG / 4)}/B 1e5/Length 3>>stream\n0 g\nendstream`;
  const scanned = async (count: number) => {
    const source = new MemorySource(file({ ...pages(count, () => "/Contents 5 0 R", nothing), 5: stream }));
    await open(source);
    return source.meter.used.scanned;
  };
  expect((await scanned(20)) - (await scanned(10))).toBeGreaterThan(10 * 8 * LONG);
});

test("the object that a stream's /Length refers to counts against the work limit once for each scanned stream", async () => {
  const scanned = async (count: number) => {
    const builder = new FileBuilder().objects({ ...onePage(), 5: string });
    for (let num = 10; num < 10 + count; num++) builder.objects({ [num]: "<</Length 5 0 R>>stream\nendstream" });
    builder.text += "trailer\n<</Root 1 0 R>>\n";
    const source = new MemorySource(builder.bytes());
    await open(source);
    return source.meter.used.scanned;
  };
  expect((await scanned(20)) - (await scanned(10))).toBeGreaterThan(10 * 15 * LONG);
});

test("each unreadable object-stream member counts against the work limit, even at the offset of another member", async () => {
  const unreadable = "[".repeat(45) + "0 ".repeat(480);
  const builder = new FileBuilder().objects({ 4: onePage()[4]! });
  const members: [number, string][] = [
    [1, "<</Type/Catalog/Pages 2 0 R>>"],
    [2, "<</Type/Pages/Count 1/Kids[3 0 R]>>"],
    [3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R>>"],
  ];
  let [head, data] = ["", ""];
  for (const [num, text] of members) {
    head += `${num} ${data.length} `;
    data += `${text}\n`;
  }
  const count = 500;
  for (let i = 0; i < count; i++) head += `${100 + i} ${data.length} `;
  const dict = `/Type/ObjStm/N ${3 + count}/First ${head.length}/Filter/FlateDecode`;
  builder.objects({ 10: { dict, data: deflateSync(Buffer.from(head + data + unreadable)) } });
  const rows = [1, 2, 3, ...Array.from({ length: count }, (_, i) => 100 + i)];
  builder.xrefStream(
    11,
    rows.map((num, index) => [num, 10, index]),
  );
  const source = new MemorySource(builder.bytes());
  const planned = await plan(source);
  await joined(planned.chunks());
  expect(source.meter.used.scanned).toBeGreaterThan(count * unreadable.length);
});

describe("failed filters", () => {
  test("the possible output of a failed Flate filter counts against the work limit", () => {
    const zeros = deflateSync(new Uint8Array(1_000_000), { finishFlush: constants.Z_FULL_FLUSH });
    // After the zeros, the data have a block of an invalid type.
    const data = Buffer.concat([zeros, Buffer.from([0x07])]);
    const meter = new Meter(0);
    expect(() => decodeStream(new Map([["Filter", "Fl"]]), data, meter)).toThrow(Malformed);
    expect(meter.used.scanned).toBeGreaterThanOrEqual((2 * 1_000_000) / 16);
  });

  test("the output of a failed LZW filter counts against the work limit", () => {
    // Each of these LZW codes stands for a string that is one byte longer than the previous string.
    const codes = [65, ...Array.from({ length: 200 }, (_, index) => 258 + index), 256, 511];
    const bits = codes.map((code) => code.toString(2).padStart(9, "0")).join("");
    const data = Uint8Array.from(bits.match(/.{1,8}/g)!, (byte) => Number.parseInt(byte.padEnd(8, "0"), 2));
    const meter = new Meter(0);
    expect(() => decodeStream(new Map([["Filter", "LZW"]]), data, meter)).toThrow(Malformed);
    expect(meter.used.decoded).toBeGreaterThan(200 * 100);
  });
});

test("reads a cross-reference table with many short subsections in short reads", async () => {
  const builder = new FileBuilder().objects(onePage()).table();
  const more = "9 1\n0000000000 00000 f \n".repeat(500);
  const text = builder.text
    .replace("trailer", `${more}trailer`)
    .replace("startxref", `%${"x".repeat(100_000)}\nstartxref`);
  const source = ranges(Buffer.from(text, "latin1"));
  const asked = vi.spyOn(RangeSource.prototype, "bytes");
  await open(source);
  const lengths = asked.mock.calls.map(([start, end]) => end - start);
  asked.mockRestore();
  expect(lengths.length).toBeGreaterThan(500);
  expect(lengths.reduce((sum, length) => sum + length)).toBeLessThan(500 * 8000);
});
