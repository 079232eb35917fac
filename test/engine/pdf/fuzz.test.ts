import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { damaged } from "../../support/mutate.ts";
import { stampsOrRefuses } from "../../support/property.ts";
import { SEEDS } from "../../support/seeds.ts";

describe("the engine", () => {
  test.each(Object.entries(SEEDS))("stamps the sound file: %s", async (_, seed) => {
    expect(await stampsOrRefuses(seed)).toBe("stamped");
  });

  test("stamps or refuses 500 damaged files, and never fails otherwise", async () => {
    await fc.assert(
      fc.asyncProperty(damaged(Object.values(SEEDS)), async (file) => void (await stampsOrRefuses(file))),
      { numRuns: 500, seed: 20261121 },
    );
  });
});
