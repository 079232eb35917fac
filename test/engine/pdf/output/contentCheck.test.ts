/**
 * Tests content streams that are far from all other objects of their file. If the file is read in byte ranges, planning
 * does not read these streams. The output must still equal the output in memory.
 */
import { deflateSync } from "node:zlib";
import { describe, expect, it, test } from "vitest";
import { PlanOutdated } from "../../../../src/engine/index.ts";
import { ContentCheck } from "../../../../src/engine/pdf/output/contentCheck.ts";
import { RangeSource } from "../../../../src/engine/pdf/source/byteSource.ts";
import { encode, isEqual, joined } from "../../../support/bytes.ts";
import { readerBy } from "../../../support/ranges.ts";
import { type Bodies, FileBuilder, file, latin1, open, plan, stamp } from "../fixture.ts";
import { encryptText, VECTORS } from "../security/encryptedFile.ts";

const FAR = { data: new Uint8Array(250_000) };

/**
 * Returns a file of two pages. The contents of the second page are far from all other objects except `before` and
 * `after`, which surround the contents.
 */
function withFar(contents: string, object: string, before: Bodies = {}, after: Bodies = {}): FileBuilder {
  const builder = new FileBuilder().objects({
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: "<</Type/Pages/Kids[3 0 R 6 0 R]/MediaBox[0 0 300 400]/Resources<<>>>>",
    3: "<</Type/Page/Parent 2 0 R/Contents 7 0 R>>",
    6: `<</Type/Page/Parent 2 0 R/Contents ${contents}>>`,
    7: { data: "1 g" },
    ...before,
  });
  builder.objects({ 8: FAR });
  builder.objects({ 9: object, 11: { data: "0 0 9 9 re f\n" }, 12: "(0 g 0 0 300 400 re f)", ...after });
  return builder.objects({ 10: FAR });
}

const stream = (dict: string, data = "0 g 0 0 9 9 re f") => `<<${dict}>>\nstream\n${data}\nendstream`;

/**
 * Marks a file that is read in byte ranges. Returns the output, the numbers of bytes read for the plan and for the
 * output, and whether the first plan was outdated.
 */
async function byRanges(source: Uint8Array) {
  let read = 0;
  const ranges = () =>
    new RangeSource(
      readerBy(source.length, async (start, end) => {
        read += end - start;
        return source.slice(start, end);
      }),
    );
  const guessed = await plan(ranges());
  const planned = read;
  const output = await joined(guessed.chunks()).catch((error: unknown) => {
    if (!(error instanceof PlanOutdated)) throw error;
    return undefined;
  });
  const copied = read - planned;
  const result = output ?? (await joined((await plan(ranges(), { thorough: true })).chunks()));
  return { result, planned, copied, isAgain: output === undefined };
}

const BAD: [string, string][] = [
  ["null", "null"],
  ["a string", "(0 g)"],
  ["a negative number", "-5"],
  ["a name", "/A"],
  ["a dictionary", "<</Length 9>>"],
  ["an array", "[11 0 R]"],
  ["a reference", "11 0 R"],
  ["a stream with a malformed dictionary", stream("/Length 16/Bad )")],
  ["a stream with an unclosed dictionary", "<</Length 16\nstream\n0 g 0 0 9 9 re f\nendstream"],
  ["a stream that is too long", stream("/Length 60")],
  ["a stream longer than the file", stream("/Length 6000000")],
  ["a stream one byte too long", stream("/Length 18")],
  ["a stream that is too short", stream("/Length 5")],
  ["a stream one byte too short", stream("/Length 15")],
  ["an empty stream that has data", stream("/Length 0")],
  ["a stream of negative length", stream("/Length -1")],
  ["a stream without a length", stream("")],
  ["a stream whose length is a name", stream("/Length/A")],
  ["a stream with two lengths", stream("/Length 16/Length 60")],
  ["a stream whose indirect length is wrong", stream("/Length 14 0 R")],
  ["a stream whose indirect length is before it and wrong", stream("/Length 4 0 R")],
  ["a stream whose length is a string", stream("/Length 12 0 R")],
  ["a stream whose length is missing", stream("/Length 99 0 R")],
  ["a stream whose length is itself", stream("/Length 9 0 R")],
  ["a stream of indirect length whose data contain endstream", stream("/Length 15 0 R", "(endstream) 9 9 re f")],
  ["a stream with blanks far beyond its length", stream("/Length 16", `0 g 0 0 9 9 re f${" ".repeat(70_000)}`)],
  ["a stream without an end", "<</Length 16>>\nstream\n0 g 0 0 9 9 re f"],
];

