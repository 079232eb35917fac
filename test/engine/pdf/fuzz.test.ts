import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allCases } from "../../support/allCases.ts";
import { loadFont } from "../../support/fonts.ts";
import { isWorkerd } from "../../support/isWorkerd.ts";
import { damaged } from "../../support/mutate.ts";
import { marksOrRefuses } from "../../support/property.ts";
import { DRAFTS, SEEDS } from "../../support/seeds.ts";
import { CORNER, textMarks } from "../../support/trialMarks.ts";

const MARKS = [CORNER, ...textMarks(loadFont)];

/**
 * Number of damaged files. In workerd, a few files are enough to check that the runtime has all functions that the
 * engine uses.
 */
const FILES = allCases ? 800 : isWorkerd ? 60 : 300;

// The command `npm run fuzz` tries many more files, and checks the outputs with other programs.
describe("the engine", () => {
  test.each(Object.entries(SEEDS))("the engine marks the well-formed file: %s", async (_, seed) => {
    for (const mark of MARKS) expect(await marksOrRefuses(seed, { mark, isRepeated: true })).toBe("marked");
  });

  test(`the engine marks every page or rejects the file within the work limits, for each of ${FILES} damaged files`, async () => {
    const trial = fc.record({ mark: fc.constantFrom(...MARKS), thorough: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(damaged(DRAFTS), trial, async ({ bytes }, how) => void (await marksOrRefuses(bytes, how))),
      { numRuns: FILES, seed: 20261122 },
    );
  });
});
