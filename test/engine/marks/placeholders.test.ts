import { expect, test } from "vitest";
import { DIGIT_SLOT } from "../../../src/engine/fonts/slot.ts";
import { fillIn, isNumbered, unknownPlaceholder, withDigits } from "../../../src/engine/marks/placeholders.ts";

const values = { pages: 120, date: new Date("2026-03-04T23:30:00-05:00") };
const number = DIGIT_SLOT.repeat(3);

test.each([
  ["{pages}", "120"],
  ["{date}", "2026-03-05"],
  ["{page}/{pages}", `${number}/120`],
  ["{{page}", "{page}"],
  ["{{{pages}", "{120"],
  ["{ } {1} }", "{ } {1} }"],
])("fills in the placeholders of the text %s to produce %j", (text, filled) => {
  expect(fillIn(text, values)).toBe(filled);
});

test.each([
  ["{page} {pages} {date}", undefined],
  ["{{name} { name } {}", undefined],
  ["{page} {Page}", "Page"],
  ["{total_pages}", "total_pages"],
])("finds the unknown placeholder in the text %s: %s", (text, name) => {
  expect(unknownPlaceholder(text)).toBe(name);
});

test("counts a text as numbered only if it contains {page}", () => {
  expect(["{page}", "{pages} {date}", "{{page}"].map(isNumbered)).toEqual([true, false, false]);
});

test("reserves the requested number of digits for each page number in a line", () => {
  expect(withDigits(`${number} x ${number}`, 3, 1)).toBe(`${DIGIT_SLOT} x ${DIGIT_SLOT}`);
});
