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
])("parseBeginning parses the complete members of the truncated JSON text %s as %j", (json, whole) => {
  expect(parseBeginning(json)).toEqual(whole);
});

/** Returns whether the value `all` contains every value of `part` at the same path. */
function isWithin(part: unknown, all: unknown): boolean {
  if (typeof part !== "object" || part === null) return Object.is(part, all);
  if (typeof all !== "object" || all === null || Array.isArray(part) !== Array.isArray(all)) return false;
  return Object.entries(part).every(([key, value]) => isWithin(value, (all as Record<string, unknown>)[key]));
}

test("parseBeginning returns only values of the complete JSON text, wherever the text is truncated", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, cut) => {
      const part = parseBeginning(json.slice(0, cut % (json.length + 1)));
      expect(part === undefined || isWithin(part, JSON.parse(json))).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("parseBeginning quickly rejects a text with many unclosed brackets", () => {
  expect(parseBeginning("[".repeat(130_000) + ",".repeat(130_000))).toBe(undefined);
});
