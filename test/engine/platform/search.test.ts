/** Tests that the native byte search and its browser variant give the same results. */
import { describe, expect, it } from "vitest";
import * as browser from "../../../src/engine/platform/search.browser.ts";
import * as native from "../../../src/engine/platform/search.ts";
import { encode } from "../../support/bytes.ts";

/** Numbers of bytes before the searched word. The native variant calls native code only for long distances. */
const LENGTHS = [0, 1, 500, 100_000];

describe.each([
  ["native", native],
  ["browser", browser],
])("%s search", (_, { indexOf, lastIndexOf }) => {
  it.each(LENGTHS)(
    "byte search finds each occurrence of a word in turn, with %i bytes before the first occurrence",
    (length) => {
      const bytes = encode(`${"%".repeat(length)}%%EOF-%%EOF`);
      const all: number[] = [];
      for (let at = indexOf(bytes, "%%EOF"); at >= 0; at = indexOf(bytes, "%%EOF", at + 1)) all.push(at);
      expect(all).toEqual([length, length + 6]);
      expect(indexOf(bytes, "%%EOF", length)).toBe(length);
      expect(lastIndexOf(bytes, "%%EOF")).toBe(length + 6);
    },
  );

  it.each(LENGTHS)(
    "byte search ignores a word that extends beyond the end of the search range, with %i bytes before the word",
    (length) => {
      const bytes = encode(`${"x".repeat(length)}/Page`);
      expect(indexOf(bytes, "/Page", 0, length + 5)).toBe(length);
      expect(indexOf(bytes, "/Page", 0, length + 4)).toBe(-1);
      expect(indexOf(bytes, "/Page", length + 1)).toBe(-1);
      expect(indexOf(bytes, "/Page", bytes.length)).toBe(-1);
    },
  );

  it("byte search counts offsets from the start of a view, and ignores bytes of the buffer outside the view", () => {
    const bytes = encode("/Page /Page /Page").subarray(3, 14);
    expect(indexOf(bytes, "/Page")).toBe(3);
    expect(lastIndexOf(bytes, "/Page")).toBe(3);
  });

  it("byte search finds a word with bytes above 127", () => {
    expect(indexOf(encode("a\xe2\xe3b"), "\xe2\xe3")).toBe(1);
  });
});
