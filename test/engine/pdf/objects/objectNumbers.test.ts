/** Tests how numbers are allocated for new objects. */
import { describe, expect, it } from "vitest";
import { ObjectNumbers } from "../../../../src/engine/pdf/objects/objectNumbers.ts";
import { FREE, LARGEST_NUMBER, XrefTable } from "../../../../src/engine/pdf/objects/xrefTable.ts";
import { type Bodies, FileBuilder, latin1, onePage, open, stamp } from "../fixture.ts";

function numbersBeside(used: number[], size?: number): ObjectNumbers {
  const table = new XrefTable(0);
  for (const num of used) table.add(num, FREE, 0, 0);
  return new ObjectNumbers(table, size);
}

describe("numbers of new objects", () => {
  const last = LARGEST_NUMBER;
  it.each<[string, number[], number | undefined, number[]]>([
    ["1,000 above /Size", [0, 1, 2], 3, [1003, 1004, 1005]],
    ["from 1,000 above the largest number if /Size is too small", [0, 1, 2], 2, [1002, 1003]],
    ["from 1,000 above /Size if /Size is too large", [0, 1, 2], 50, [1050, 1051]],
    ["up to the largest permitted number, then in gaps", [0, 1, last - 1001], 2, [last - 1, last, 1001, 1002]],
    ["in gaps if /Size exceeds the largest permitted number", [0, 1, 1500], 1e12, [1001, 1002]],
    [
      "in gaps, at least 1,000 above the used number before each gap",
      [0, 1, 1002, 1500, last],
      last + 1,
      [1001, 2500, 2501],
    ],
    ["in gaps if 1,000 above the largest number exceeds the permitted numbers", [0, 900, last - 500], 1, [1900, 1901]],
    ["in a gap, up to the next used number", [0, 1002, ...every(1000, 2000), last], last + 1, [1000, 1001]],
  ])("allocates new object numbers %s", (_, used, size, expected) => {
    const numbers = numbersBeside(used, size);
    expect(expected.map(() => numbers.take())).toEqual(expected);
  });

  it("throws damaged_pdf if no object number is left", () => {
    const numbers = numbersBeside([...every(1000, 0), last], last + 1);
    expect(() => numbers.take()).toThrow(expect.objectContaining({ code: "damaged_pdf" }));
  });

  it("allocates object numbers in gaps, in files with a cross-reference table or a cross-reference stream", async () => {
    const bodies: Bodies = { ...onePage(), [last]: "(the last)" };
    const plain = new FileBuilder()
      .objects(bodies)
      .table({ size: last + 1 })
      .bytes();
    const packed = new FileBuilder().objects({ 4: { data: "0 g" }, [last]: "(the last)" });
    const { 1: catalog, 2: node, 3: page } = bodies as Record<number, string>;
    const members = packed.objectStream(5, { 1: catalog!, 2: node!, 3: page! });
    packed.xrefStream(6, members, `/Root 1 0 R/Index[1 6 ${last} 1]`, [...every(1, 1, 7), last]);
    for (const source of [plain, packed.bytes()]) {
      const output = await stamp(source);
      const { pages, objects } = await open(output);
      expect(pages).toHaveLength(1);
      expect(objects.value(last)).toEqual(Uint8Array.from("the last", (char) => char.charCodeAt(0)));
      const numbers = [...latin1(output).matchAll(/\b(\d+) 0 obj/g)].map(([, num]) => Number(num));
      const added = numbers.filter((num) => num > 6 && num < last);
      expect(added.length).toBeGreaterThan(2);
      expect(Math.min(...added)).toBeGreaterThanOrEqual(1004);
      expect(Math.max(...numbers)).toBe(last);
    }
  });
});

/** Returns the numbers from `first` up to, but not including, `end` in steps of `step`. */
function every(step: number, first: number, end = LARGEST_NUMBER): number[] {
  return Array.from({ length: Math.ceil((end - first) / step) }, (_, i) => first + i * step);
}
