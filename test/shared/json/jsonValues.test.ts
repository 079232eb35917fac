import { expect, test } from "vitest";
import { hasTooManyValues, MAX_JSON_VALUES } from "../../../src/shared/json/jsonValues.ts";

const many = (value: (at: number) => string, count: number) =>
  Array.from({ length: count }, (_, at) => value(at)).join();

test.each<[string, string]>([
  ["keys", `{${many((at) => `"k${at}":1`, MAX_JSON_VALUES + 1)}}`],
  ["elements", `[${many(() => "0", MAX_JSON_VALUES + 1)}]`],
  ["objects in two lists", `[[${many(() => "{}", 300)}],[${many(() => "{}", 300)}]]`],
  ["levels", "[".repeat(MAX_JSON_VALUES + 1)],
  ["elements after a string with escapes", `["\\\\","\\"",${many(() => "0", MAX_JSON_VALUES)}]`],
])("hasTooManyValues returns true for a JSON text with too many %s", (_, json) => {
  expect(hasTooManyValues(json)).toBe(true);
});

test.each<[string, string]>([
  ["nothing", ""],
  ["a request", '{"file":"https://example.com/a.pdf","text":"A, B, {page}"}'],
  ["the maximum number of values", `[${many(() => "0", MAX_JSON_VALUES)}]`],
  ["commas and brackets in a string", `{"text":"${"[{,".repeat(MAX_JSON_VALUES)}"}`],
  ["commas in a string after an escaped quote", `{"text":"\\"${",".repeat(2 * MAX_JSON_VALUES)}"}`],
  ["an unterminated string", `{"text":"${",".repeat(2 * MAX_JSON_VALUES)}\\"`],
])("hasTooManyValues returns false for a JSON text with %s", (_, json) => {
  expect(hasTooManyValues(json)).toBe(false);
});
