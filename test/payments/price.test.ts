import { describe, expect, test } from "vitest";
import { parsePrice } from "../../src/payments/price.ts";

describe("a price", () => {
  test.each([
    ["0.05", "50000"],
    ["1", "1000000"],
    ["0.000001", "1"],
    ["12.5", "12500000"],
    ["999999999.999999", "999999999999999"],
  ])("of %s USDC is %s atomic units", (amount, atomicUnits) => {
    expect(parsePrice(amount)).toEqual({ atomicUnits, label: `${amount} USDC` });
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
  ])("is none: %j", (amount) => expect(parsePrice(amount)).toBeUndefined());
});
