import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { damaged } from "../../support/mutate.ts";
import { stampsOrRefuses } from "../../support/property.ts";
import { DRAFTS, SEEDS } from "../../support/seeds.ts";

describe("the engine", () => {
  test.each(Object.entries(SEEDS))("marks the sound file: %s", async (_, seed) => {
    expect(await stampsOrRefuses(seed, { isRepeated: true })).toBe("stamped");
  });

  test("marks every page of 800 damaged files, or refuses them, within its bounds", async () => {
    await fc.assert(
      fc.asyncProperty(damaged(DRAFTS), async ({ bytes }) => void (await stampsOrRefuses(bytes))),
      { numRuns: 800, seed: 20261122 },
    );
  });
});