describe.each([
  ["contents", "9 0 R"],
  ["the last of an array's contents", "[11 0 R 9 0 R]"],
  ["the first of an array's contents", "[9 0 R 11 0 R]"],
])("malformed content far from other objects, as %s", (_kind, contents) => {
  it.each(BAD)(
    "a file read in byte ranges is planned again, with the same output as in memory, if distant content is %s",
    async (_, object) => {
      const source = withFar(contents, object, { 4: "5" }, { 14: "60", 15: "20" }).table().bytes();
      const { result, isAgain } = await byRanges(source);
      expect(latin1(result)).toBe(latin1(await stamp(source)));
      expect(isAgain).toBe(true);
    },
  );
});

test("a file read in byte ranges is planned again if two pages share distant malformed content", async () => {
  const builder = withFar("13 0 R", "null", { 13: "[11 0 R 9 0 R]" });
  const { result, isAgain } = await byRanges(builder.table().bytes());
  expect(latin1(result)).toBe(latin1(await stamp(builder.bytes())));
  expect(isAgain).toBe(true);
});

test.each([
  ["wrong", "<</Length 16>>"],
  ["missing, in a malformed dictionary", "<</Bad )>>"],
])(
  "the output has the right length of 5 MB of distant page content if the length in the source is %s",
  async (_, dict) => {
    const data = "0 g 0 0 9 9 re f\n".repeat(300_000).trimEnd();
    const source = withFar("9 0 R", `${dict}\nstream\n${data}\nendstream`).table().bytes();
    const { result } = await byRanges(source);
    const renewed = `<</Length ${data.length}`;
    const output = latin1(result);
    const at = output.lastIndexOf("\n9 0 obj\n");
    expect(output.slice(at, at + 60).replaceAll(/ +/g, " ")).toContain(renewed);
    expect(isEqual(result, await stamp(source))).toBe(true);
    expect(output.split(`stream\n${data}\nendstream\nendobj`)).toHaveLength(2);
  },
);

describe("content whose syntax is malformed", () => {
  const DATA = ") ".repeat(75);
  const object = (dict: string, data = DATA) => `${dict}\nstream\n${data}\nendstream`;
  const LONG = ") ".repeat(50_000);
  // The data of the content begin in the first window of the copying pass, and end in the second window.
  const lead = { 4: { data: new Uint8Array((1 << 20) - 300_000) } };
  it.each<[string, string, Bodies, Bodies]>([
    ["has a stray bracket in its dictionary", object("<</Len]gth 150>>"), {}, {}],
    ["has a second >> after its dictionary", object("<</Length 150/A>>>>"), {}, {}],
    ["has a dictionary that is not closed", object("<</Length 150"), {}, {}],
    ["has no line end after the keyword stream", `<</Length 150>>stream${DATA}\nendstream`, {}, {}],
    ["has an indirect length", object("<</Length 14 0 R>>"), {}, { 14: "150" }],
    ["spans two windows and has an indirect length", object("<</Length 14 0 R>>", LONG), lead, { 14: "100000" }],
    ["spans two windows and has a direct length", object("<</Length 100000>>", LONG), lead, {}],
  ])("a file read in byte ranges is planned again if malformed content %s", async (_, content, before, after) => {
    for (const first of ["11 0 R", "9 0 R"]) {
      const source = withFar(`[${first} 11 0 R 9 0 R]`, content, before, after).table().bytes();
      const { result, isAgain } = await byRanges(source);
      expect(isEqual(result, await stamp(source))).toBe(true);
      expect(isAgain).toBe(true);
    }
  });

  it("a file read in byte ranges is planned again if malformed content follows a stream whose dictionary the plan corrects", async () => {
    const builder = new FileBuilder().objects({
      1: "<</Type/Catalog/Pages 2 0 R>>",
      2: "<</Type/Pages/Kids[3 0 R 6 0 R]/MediaBox[0 0 300 400]/Resources<<>>>>",
      3: "<</Type/Page/Parent 2 0 R/Contents 7 0 R>>",
      6: "<</Type/Page/Parent 2 0 R/Contents[7 0 R 9 0 R]>>",
      7: object("<</Len]gth 3>>", "1 g"),
      9: { data: DATA },
    });
    const { result, isAgain } = await byRanges(builder.table().bytes());
    expect(latin1(result)).toBe(latin1(await stamp(builder.bytes())));
    expect(isAgain).toBe(true);
  });
});

