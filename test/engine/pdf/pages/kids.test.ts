/** Tests how /Kids and /Contents arrays are parsed. */
import { describe, expect, it } from "vitest";
import { readKids } from "../../../../src/engine/pdf/pages/kids.ts";
import { Malformed } from "../../../../src/engine/pdf/syntax/lexer.ts";
import { encode } from "../../../support/bytes.ts";

function read(text: string) {
  const { kids, isPlain } = readKids(encode(text), 0);
  const all = Array.from({ length: kids.length }, (_, index) => kids.numberAt(index) ?? `at ${kids.offsetAt(index)}`);
  return { kids: all, numbers: kids.numbers(), isPlain };
}

describe("readKids", () => {
  it("distinguishes references from direct dictionaries in a /Kids array", () => {
    const expected = { kids: [3, "at 7", 12], numbers: [3, 12], isPlain: true };
    expect(read("[3 0 R <</A[1]>>12 0 R]")).toEqual(expected);
  });

  it.each([
    ["a number", "[3 0 R 7]"],
    ["null", "[3 0 R null]"],
    ["a reference to object 0", "[3 0 R 0 0 R]"],
  ])("skips an element of /Kids that is %s, and reports the array as ambiguous", (_, text) => {
    expect(read(text)).toEqual({ kids: [3], numbers: [3], isPlain: false });
  });

  it.each(["[3 1 R]", "[+3 0 R]", "[3 % a long comment\n 0 R]"])("reports the /Kids array %j as ambiguous", (text) => {
    expect(read(text)).toEqual({ kids: [3], numbers: [3], isPlain: false });
  });

  it("rejects a /Kids array with an R that does not follow two integers", () => {
    expect(() => read("[3.0 0 R]")).toThrow(Malformed);
  });
});
