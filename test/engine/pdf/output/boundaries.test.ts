/** Tests the list of boundaries: the offsets at which the parts of a file begin. */
import { expect, test } from "vitest";
import { Boundaries, LIVE, SECTION, STALE, SUPERSEDED } from "../../../../src/engine/pdf/output/boundaries.ts";

const listed = (boundaries: Boundaries) =>
  Array.from({ length: boundaries.length }, (_, index) => [boundaries.offsetAt(index), boundaries.kindAt(index)]);

test("a list of boundaries returns the added offsets and kinds, including offsets beyond 4 GiB", () => {
  const boundaries = new Boundaries(10);
  boundaries.add(0, LIVE);
  boundaries.add(7, STALE);
  boundaries.add(2 ** 40 + 1, SUPERSEDED);
  expect(listed(boundaries)).toEqual([
    [0, LIVE],
    [7, STALE],
    [2 ** 40 + 1, SUPERSEDED],
  ]);
  expect([0, 1, 2].map((index) => boundaries.isLive(index))).toEqual([true, false, false]);
});

test("a list of boundaries sorts added boundaries by offset and kind, but does not sort prepended boundaries", () => {
  const boundaries = new Boundaries(4);
  for (const [offset, kind] of [
    [9, LIVE],
    [5, STALE],
    [5, LIVE],
  ] as const)
    boundaries.add(offset, kind);
  boundaries.sort();
  boundaries.prepend(5, SECTION);
  expect(listed(boundaries)).toEqual([
    [5, SECTION],
    [5, LIVE],
    [5, STALE],
    [9, LIVE],
  ]);
});
