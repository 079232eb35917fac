/** Tests which bytes of the source file are erased in the output, and which are retained. */
import { describe, expect, it, test } from "vitest";
import { IN_FILE, IN_STREAM, XrefTable } from "../../../../src/engine/pdf/objects/xrefTable.ts";
import { Boundaries } from "../../../../src/engine/pdf/output/boundaries.ts";
import {
  CONTEXT,
  collectBoundaries,
  Eraser,
  endOfCopy,
  PlanOutdated,
} from "../../../../src/engine/pdf/output/eraser.ts";
import { encode } from "../../../support/bytes.ts";
import { latin1 } from "../fixture.ts";

/**
 * Kinds of parts of a file. A superseded object is rewritten elsewhere, and a stale object belongs to an older section.
 * Bytes of the kind `rest` belong to the part before them.
 */
type Kind = "live" | "superseded" | "stale" | "section" | "xref stream" | "head" | "rest";
type Part = [Kind, string];

const A: Part = ["live", "1 0 obj\n(a)\nendobj\n"];
const B: Part = ["live", "2 0 obj\n(b)\nendobj\n"];
const LARGE: Part = ["live", `5 0 obj\n(${"c".repeat(3 * CONTEXT)})\nendobj\n`];
const OLD_A: Part = ["stale", "1 0 obj\n(old)\nendobj\n"];
const SUPERSEDED: Part = ["superseded", "7 0 obj\n(old)\nendobj\n"];
const TABLE: Part = ["section", "xref\n0 1\n0000000000 65535 f \n"];
const TRAILER: Part = ["section", "trailer\n<<>>\n"];
const XREF_STREAM: Part = ["xref stream", "8 0 obj\n<</Type/XRef>>\nendobj\n"];
const HEAD: Part = ["head", "%PDF-1.7\n"];

const feeds = (text: string) => "\n".repeat(text.length);

/** Returns a file of these parts, and its cross-reference. */
function fileOf(...parts: Part[]) {
  const table = new XrefTable(0);
  const [superseded, sections] = [new Set<number>(), [] as number[]];
  let text = "";
  const stale: [number, number][] = [];
  for (const [kind, part] of parts) {
    const num = Number.parseInt(part, 10);
    if (["live", "superseded", "xref stream"].includes(kind)) table.add(num, IN_FILE, text.length, 0);
    if (["superseded", "xref stream"].includes(kind)) superseded.add(num);
    if (["section", "xref stream"].includes(kind)) sections.push(text.length);
    if (kind === "stale") stale.push([num, text.length]);
    text += part;
  }
  for (const [num, offset] of stale) table.add(num, IN_FILE, offset, 0); // cross-reference entries of older sections
  const header = parts[0]![0] === "head" ? parts[0]![1].length : 0;
  const xref = { table, sections, trailers: [], usesStreams: false };
  const boundaries = (length = text.length) => collectBoundaries(xref, 0, length, superseded, header);
  return { text, table, xref, superseded, header, boundaries };
}

/** Erases a file in windows of `size` bytes, each with the surrounding bytes that the eraser can see. */
function erased(
  { text, table, boundaries }: Pick<ReturnType<typeof fileOf>, "text" | "table" | "boundaries">,
  size = text.length,
  { isDoubtful = false } = {},
): string {
  const bytes = encode(text);
  const eraser = new Eraser(boundaries(), isDoubtful ? table : undefined);
  const output = bytes.slice();
  for (let at = 0; at < bytes.length; at += size) {
    const [base, end] = [Math.max(0, at - CONTEXT), Math.min(at + size, bytes.length)];
    eraser.pass(at, end, bytes.slice(base, end + CONTEXT), base, (from, to) => {
      expect(from, "no empty range").toBeLessThan(to);
      expect([from >= at, to <= end], "within what is copied").toEqual([true, true]);
      output.fill(10, from, to);
    });
  }
  return latin1(output);
}

describe("Eraser", () => {
  it.each<[string, Part[], string]>([
    ["nothing if all objects are live", [HEAD, A, B], HEAD[1] + A[1] + B[1]],
    ["an older definition before the newer one", [HEAD, OLD_A, A, B], HEAD[1] + feeds(OLD_A[1]) + A[1] + B[1]],
    ["an older definition between live objects", [HEAD, B, OLD_A, A], HEAD[1] + B[1] + feeds(OLD_A[1]) + A[1]],
    ["an older definition at the end of the file", [HEAD, A, B, OLD_A], HEAD[1] + A[1] + B[1] + feeds(OLD_A[1])],
    ["an older definition behind a large object", [HEAD, LARGE, OLD_A, A], HEAD[1] + LARGE[1] + feeds(OLD_A[1]) + A[1]],
    ["an object that is written elsewhere", [HEAD, A, SUPERSEDED, B], HEAD[1] + A[1] + feeds(SUPERSEDED[1]) + B[1]],
    [
      "consecutive superseded objects and the bytes between them",
      [HEAD, A, OLD_A, ["rest", "left over\n"], SUPERSEDED, TABLE, TRAILER, B],
      HEAD[1] + A[1] + feeds(`${OLD_A[1]}left over\n${SUPERSEDED[1]}${TABLE[1]}${TRAILER[1]}`) + B[1],
    ],
    [
      "bytes between the header and the first object",
      [HEAD, ["rest", "left\n"], A],
      `${HEAD[1]}${feeds("left\n")}${A[1]}`,
    ],
    ["all bytes after the header of a file without objects", [HEAD, ["rest", "left\n"]], HEAD[1] + feeds("left\n")],
    [
      "nothing at a wrong offset of an older section",
      [HEAD, A, ["stale", "in a stream"], B],
      `${HEAD[1]}${A[1]}in a stream${B[1]}`,
    ],
    [
      "bytes at a wrong offset of an older section after an erased object",
      [HEAD, A, OLD_A, ["stale", "no object"], B],
      HEAD[1] + A[1] + feeds(`${OLD_A[1]}no object`) + B[1],
    ],
    [
      "nothing at an incomplete object at the end of the file",
      [HEAD, A, ["stale", "3 0 ob"]],
      `${HEAD[1]}${A[1]}3 0 ob`,
    ],
    ["a cross-reference stream", [HEAD, XREF_STREAM, A], HEAD[1] + feeds(XREF_STREAM[1]) + A[1]],
    ["a section of any bytes", [HEAD, A, ["section", "???"], B], `${HEAD[1]}${A[1]}\n\n\n${B[1]}`],
  ])("erases from windows of any size: %s", (_, parts, expected) => {
    const file = fileOf(...parts);
    for (let size = 1; size <= file.text.length; size++) expect(erased(file, size)).toBe(expected);
  });
});

