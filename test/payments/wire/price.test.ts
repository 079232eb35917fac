import { describe, expect, test } from "vitest";
import { atomicUnits, parsePrice } from "../../../src/payments/wire/price.ts";

describe("parsePrice", () => {
  test.each([
    ["0.05", "50000"],
    ["1", "1000000"],
    ["0.000001", "1"],
    ["12.5", "12500000"],
    ["999999999.999999", "999999999999999"],
  ])("parsePrice parses the price of %s USDC as %s millionths of a USDC", (amount, millionths) => {
    expect(parsePrice(amount)).toEqual({ millionths, label: `${amount} USDC` });
  });

  test.each([
    "",
    "0",
    "0.000000",
    "-1",
    "1.",
    ".5",
    "0.0000001",
    "5e-2",
    "0,05",
    " 1",
    "1 USDC",
    "free",
    "1000000000000",
  ])("parsePrice rejects the price %j", (amount) => expect(parsePrice(amount)).toBeUndefined());
});

test.each([
  ["0.05", 6, "50000"],
  ["0.05", 18, "50000000000000000"],
  ["0.05", 2, "5"],
  ["7", 0, "7"],
  ["1.25", 6, "1250000"],
])("atomicUnits converts %s USDC to atomic units of a token with %i decimals: %s", (amount, decimals, units) => {
  expect(atomicUnits(parsePrice(amount)!, decimals)).toBe(units);
});

test("atomicUnits rejects a price that is not a whole number of the token's atomic units", () => {
  expect(() => atomicUnits(parsePrice("0.05")!, 1)).toThrow("0.05 USDC");
});
