import { expect, test } from "vitest";
import { TEXT_SAMPLES } from "../../../scripts/lib/textSamples.ts";
import { rangesOf } from "../../../src/engine/fonts/coverage.ts";
import { FAMILIES } from "../../../src/engine/fonts/families.ts";
import { SCRIPTS, scriptOf } from "../../../src/engine/fonts/scripts.ts";

/** Matches a letter of a script other than Common and Inherited. */
const OWN_LETTER = /(?!\p{Script=Common}|\p{Script=Inherited})\p{L}/u;

test.each(FAMILIES)("determines the script of each letter in the font $name", (family) => {
  const bounds = rangesOf(family);
  const unnamed: string[] = [];
  for (let i = 0; i < bounds.length; i += 2)
    for (let code = bounds[i]!; code <= bounds[i + 1]!; code++) {
      const character = String.fromCodePoint(code);
      if (OWN_LETTER.test(character) && scriptOf(character) === undefined) unnamed.push(character);
    }
  expect(unnamed).toEqual([]);
});

test("the text samples have a line for each script", () => {
  const sampled = new Set(Object.values(TEXT_SAMPLES).flatMap((line) => Array.from(line, scriptOf)));
  expect(SCRIPTS.filter((script) => !sampled.has(script))).toEqual([]);
});
