import { expect, test } from "vitest";
import { JsonScanner } from "../../../src/shared/json/scanner.ts";

function tokensOf(json: string): string[] {
  const scanner = new JsonScanner(json);
  const tokens: string[] = [];
  while (scanner.next()) tokens.push(json.slice(scanner.start, scanner.end));
  return tokens;
}

test.each<[string, string[]]>([
  ['{"a": [1, true, null], "b":{}}', ["{", '"a"', ":", "[", ",", ",", "]", ",", '"b"', ":", "{", "}", "}"]],
  ['["{,:}", "\\"]", "\\\\"]', ["[", '"{,:}"', ",", '"\\"]"', ",", '"\\\\"', "]"]],
  ['["unterminated, \\"]', ["[", '"unterminated, \\"]']],
  ['\\"a"}', ['"a"', "}"]],
  [" 12 ", []],
  ["", []],
])("the JSON scanner splits %j into tokens, with each string as one token", (json, tokens) => {
  expect(tokensOf(json)).toEqual(tokens);
});

test("the JSON scanner returns no further token after the end", () => {
  const scanner = new JsonScanner("[] ");
  expect([scanner.next(), scanner.next(), scanner.next(), scanner.next()]).toEqual(["[", "]", undefined, undefined]);
});
