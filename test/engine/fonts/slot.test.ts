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
  "fills each number slot with the digits of the page number, with leading zeros in padded slots (%#)",
  (slots, number, text) => {
    expect(withNumber(withDigits(slots, number.length), number)).toBe(text);
  },
);

test("returns the digit for each slot by the slot's decimal place, even if the slots are reversed", () => {
  expect([...slotsOf(3)].reverse().map((slot) => digitIn(slot, "123"))).toEqual(["3", "2", "1"]);
});
