/** A dictionary is read by value (values.ts) and by place (lexer.ts): both must find the same entries in any garbage. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/engine/index.ts";
import { Meter } from "../../../../src/engine/pdf/source/meter.ts";
import { eachEntry, Malformed, readName } from "../../../../src/engine/pdf/syntax/lexer.ts";
import { type Dictionary, parseCharged, parseValue } from "../../../../src/engine/pdf/syntax/values.ts";
import { countedBytes } from "../../../support/countedBytes.ts";

const TOKENS = [
  "<<",
  ">>",
  "[",
  "]",
  "<",
  ">",
  "(",
  ")",
  "{",
  "}",
  "/A",
  "/B",
  "1",
  "x",
  "3 0 R",
  "(a)",
  "<0g>",
  "%\n",
  "/",
];

it("a dictionary has the same entries by value and by place", () => {
  let compared = 0;
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...TOKENS), { maxLength: 12 }),
      fc.constantFrom("", " "),
      (tokens, between) => {
        const bytes = new Uint8Array(Buffer.from(`<<${tokens.join(between)}>>${between}/C 1>> endobj `));
        const byPlace = orNothing(() => {
          const keys = new Set<string>();
          eachEntry(bytes, 0, (key, keyEnd) => keys.add(readName(bytes, key, keyEnd)));
          return keys;
        });
        const byValue = orNothing(() => parseValue(bytes, 0) as Dictionary);
        if (byPlace && byValue) {
          expect(new Set(byValue.keys())).toEqual(byPlace);
          const some = parseCharged(bytes, 0, new Meter(0), new Set(["B", "C"]));
          expect(some).toEqual(new Map([...byValue].filter(([key]) => key === "B" || key === "C")));
          compared++;
        }
      },
    ),
    { numRuns: 20_000, seed: 3 },
  );
  expect(compared).toBeGreaterThan(5000);
});

const encode = (text: string) => new Uint8Array(Buffer.from(`${text} endobj `, "latin1"));

it.each<[string, string]>([
  ["where brackets close it, of whatever kind", "<</A<<] /B 1>>"],
  ["with what encloses it", "<</A[<<] /C 2>> /B 1>>"],
  ["behind brackets that were skipped in it", "<</A<< << [ /C 2>>] >>/B 1>>"],
])("an entry's value ends %s", (_, text) => {
  expect((parseValue(encode(text), 0) as Map<string, unknown>).get("B")).toBe(1);
});

describe("a value is parsed in a few looks at each byte,", () => {
  it.each([
    ["however deep it is", `${"<</A".repeat(190)}[${"1 ".repeat(1000)}]${">>".repeat(190)}`],
    ["where brackets do not match", `<</A${"<<]/A".repeat(14)} 1${">>".repeat(15)}`],
    ["where brackets are not closed", `${"<</A<< <<".repeat(60)}/B[${"1 ".repeat(1000)}]${">>".repeat(180)}`],
  ])("%s", (_, text) => {
    const { bytes, reads } = countedBytes(encode(text));
    parseValue(bytes, 0);
    expect(reads() / bytes.length).toBeLessThan(50);
  });
});

it.each([
  ["strings", "(a)".repeat(70_000)],
  ["dictionaries", "<<>>".repeat(70_000)],
  ["entries", `<<${"/A 1".repeat(180_000)}>>`],
  ["numbers", "1 ".repeat(530_000)],
  ["bytes in a string", `(${"a".repeat(2_200_000)})`],
])("values take no more memory than an object may, many %s", (_, text) => {
  const bytes = encode(`[${text}]`);
  expect(() => parseValue(bytes, 0)).toThrow(EngineError);
});

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
