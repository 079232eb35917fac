import { expect, test } from "vitest";
import { digitPlaceholders } from "../../../src/engine/fonts/digitPlaceholders.ts";
import { digitCounts, fillIn, PLACEHOLDERS, unknownPlaceholder } from "../../../src/engine/marks/placeholders.ts";

const values = { pages: 120, pageStart: 1, date: new Date("2026-03-04T23:30:00-05:00") };

test.each([
  ["{pages}", "120"],
  ["{date}", "2026-03-05"],
  ["{date:iso}", "2026-03-05"],
  ["{date:long}", "5 March 2026"],
  ["{date:us}", "03/05/2026"],
  ["{date:eu}", "05.03.2026"],
  ["{time}", "04:30Z"],
  ["{filename}", "document.pdf"],
  ["{page}/{pages}", `${digitPlaceholders(3)}/120`],
  ["{page:6}", digitPlaceholders(3, 6)],
  ["{{page}", "{page}"],
  ["{{{pages}", "{120"],
  ["{ } {1} }", "{ } {1} }"],
])("the placeholders of the text %s are replaced, with the result %j", (text, filled) => {
  expect(fillIn(text, values)).toBe(filled);
});

test.each([
  [PLACEHOLDERS.map((name) => `{${name}}`).join(), undefined],
  ["{page:1} {page:9}", undefined],
  ["{{name} { name } {} {see: below}", undefined],
  ["{page} {Page}", "Page"],
  ["{total_pages}", "total_pages"],
  ["{page:0}", "page:0"],
  ["{page:10}", "page:10"],
  ["{page:}", "page:"],
  ["{pages:3}", "pages:3"],
  ["{date:short}", "date:short"],
  ["{time:utc}", "time:utc"],
  ["{constructor}", "constructor"],
])("unknownPlaceholder returns the first unknown placeholder of the text %s: %s", (text, name) => {
  expect(unknownPlaceholder(text)).toBe(name);
});

test.each([
  ["contract.pdf", "contract.pdf"],
  ["/home/a/b.pdf", "b.pdf"],
  ["C:\\files\\b.pdf", "b.pdf"],
  ["a\nb\u0000\ufdd0.pdf", "ab.pdf"],
  ["a\nb/c.pdf", "c.pdf"],
  [`${"😀".repeat(300)}.pdf`, "😀".repeat(200)],
  ["folder/", "document.pdf"],
  ["{page}.pdf", "{page}.pdf"],
])("{filename} stands for the file name without folders and control characters: %j", (filename, shown) => {
  expect(fillIn("{filename}", { ...values, filename })).toBe(shown);
});

test("digitCounts returns digit counts of page numbers only for a text that contains {page}", () => {
  const counts = ["{page}", "{page:6}", "{pages} {date}", "{{page}"].map((text) => digitCounts(text, values));
  expect(counts).toEqual([[3, 2, 1], [3, 2, 1], [], []]);
});

test("digitCounts lists the possible digit counts of page numbers, from page_start to the last page", () => {
  expect(digitCounts("{page}", { ...values, pageStart: 95 })).toEqual([3, 2]);
  expect(digitCounts("{page}", { ...values, pageStart: 999_999_999 })).toEqual([10, 9]);
  expect(digitCounts("{page}", { ...values, pages: 1, pageStart: 0 })).toEqual([1]);
});