test("the eraser erases nothing between the file header and an object on the same line", () => {
  const file = fileOf(A, B);
  const boundaries = () => collectBoundaries(file.xref, 0, file.text.length, file.superseded, 4);
  expect(erased({ ...file, boundaries })).toBe(file.text);
  const dropped = fileOf(SUPERSEDED, B);
  const withHeader = () => collectBoundaries(dropped.xref, 0, dropped.text.length, dropped.superseded, 4);
  expect(
    erased({ ...dropped, boundaries: withHeader }),
    "erases a superseded object on the line of the file header",
  ).toBe(feeds(SUPERSEDED[1]) + B[1]);
});

test("the eraser ignores cross-reference entries that point outside the copied bytes or into object streams", () => {
  const { text, table, xref, superseded } = fileOf(["rest", "before"], HEAD, A, B);
  table.add(1, IN_FILE, 0, 0); // offset 0 precedes the first copied byte, which is at `"before".length`
  table.add(1, IN_FILE, text.length, 0);
  table.add(1, IN_STREAM, text.indexOf(B[1]) + 3, 0);
  const origin = "before".length;
  const boundaries = collectBoundaries(xref, origin, text.length, superseded, origin + HEAD[1].length);
  const offsets = [HEAD[1], A[1], B[1]].map((part) => text.indexOf(part));
  const found = Array.from({ length: boundaries.length }, (_, index) => boundaries.offsetAt(index));
  expect(found).toEqual([offsets[1], ...offsets.slice(1)]);
});

test("the eraser erases a superseded object or a cross-reference section at offset 0", () => {
  const file = fileOf(OLD_A, A);
  expect(erased(file)).toBe(feeds(OLD_A[1]) + A[1]);
  expect(erased(fileOf(["section", "x"]))).toBe("\n");
});

describe("Eraser, with an unverified cross-reference", () => {
  /** Returns a file whose cross-reference locates object 3 at `body`. */
  const fileWith = (body: string) => {
    const file = fileOf(HEAD, A, ["rest", body]);
    file.table.add(3, IN_FILE, HEAD[1].length + A[1].length, 0);
    return file;
  };

  it.each([
    ["the object", "3 0 obj\n(c)\nendobj\n", true],
    ["the object, behind white space", "\n 3 0 obj\n(c)\nendobj\n", true],
    ["no object", "(c)\nendobj\n", false],
    ["another object", "9 0 obj\n(c)\nendobj\n", false],
    ["an object with another offset", A[1], false],
    ["the end of the file", "3 0 ob", false],
  ])(
    "the eraser checks each object's offset if the cross-reference is unverified (found there: %s)",
    (_, body, isRight) => {
      const file = fileWith(body);
      if (isRight) expect(erased(file, undefined, { isDoubtful: true })).toBe(file.text);
      else expect(() => erased(file, undefined, { isDoubtful: true })).toThrow(PlanOutdated);
      expect(erased(file), "a verified cross-reference is not checked again").toBe(file.text);
    },
  );
});

test.each<[string, Part[], number]>([
  ["endOfCopy cuts off sections at the end", [HEAD, A, TABLE, TRAILER], 2],
  [
    "endOfCopy cuts off cross-reference streams at the end",
    [HEAD, A, XREF_STREAM, ["section", "startxref\n9\n%%EOF\n"]],
    2,
  ],
  ["endOfCopy retains sections before an object", [HEAD, A, TABLE, TRAILER, B], 5],
  ["endOfCopy retains a dropped object at the end", [HEAD, A, XREF_STREAM, SUPERSEDED], 4],
  ["endOfCopy retains an object of an older section at the end", [HEAD, A, TABLE, OLD_A], 4],
  [
    "endOfCopy cuts off everything after the first section of a file without objects",
    [HEAD, ["rest", "left\n"], TABLE],
    1,
  ],
])("%s", (_, parts, kept) => {
  const { text, boundaries } = fileOf(...parts);
  const length = parts.slice(0, kept).reduce((sum, [, part]) => sum + part.length, 0);
  expect(endOfCopy(boundaries(), text.length)).toBe(length);
});

test("endOfCopy retains every byte of a file if no boundary is known", () => {
  expect(endOfCopy(new Boundaries(0), 9)).toBe(9);
});
