/**
 * Tests the cost of rewriting an object stream that contains a page. The output must also rewrite the stream's other
 * members.
 */
import { deflateSync } from "node:zlib";
import { expect, it, vi } from "vitest";
import { Blending } from "../../../../src/engine/pdf/output/blending.ts";
import { keptMembers, planReplacements } from "../../../../src/engine/pdf/output/replacements.ts";
import { writeSkeleton } from "../../../../src/engine/pdf/output/skeleton.ts";
import { FileBuilder, latin1, open, stamp } from "../fixture.ts";

const PAGE = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>";

/**
 * Returns a file whose object stream has a page and `count` further members. All further members share one offset, at
 * which the text `rest` starts.
 */
function membersAtOnePlace(count: number, rest: string, page = PAGE): Uint8Array {
  const builder = new FileBuilder().objects({ 1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[3 0 R]>>" });
  const numbers = Array.from({ length: count }, (_, index) => 100 + index);
  const head = `3 0 ${numbers.map((num) => `${num} ${page.length + 1} `).join("")}`;
  const data = deflateSync(Buffer.from(`${head}${page} ${rest}`, "latin1"));
  builder.objects({ 5: { dict: `/Type/ObjStm/N ${count + 1}/First ${head.length}/Filter/FlateDecode`, data } });
  return builder
    .xrefStream(
      6,
      [3, ...numbers].map((num, index) => [num, 5, index]),
    )
    .bytes();
}

/** Returns the rewritten members of the object stream, except the page. */
async function kept(bytes: Uint8Array) {
  const document = await open(bytes);
  return Array.fromAsync(
    keptMembers(
      document,
      await planReplacements(document, await writeSkeleton(document, await Blending.of(document))),
      5,
    ),
  );
}

it.each([
  ["[1 2]  ", "[1 2]"],
  ["[1 2]", "[1 2]"],
  ["7", "7"],
  ["7 0 R", "7 0 R"],
  ["<</A 1 2>>", "<</A 1 >>"],
  ["(", "null"],
  ["<</A>", "null"],
  ["]", "null"],
])('rewrites the object-stream member "%s" as "%s"', async (text, expected) => {
  expect((await kept(membersAtOnePlace(1, text))).map((member) => latin1(member.text))).toEqual([expected]);
});

it("rewritten object-stream members that share an offset share one buffer", async () => {
  const members = await kept(membersAtOnePlace(50, `[1]${" ".repeat(10_000)}`));
  expect(members.map(({ num }) => num)).toEqual(Array.from({ length: 50 }, (_, index) => 100 + index));
  expect(new Set(members.map(({ text }) => text.buffer)).size).toBe(1);
});

/**
 * Rewrites the members of an object stream. Returns the members, the number of scanned bytes charged, and the number of
 * yields.
 */
async function work(rest: string) {
  const document = await open(membersAtOnePlace(1, rest));
  const { meter } = document.objects.source;
  const turns = vi.spyOn(meter, "yield");
  const replacements = await planReplacements(document, await writeSkeleton(document, await Blending.of(document)));
  const before = meter.used.scanned;
  const members = await Array.fromAsync(keptMembers(document, replacements, 5));
  return { members, scanned: meter.used.scanned - before, turns: turns.mock.calls.length };
}

it("rewriting object-stream members charges their length to the meter, and yields to the event loop", async () => {
  const text = `[${"1 ".repeat(1 << 19)}]`;
  const { members, scanned, turns } = await work(text);
  expect(latin1(members[0]!.text)).toBe(text);
  expect(scanned).toBeGreaterThanOrEqual(4 * text.length);
  expect(turns).toBeGreaterThan(3);
});

it("checking whether a long object-stream member is well-formed yields to the event loop", async () => {
  const { members, turns } = await work(`[${"1 ".repeat((1 << 18) - 16)}x]`);
  expect(latin1(members[0]!.text.slice(-8))).toBe("1 null ]");
  expect(turns).toBe(3);
});

it("writes an object-stream member of 3 MB without a change", async () => {
  const text = `[${"1 0 R ".repeat(1 << 19)}]`;
  const document = await open(await stamp(membersAtOnePlace(1, text)));
  const found = document.objects.run(() =>
    document.objects.at(100, (bytes, at) => latin1(bytes.subarray(at, at + text.length))),
  );
  expect((await found) === text).toBe(true);
});

it.each([
  ["overlap, and are long", membersAtOnePlace(300, `[${"1 ".repeat(40_000)}]`)],
  ["are damaged, and very long", membersAtOnePlace(1, `[${"1 ".repeat(1 << 18)}x]`)],
  ["are pages, and very long", membersAtOnePlace(1, `<</Type/Page/A(${" ".repeat(5 << 20)})>>`)],
  ["are too long for a page", membersAtOnePlace(0, "", PAGE.replace(">>", `/A(${" ".repeat(5 << 20)})>>`))],
])("rejects a file whose object-stream members %s", async (_, bytes) => {
  expect(bytes.length).toBeLessThan(20_000);
  await expect(stamp(bytes)).rejects.toMatchObject({ code: "too_complex" });
});
