/**
 * Tests that the parser in values.ts and the lexer in lexer.ts find the same entries in a dictionary, even among
 * garbage.
 */
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

it("the parser and the lexer find the same entries in a dictionary", () => {
  let compared = 0;
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...TOKENS), { maxLength: 12 }),
      fc.constantFrom("", " "),
      (tokens, between) => {
        const bytes = new Uint8Array(Buffer.from(`<<${tokens.join(between)}>>${between}/C 1>> endobj `));
        const byPosition = orNothing(() => {
          const keys = new Set<string>();
          eachEntry(bytes, 0, (key, keyEnd) => keys.add(readName(bytes, key, keyEnd)));
          return keys;
        });
        const byValue = orNothing(() => parseValue(bytes, 0) as Dictionary);
        if (byPosition && byValue) {
          expect(new Set(byValue.keys())).toEqual(byPosition);
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
  ["at any kind of closing bracket", "<</A<<] /B 1>>"],
  ["where the container around the entry ends", "<</A[<<] /C 2>> /B 1>>"],
  ["after the brackets that the parser skips inside the value", "<</A<< << [ /C 2>>] >>/B 1>>"],
])("the parser finds the end of an entry's value %s", (_, text) => {
  expect((parseValue(encode(text), 0) as Map<string, unknown>).get("B")).toBe(1);
});

describe("cost of parsing", () => {
  it.each([
    ["at any depth", `${"<</A".repeat(190)}[${"1 ".repeat(1000)}]${">>".repeat(190)}`],
    ["if brackets do not match", `<</A${"<<]/A".repeat(14)} 1${">>".repeat(15)}`],
    ["if brackets are not closed", `${"<</A<< <<".repeat(60)}/B[${"1 ".repeat(1000)}]${">>".repeat(180)}`],
  ])("the parser reads each byte of an entry's value only a few times %s", (_, text) => {
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
])("the parser rejects a value that needs too much memory: many %s", (_, text) => {
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