test.each([
  ["without a line end after the keyword stream", "<</Length 3>>stream1 g\nendstream"],
  ["with a key without a value", "<</Length 3 /A >>\nstream\n1 g\nendstream"],
  ["with a superfluous number", "<</Length 3 5 /DL 3>>\nstream\n1 g\nendstream"],
])("a file read in byte ranges is planned only once if the plan corrects a content stream %s", async (_, content) => {
  const source = withFar("9 0 R", stream("/Length 16"), { 4: content }).table().bytes();
  const ranged = encode(latin1(source).replace("/Contents 7 0 R", "/Contents 4 0 R"));
  const { result, isAgain } = await byRanges(ranged);
  expect(latin1(result)).toBe(latin1(await stamp(ranged)));
  expect(isAgain).toBe(false);
});

test.each(["4", "5", "6"])(
  "a file read in byte ranges is planned only once if the length of encrypted content is indirect (revision %s)",
  async (revision) => {
    const vector = VECTORS.find(({ name }) => name === `an empty user password, revision ${revision}`)!;
    const build = (data: Uint8Array) =>
      withFar("9 0 R", `<</Length 14 0 R>>\nstream\n${latin1(data)}\nendstream`, {}, { 14: `${data.length}` })
        .objects({ 30: encryptText(vector), 7: "null" })
        .table({ trailer: `/Root 1 0 R/Encrypt 30 0 R/ID[<${vector.id}><${vector.id}>]` })
        .bytes();
    const { cipher } = (await open(build(new Uint8Array()))).objects;
    const source = build(cipher!.encryptStream(9, 0, encode("0 g 0 0 9 9 re f")));
    expect(await byRanges(source)).toMatchObject({ result: await stamp(source), isAgain: false });
  },
);

describe("a thorough plan of a file that is read in byte ranges", () => {
  const gap = { data: new Uint8Array(70_000) };
  const pages = (contents: string, more: Bodies) =>
    new FileBuilder()
      .objects({
        1: "<</Type/Catalog/Pages 2 0 R>>",
        2: "<</Type/Pages/Kids[3 0 R 4 0 R]/MediaBox[0 0 300 400]/Resources<<>>>>",
        3: "<</Type/Page/Parent 2 0 R/Contents 5 0 R>>",
        4: `<</Type/Page/Parent 2 0 R/Contents[${contents}]>>`,
        5: { dict: "/Filter/FlateDecode", data: deflateSync("0 g ".repeat(75 << 10)) },
        ...more,
      })
      .table()
      .bytes();

  it("reads a page with 100 distant content streams in fewer than 400 reads", async () => {
    const more: Bodies = {};
    for (let num = 10; num < 210; num += 2) {
      more[num] = { data: "0 g" };
      more[num + 1] = gap;
    }
    const contents = Array.from({ length: 100 }, (_, index) => `${10 + 2 * index} 0 R`).join(" ");
    const source = pages(contents, more);
    let reads = 0;
    const reader = readerBy(source.length, async (start, end) => {
      reads++;
      return source.slice(start, end);
    });
    const output = await joined((await plan(new RangeSource(reader), { thorough: true })).chunks());
    expect(isEqual(output, await stamp(source))).toBe(true);
    expect(reads).toBeLessThan(400);
  });

  it("checks a page if one of its streams must be fetched after another one was decoded", async () => {
    const long = "0 g ".repeat(75 << 10);
    const far = { data: new Uint8Array(6 << 20) };
    const first = { dict: "/Filter/FlateDecode", data: deflateSync(long) };
    const source = pages("6 0 R 8 0 R", { 6: first, 7: far, 8: { data: `${long})` }, 9: far });
    const { result, isAgain } = await byRanges(source);
    expect(isEqual(result, await stamp(source))).toBe(true);
    expect(isAgain).toBe(true);
  });
});

