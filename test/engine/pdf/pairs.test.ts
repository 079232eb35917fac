/**
 * Tests files with two defects each. The command `npm run check:pairs` tries many more pairs, and checks the outputs
 * with other programs.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFECTS, SOUND } from "../../../scripts/lib/defects.ts";
import { encode } from "../../support/bytes.ts";
import { marksOrRefuses } from "../../support/property.ts";
import { CORNER } from "../../support/trialMarks.ts";

test.each(Object.entries(DEFECTS))("marks a file with the defect: %s", async (_, defect) => {
  const file = defect(SOUND);
  expect(file).not.toBe(SOUND);
  expect(await marksOrRefuses(encode(file), { mark: CORNER })).toBe("marked");
});

test("marks every page of a file with two defects, or rejects the file", async () => {
  const one = fc.constantFrom(...Object.values(DEFECTS));
  await fc.assert(
    fc.asyncProperty(one, one, async (first, second) => {
      await marksOrRefuses(encode(second(first(SOUND))), { mark: CORNER });
    }),
    { numRuns: 100, seed: 20261125 },
  );
});

test("marks a file in which one offset is wrong and another points to the line end before its object", async () => {
  const near = DEFECTS["an offset that points to the line end before the object"]!;
  const wrong = DEFECTS["an offset that is wrong"]!;
  expect(await marksOrRefuses(encode(wrong(near(SOUND))), { mark: CORNER })).toBe("marked");
});
