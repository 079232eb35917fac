/** Tests how insertions and replacements ("splices") are applied to the text of an object. */
import { describe, expect, it } from "vitest";
import { spliced } from "../../../../src/engine/pdf/output/serialize.ts";
import { Rewrite, type Splice } from "../../../../src/engine/pdf/pages/rewrite.ts";
import { encode } from "../../../support/bytes.ts";
import { latin1 } from "../fixture.ts";

function write(text: string, ...splices: Splice[]): string {
  const rewrite = new Rewrite(7, encode(text));
  for (const splice of splices) rewrite.splice(splice);
  return latin1(spliced(rewrite));
}

describe("spliced", () => {
  it("applies splices to an object in the order of their offsets", () => {
    expect(write("abcdef", { at: 4, remove: 1, insert: "" }, { at: 1, remove: 2, insert: "-" })).toBe("a-df");
  });

  it("writes an insertion before a replacement at the same offset of an object", () => {
    expect(write("abc", { at: 1, remove: 1, insert: "B" }, { at: 1, remove: 0, insert: "+" })).toBe("a+Bc");
  });

  it.each<[string, Splice, Splice]>([
    ["replace the same bytes", { at: 1, remove: 2, insert: "x" }, { at: 1, remove: 2, insert: "x" }],
    ["replace ranges that overlap by one byte", { at: 1, remove: 2, insert: "" }, { at: 2, remove: 2, insert: "" }],
    ["insert within a replaced range", { at: 1, remove: 2, insert: "" }, { at: 2, remove: 0, insert: "x" }],
  ])("throws instead of writing a malformed object if two splices %s", (_, one, other) => {
    expect(() => write("abcdef", one, other)).toThrow("object 7 has overlapping splices");
    expect(() => write("abcdef", other, one)).toThrow("object 7 has overlapping splices");
  });
});
