import fc from "fast-check";
import { expect, test } from "vitest";
import { parseBeginning } from "../../../src/shared/json/partialJson.ts";

test.each<[string, unknown]>([
  ['{"a":1,"b":2', { a: 1 }],
  ['{"a":{"b":[1,{"c":",]}"},"d', { a: { b: [1, { c: ",]}" }] } }],
  ['{"a":"\\",\\\\","b":"long, lo', { a: '",\\' }],
  ['{"a":[1,2],"b":{"c":3},', { a: [1, 2], b: { c: 3 } }],
  ["[1,[2,3", [1, [2]]],
  ['{"a":"no end', undefined],
  ['{"a":1 "b":2,', undefined],
  ["}},,{{", undefined],
  ["", undefined],
])("of %s, what is whole is %j", (json, whole) => {
  expect(parseBeginning(json)).toEqual(whole);
});

/** Whether all that is in `part` is in `all` at the same place. */
function isWithin(part: unknown, all: unknown): boolean {
  if (typeof part !== "object" || part === null) return Object.is(part, all);
  if (typeof all !== "object" || all === null || Array.isArray(part) !== Array.isArray(all)) return false;
  return Object.entries(part).every(([key, value]) => isWithin(value, (all as Record<string, unknown>)[key]));
}

test("wherever a text is cut off, nothing is found in it that it does not say", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, cut) => {
      const part = parseBeginning(json.slice(0, cut % (json.length + 1)));
      expect(part === undefined || isWithin(part, JSON.parse(json))).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("brackets without end take no time", () => {
  expect(parseBeginning("[".repeat(130_000) + ",".repeat(130_000))).toBe(undefined);
});
