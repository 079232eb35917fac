import { expect, test } from "vitest";
import { file, latin1, onePage, stamp } from "../fixture.ts";

/** Returns the resource name that the mark has in the output. */
async function nameIn(source: Uint8Array): Promise<string> {
  return /\/XObject<<\/(\w+) \d+ 0 R>>/.exec(latin1(await stamp(source)))![1]!;
}

test("the prefix of the mark's resource name differs between files but is always the same for one file", async () => {
  const sources = Array.from({ length: 20 }, (_, length) => file(onePage(`/Own(${"x".repeat(length)})`)));
  const names = await Promise.all(sources.map(nameIn));
  for (const name of names) expect(name).toMatch(/^[A-Z][a-z]{2}0$/);
  expect(new Set(names).size).toBeGreaterThan(18);
  expect(await Promise.all(sources.map(nameIn))).toEqual(names);
});
