import { expect, test } from "vitest";
import { digitIn, digitPlaceholders, withDigits, withNumber } from "../../../src/engine/fonts/digitPlaceholders.ts";

test.each([
  [digitPlaceholders(3), "120", "120"],
  [digitPlaceholders(3), "7", "7"],
  [digitPlaceholders(3, 6), "7", "000007"],
  [digitPlaceholders(3, 2), "7", "07"],
  [digitPlaceholders(3, 2), "123", "123"],
  [digitPlaceholders(10, 9), "1000000000", "1000000000"],
  [`${digitPlaceholders(3, 4)} x ${digitPlaceholders(3)}`, "12", "0012 x 12"],
])(
  "replaces the digit placeholders of {page} with the page number, and pads it with zeros if requested (case %#)",
  (slots, number, text) => {
    expect(withNumber(withDigits(slots, number.length), number)).toBe(text);
  },
);

test("replaces each digit placeholder with the digit of its decimal place, even if the placeholders are in reverse order", () => {
  expect([...digitPlaceholders(3)].reverse().map((placeholder) => digitIn(placeholder, "123"))).toEqual([
    "3",
    "2",
    "1",
  ]);
});
