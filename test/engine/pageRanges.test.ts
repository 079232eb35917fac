import { expect, test } from "vitest";
import { pageRanges } from "../../src/engine/pageRanges.ts";

test.each([
  [[1], "1"],
  [[1, 2, 3, 7], "1-3 7"],
  [[2, 4, 5], "2 4-5"],
])("pageRanges writes the page numbers %j as the ranges %j", (pages, ranges) => {
  expect(pageRanges(pages)).toBe(ranges);
});

test("pageRanges writes at most 20 ranges of page numbers", () => {
  const odd = Array.from({ length: 1000 }, (_, i) => 2 * i + 1);
  expect(pageRanges(odd)).toMatch(/^1 3 5 .* 39 \.\.\.$/);
});
