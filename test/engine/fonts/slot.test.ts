import { expect, test } from "vitest";
import { digitIn, slotsOf, withDigits, withNumber } from "../../../src/engine/fonts/slot.ts";

test.each([
  [slotsOf(3), "120", "120"],
  [slotsOf(3), "7", "7"],
  [slotsOf(3, 6), "7", "000007"],
  [slotsOf(3, 2), "7", "07"],
  [slotsOf(3, 2), "123", "123"],
  [slotsOf(10, 9), "1000000000", "1000000000"],
  [`${slotsOf(3, 4)} x ${slotsOf(3)}`, "12", "0012 x 12"],
])(
  "replaces the digit placeholders of {page} with the page number, and pads it with zeros if requested (case %#)",
  (slots, number, text) => {
    expect(withNumber(withDigits(slots, number.length), number)).toBe(text);
  },
);

test("replaces each digit placeholder with the digit of its decimal place, even if the placeholders are in reverse order", () => {
  expect([...slotsOf(3)].reverse().map((slot) => digitIn(slot, "123"))).toEqual(["3", "2", "1"]);
});
