/** Tests how the engine reads the attributes of pages, counts pages, and rejects some page trees. */
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../../src/engine/index.ts";
import { type Bodies, file, latin1, onePage, open, stamp } from "../fixture.ts";

const outcome = (bodies: Bodies) =>
  stamp(file(bodies)).catch((error) => (error instanceof EngineError ? error.code : error));
const objectOf = (output: Uint8Array, num: number) => new RegExp(`\n${num} 0 obj\n(.*)`).exec(latin1(output))?.[1];

describe("entries of pages", () => {
  it.each([
    ["/Rotate 90.0", "/Rotate 90"],
    ["/Rotate (90)", ""],
    ["/Rotate 45", ""],
    ["/Rotate +90", "/Rotate 90"],
    ["/Rotate -90", "/Rotate 270"],
    ["/Rotate 9 0 R", ""],
    ["/UserUnit -1", ""],
    ["/UserUnit 8 0 R", "/UserUnit 2"],
    ["/CropBox[0 0 50]", ""],
    ["/CropBox[--5 0 50 60]", "/CropBox[-5 0 50 60]"],
    ["/CropBox[9 9 9 9]", ""],
    ["/CropBox[500 500 600 600]", "/CropBox[0 0 90 90]"],
    ["/UserUnit 0", ""],
    ["/UserUnit 1215752191", ""],
    ["/UserUnit .0000001", ""],
    ["/CropBox[0 0 50 60 70]", "/CropBox[0 0 50 60]"],
    ["/CropBox 7 0 R", "/CropBox[0 0 50 60]"],
  ])(
    "the output writes page boxes, rotations and units in a form that all readers understand: %s",
    async (entry, expected) => {
      const bodies = {
        ...onePage(`${entry}/MediaBox[0 0 90 90]/Contents 4 0 R/Resources<<>>`),
        7: "[0 0 50 60]",
        8: "2",
      };
      const text = objectOf(await stamp(file(bodies)), 3)!;
      expect(/^<<\/Type\/Page\/Parent \d+ 0 R\/MediaBox\[0 0 90 90\](.*)\/Contents\[/.exec(text)?.[1]).toBe(expected);
    },
  );

  it("adds a MediaBox to a page that neither has nor inherits one", async () => {
    const output = await stamp(file({ ...onePage("/Contents 4 0 R") }));
    expect(objectOf(output, 3)).toContain("/MediaBox[0 0 612 792]");
  });
});

describe("page counts", () => {
  const node = (kids: string) => `<</Type/Pages/Count 2/Kids[${kids}]>>`;

  it("counts the pages of a page-tree node each time that the node is listed", async () => {
    const bodies = { 2: node("5 0 R 5 0 R"), 5: node("6 0 R 6 0 R"), 6: node("3 0 R 3 0 R") };
    expect((await open(file({ ...onePage(), ...bodies }))).pages).toHaveLength(8);
    await expect(open(file({ ...onePage(), ...bodies }), { maxPages: 7 })).rejects.toThrow("more than 7 pages");
  });

  it.each([
    ["itself", node("3 0 R 2 0 R"), 1],
    ["an ancestor", node("3 0 R 5 0 R"), 2],
  ])("reports missing pages if a node lists %s, because a reader may repeat its pages", async (_, root, count) => {
    const { pages, missesPages } = await open(file({ ...onePage(), 2: root, 5: node("2 0 R 3 0 R") }));
    expect({ pages: pages.length, missesPages }).toEqual({ pages: count, missesPages: true });
  });

  it("rejects a small page tree that has exponentially many pages because its nodes are listed repeatedly", async () => {
    const nodes = Array.from({ length: 60 }, (_, index) => [index + 10, node(`${index + 11} 0 R ${index + 11} 0 R`)]);
    const bodies = { ...onePage(), 2: node("10 0 R"), ...Object.fromEntries(nodes), 70: node("3 0 R") };
    await expect(open(file(bodies), { maxPages: 1000 })).rejects.toThrow("more than 1000 pages");
    expect((await open(file({ ...bodies, 70: node(""), 2: node("10 0 R 3 0 R") }))).pages).toHaveLength(1);
  });
});

describe("rejected page trees", () => {
  const root = (kids: string) => `<</Type/Pages/Count 2/Kids[${kids} 3 0 R]>>`;
  it.each<[string, Bodies]>([
    ["a page that is a stream", { 2: root("4 0 R") }],
    ["a node that is a stream", { 2: root("5 0 R"), 5: { dict: "/Type/Pages/Kids[3 0 R]", data: "" } }],
    ["a page that has kids", { 2: root("5 0 R"), 5: "<</Type/Page/Kids[3 0 R]>>" }],
    ["a page with an indirect /Type that has kids", { 2: root("5 0 R"), 5: "<</Type 6 0 R/Kids[3 0 R]>>", 6: "/Page" }],
    ["a kid that may be a reference", { 2: root("3.0 0 R") }],
  ])("rejects a page tree with %s", async (_, bodies) => {
    expect(await outcome({ ...onePage(), ...bodies })).toBe("damaged_pdf");
  });
});
