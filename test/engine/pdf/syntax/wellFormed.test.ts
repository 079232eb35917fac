/** Tests that well-formed values are recognized, and that malformed values are rewritten. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/engine/index.ts";
import { Malformed } from "../../../../src/engine/pdf/syntax/lexer.ts";
import { endOfWellFormed, WellFormedWalk, wellFormedText } from "../../../../src/engine/pdf/syntax/wellFormed.ts";
import { countedBytes } from "../../../support/countedBytes.ts";
import { latin1 } from "../fixture.ts";

/** Encodes a value and the keyword that follows a value in a file. */
const encode = (text: string) => new Uint8Array(Buffer.from(`${text} endobj `, "latin1"));
const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;

describe("well-formed values", () => {
  it.each([
    ...["1", "-1.5", "+.5", "4.", "true", "false", "null", "/Name", "/", "/A#20", "(a(b)\\))", "<0a F>", "<>", "[]"],
    ...["<<>>", "7 0 R", "7\n65535%c\n R", "[1 2 0 R]", "[1 2]", "<</A/B/C[<</D 1 0 R>>]/E(>>)>>", nested(50)],
  ])("recognizes %s as a well-formed value", (text) => {
    expect(endOfWellFormed(encode(text), 0)).toBe(text.length);
  });
});

describe("malformed values", () => {
  it.each<[string, string]>([
    ["1e2", "null"],
    ["--5x", "null"],
    ["word", "null"],
    ["{", "null"],
    ["<0z1>", "<01>"],
    ["7 65536 R", "7 0 R"],
    ["<<5/A 1>>", "<</A 1 >>"],
    ["<< <</A 1>>", "<</A 1 >>"],
    ["<</A 1/B>>", "<</A 1 >>"],
    ["<</A 1 2/B(x)y>>", "<</A 1 /B (x) >>"],
    ["<</A[1 word(x)]>>", "<</A [1 null (x) ] >>"],
    ["[3 0 R4 0 R]", "[3 0 R 4 0 R ]"],
    ["[<< <</A 1>> >> 2 x]", "[<</A 1 >> 2 null ]"],
    ["[<< ] 1 x]", "[<<>> 1 null ]"],
    ["]", "null"],
    [nested(51), nested(50).replace("1", "null ").replaceAll("]", "] ").trimEnd()],
  ])("rewrites the malformed value %s as %s", (text, expected) => {
    expect(latin1(wellFormedText(encode(text), 0))).toBe(expected);
  });
});

it.each([
  ["deep arrays", `${"[".repeat(48)}${"/A ".repeat(1000)}x ${"]".repeat(48)}`],
  ["deep dictionaries", `${"<</K".repeat(48)}[${"/A ".repeat(1000)}] x ${">>1 ".repeat(48)}`],
  ["deep dictionaries with stray brackets", `${"<< [ /K".repeat(24)}[${"/A ".repeat(1000)}] x ${">> ] x ".repeat(24)}`],
  ["arrays side by side", `[${"[/A 1 x]".repeat(500)}]`],
  ["brackets that do not match", `<</K[${"<<] ".repeat(1000)}]>>`],
  ["brackets without a matching opening bracket", `[${"<< 5 ".repeat(1000)}${">> ".repeat(1000)}]`],
])("rewriting a malformed value reads each byte of the value only a few times: %s", (_, text) => {
  const { bytes, reads } = countedBytes(encode(text));
  wellFormedText(bytes, 0);
  expect(reads() / bytes.length).toBeLessThan(25);
});

it.each(["<</A[1 2 0 R[<<>>]]/B<</C(x)/D<0a>>>>>", nested(50), nested(51), "[<</A 1/B x>>]", "[[1][2 3"])(
  "the check for well-formed values finds the same end in steps as in one call: %s",
  (text) => {
    const bytes = encode(text);
    const walk = new WellFormedWalk().from(0);
    const inSteps = () => {
      for (;;) {
        const end = walk.advance(bytes, walk.at + 1);
        if (end !== 0) return end;
      }
    };
    const outcome = (read: () => number) => {
      try {
        return read();
      } catch (error) {
        return (error as Error).name;
      }
    };
    expect(outcome(inSteps)).toBe(outcome(() => endOfWellFormed(bytes, 0)));
  },
);

it("rejects a malformed value that is too long to rewrite", () => {
  expect(() => wellFormedText(encode(`[${"x ".repeat(1 << 18)}]`), 0)).toThrow(EngineError);
});

it("rewrites any malformed value as a well-formed value, unless the value cannot be interpreted", () => {
  const token = fc.constantFrom(
    ...[
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
      "/Kids",
      "1",
      "-2.5",
      "x",
      "0 R",
      "3 0 R",
      "3 99999 R",
    ],
    ...["null", "<0g>", "(\\()", "% c\n", "#", "9e9", "/"],
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 30 }), fc.constantFrom("", " "), (tokens, between) => {
      const bytes = encode(`<<${tokens.join(between)}>>`);
      const text = written(bytes);
      if (text) expect(endOfWellFormed(encode(latin1(text)), 0)).toBe(text.length);
    }),
    { numRuns: 5000, seed: 7 },
  );
});

/** Returns the rewritten value, or undefined if the value cannot be interpreted. */
function written(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return wellFormedText(bytes, 0);
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
