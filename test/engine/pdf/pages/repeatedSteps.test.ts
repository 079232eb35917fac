/**
 * Tests that each change to a page is applied only once. The page walk repeats a step if it needs bytes that were not
 * loaded.
 */
import { describe, expect, it } from "vitest";
import { joined } from "../../../support/bytes.ts";
import { type Bodies, file, latin1, onePage, plan, ranges } from "../fixture.ts";

/**
 * A stream that is longer than one read of a range source. The objects before and after it are therefore loaded
 * separately.
 */
const FAR = { data: new Uint8Array(700_000) };

/** Returns a file of one page with the entries `page`, which refer to distant objects. */
const farFrom = (page: string, more: Bodies) =>
  file({ ...onePage(), 3: `<</Type/Page${page}>>`, 8: FAR, ...more, 30: FAR });

describe("a page walk that reads byte ranges", () => {
  it.each<[string, string, Bodies]>([
    [
      "a wrong /Parent and far-away /Resources",
      "/Parent 1 0 R/MediaBox[0 0 300 400]/Contents 4 0 R/Resources 9 0 R",
      { 9: "<</XObject 20 0 R>>", 20: "<<>>" },
    ],
    [
      "a wrong /Rotate and a far-away /XObject",
      "/Parent 2 0 R/Rotate 90.0/MediaBox[0 0 300 400]/Contents 4 0 R/Resources<</XObject 9 0 R>>",
      { 9: "<<>>" },
    ],
    [
      "a wrong /UserUnit and a far-away /MediaBox",
      "/Parent 2 0 R/UserUnit 0/MediaBox 9 0 R/Contents 4 0 R/Resources<<>>",
      { 9: "[0 0 300 400]" },
    ],
    [
      "a wrong /Parent and far-away /Contents",
      "/Parent 1 0 R/MediaBox[0 0 300 400]/Contents 9 0 R/Resources<<>>",
      { 9: { data: "0 g" } },
    ],
  ])("rewrites each page entry only once in a file read in byte ranges: a page with %s", async (_, page, more) => {
    const source = farFrom(page, more);
    const output = latin1(await joined((await plan(ranges(source))).chunks()));
    expect(output).toBe(latin1(await joined((await plan(source)).chunks())));
    const text = /\n3 0 obj\n(.*)/.exec(output)![1]!;
    expect(text).toMatch(/^<<(?:\/\w[^/]*)+>>$/);
    expect(text.match(/\/Parent/g)).toHaveLength(1);
  });
});
