import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { repeatedKey } from "../../../src/shared/json/repeatedKey.ts";

describe("repeated keys", () => {
  test.each<[string, string]>([
    ['{"a":1,"a":2}', "a"],
    ['{"a":1,"b":2,"a":1}', "a"],
    ['\t{ "a" \r\n: 1 , "a"\n:2 }', "a"],
    ['{"file":1,"\\u0066ile":2}', "file"],
    ['{"":1,"":2}', ""],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    ['{"a\\"":1,"b":"\\\\","a\\"":2}', 'a"'],
    ['{"a\\\\":1,"a\\\\":2}', "a\\"],
    ['{"a":{"b":1,"c":[{}],"b":2}}', "b"],
    ['{"a":[[1],{"b":1,"b":2}]}', "b"],
    ['[{"a":1,"a":1}]', "a"],
    ['{"a":{"a":1},"b":{"a":2},"b":3}', "b"],
  ])("repeatedKey finds the repeated key in %s", (json, key) => {
    expect(() => JSON.parse(json)).not.toThrow();
    expect(repeatedKey(json, 3)).toBe(key);
  });
});

describe("unique keys", () => {
  test.each([
    "{}",
    "[]",
    '"a"',
    "1",
    '{"a":1,"A":2}',
    '{"a":"a","b":"a"}',
    '{"a":["a","a"],"b":["a"]}',
    '{"a":{"a":1},"b":[{"a":1},{"a":1}]}',
    '{"a":"\\",\\"a\\":","b":"{\\"a\\":1,\\"a\\":2}"}',
    '["a","a",{"a":"a"},"a"]',
  ])("repeatedKey finds no repeated key in %s", (json) => {
    expect(repeatedKey(json, 9)).toBeUndefined();
  });

  test("repeatedKey finds no repeated key below the given depth", () => {
    const json = '{"a":{"b":1,"b":2}}';
    expect([repeatedKey(json, 1), repeatedKey(json, 2)]).toEqual([undefined, "b"]);
  });

  test("repeatedKey finds no repeated key in any serialized JSON value", () => {
    fc.assert(fc.property(fc.json(), (json) => repeatedKey(json, 100) === undefined));
  });
});

test("repeatedKey scans a deeply nested JSON text to its end", () => {
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  expect(repeatedKey(`{"b":${deep},"b":1}`, 1)).toBe("b");
});