describe("well-formed content far from other objects", () => {
  const PACKED = withFar("9 0 R", stream("/Length 20 0 R"));
  const members = PACKED.objectStream(15, { 20: "16" });
  it.each<[string, Uint8Array]>([
    ["a direct length", withFar("9 0 R", stream("/Length 16")).table().bytes()],
    ["a length that includes the line end", withFar("9 0 R", stream("/Length 17")).table().bytes()],
    [
      "the word endstream in the data",
      withFar("9 0 R", stream("/Length 24", "0 0 9 9 re f %endstream\n")).table().bytes(),
    ],
    ["a length with a decimal point", withFar("9 0 R", stream("/Length 16.0")).table().bytes()],
    [
      "a length object after the contents",
      withFar("9 0 R", stream("/Length 14 0 R"), {}, { 14: "16" }).table().bytes(),
    ],
    ["a length object far before the contents", withFar("9 0 R", stream("/Length 4 0 R"), { 4: "16" }).table().bytes()],
    [
      "a length behind two references",
      withFar("9 0 R", stream("/Length 4 0 R"), { 4: "5 0 R", 5: "16" }).table().bytes(),
    ],
    ["a length in an object stream", PACKED.xrefStream(16, members).bytes()],
    ["other contents in the same array", withFar("[11 0 R 9 0 R]", stream("/Length 16")).table().bytes()],
  ])("a file read in byte ranges is planned only once if its distant content is well-formed: %s", async (_, source) => {
    const { result, planned, copied, isAgain } = await byRanges(source);
    expect(latin1(result)).toBe(latin1(await stamp(source)));
    expect(isAgain).toBe(false);
    expect(planned).toBeLessThan(source.length / 2);
    expect(copied - source.length, "a block of lengths at the most").toBeLessThan(65_537);
  });
});

/**
 * Checks the content streams of a file that is read in windows of `size` bytes, each with `around` bytes of context.
 * Returns `sound` or `outdated`.
 */
async function checked(objects: Bodies, numbers: number[], size: number, around = 64): Promise<string> {
  const bytes = file({ 1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Kids[3 0 R]>>", 3: "<</Type/Page>>", ...objects });
  const check = new ContentCheck((await open(bytes)).objects, new Set(numbers));
  try {
    for (let at = 0; at < bytes.length; at += size) {
      const [base, end] = [Math.max(0, at - around), Math.min(at + size, bytes.length)];
      check.inspect({ at, end, base, bytes: bytes.slice(base, end + around) });
    }
    await check.finish();
    return "sound";
  } catch (error) {
    if (error instanceof PlanOutdated) return "outdated";
    throw error;
  }
}

test("checks a content stream that spans several read windows, with windows of any size", async () => {
  const objects = { 4: stream("/Length 5 0 R"), 5: "16", 6: { data: "1 g ".repeat(50) }, 7: stream("/Length 16") };
  for (let size = 1; size < 400; size++)
    expect([size, await checked(objects, [4, 6, 7], size)]).toEqual([size, "sound"]);
  const wrong = { ...objects, 6: stream("/Length 15") };
  for (let size = 1; size < 400; size++)
    expect([size, await checked(wrong, [4, 6, 7], size)]).toEqual([size, "outdated"]);
});

test("rejects the output plan if a stream's dictionary exceeds the bytes that the content check sees", async () => {
  const long = { 4: stream(`/Length 16/A(${"a".repeat(100)})`) };
  expect(await checked(long, [4], 10)).toBe("outdated");
  expect(await checked(long, [4], 10, 200)).toBe("sound");
});

test.each(["/Length 33", "/Length 7 0 R"])(
  "rejects the output plan if a content stream begins within the data of another stream with %s",
  async (length) => {
    const within = { 4: `<<${length}>>stream\n5 0 obj\n<</Length 3>>stream\n0 g  endstream endobj\n`, 5: "null" };
    const bytes = file({ 1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Kids[3 0 R]>>", 3: "<</Type/Page>>", ...within });
    const { objects } = await open(bytes);
    objects.table.replace(5, 1, latin1(bytes).indexOf("5 0 obj"), 0);
    const inspect = (numbers: number[]) =>
      new ContentCheck(objects, new Set(numbers)).inspect({ at: 0, end: bytes.length, base: 0, bytes });
    expect(() => inspect([4])).not.toThrow();
    expect(() => inspect([4, 5])).toThrow(PlanOutdated);
  },
);
