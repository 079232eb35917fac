/** Tests the bytes of the output: the retained bytes, the erased bytes, and the tail after the copied source. */
import { inflateSync } from "node:zlib";
import { PDFDocument } from "pdf-lib";
import { describe, expect, it } from "vitest";
import { PlanOutdated } from "../../../../src/engine/pdf/output/eraser.ts";
import { RangeSource } from "../../../../src/engine/pdf/source/byteSource.ts";
import { encode, isEqual, joined } from "../../../support/bytes.ts";
import { readerBy } from "../../../support/ranges.ts";
import { type Bodies, FileBuilder, farContents, file, latin1, onePage, open, plan, ranges, stamp } from "../fixture.ts";

const withoutId = (bytes: Uint8Array) => latin1(bytes).replace(/\/ID\[<\w+><\w+>\]/, "");

function compressed(): Uint8Array {
  const builder = new FileBuilder().objects({ 4: { data: "0 g" } });
  const members = builder.objectStream(5, {
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R>>",
  });
  return builder.xrefStream(6, members).bytes();
}

/**
 * Returns a file with two revisions, of which the second replaces the page. With `linked`, the second revision has a
 * /Prev entry. Otherwise, it has a complete cross-reference table.
 */
function revised(linked: boolean): FileBuilder {
  const builder = new FileBuilder().objects(onePage("/MediaBox[0 0 300 400]/Contents 4 0 R/Old true")).table();
  const previous = /startxref\n(\d+)/.exec(builder.text)?.[1];
  builder.objects({ 3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R/New true>>" });
  return linked ? builder.table({ numbers: [3], trailer: `/Root 1 0 R/Prev ${previous}` }) : builder.table();
}

function objectsFirst(): Uint8Array {
  const builder = new FileBuilder("\n").objects({ 7: "null" });
  builder.text += "%PDF-1.4\n";
  return builder.objects(onePage()).table().bytes();
}

const FILES: [string, Uint8Array][] = [
  ["a plain file", file(onePage())],
  ["a file with object streams", compressed()],
  ["a file with two revisions", revised(true).bytes()],
  ["a file whose second revision has no /Prev", revised(false).bytes()],
];

describe.each(FILES)("the output of %s", (_, source) => {
  it("the output has exactly the planned length", async () => {
    const output = await plan(source);
    expect(await joined(output.chunks())).toHaveLength(output.length);
  });

  it("the output is the same whether the file is in memory or is read in byte ranges", async () => {
    const output = await plan(ranges(source), { thorough: true });
    const streamed = await joined(output.chunks());
    expect(streamed.length).toBe(output.length);
    expect(withoutId(streamed)).toBe(withoutId(await stamp(source)));
  });

  it("an unchanged object has the same offset in the output as in the source", async () => {
    const output = latin1(await stamp(source));
    const at = latin1(source).indexOf("4 0 obj");
    expect(output.indexOf("4 0 obj")).toBe(at);
  });

  it("each object of the output begins on a new line, even after erased bytes", async () => {
    const output = latin1(await stamp(source));
    const starts = [...output.matchAll(/\b\d+ \d+ obj\b/g)].map(({ index }) => output[index - 1]);
    expect(starts.length).toBeGreaterThan(3);
    expect(starts.filter((before) => before !== "\n" && before !== "\r")).toEqual([]);
  });

  it("the output has one page object, one startxref and one %%EOF", async () => {
    const output = latin1(await stamp(source));
    expect(output.match(/startxref/g)).toHaveLength(1);
    expect(output.match(/%%EOF/g)).toHaveLength(1);
    const inflated = output.replace(/\/FlateDecode[\s\S]*?stream\n([\s\S]*?)\nendstream/g, (_match, data: string) =>
      latin1(inflateSync(encode(data))),
    );
    expect(inflated.match(/\/Type\/Page\//g)).toHaveLength(1);
    expect(inflated).not.toContain("/Old");
  });

  it("the output has no readable page if it is truncated at an %%EOF of the source", async () => {
    const output = await stamp(source);
    const tail = latin1(output).indexOf("/Subtype/Form");
    for (const end of [...latin1(source).matchAll(/%%EOF/g)].map(({ index }) => index + 5).filter((at) => at < tail)) {
      await expect(open(output.slice(0, end))).rejects.toMatchObject({ code: "damaged_pdf" });
    }
  });

  it("the output can be marked again, and read by pdf-lib", async () => {
    const output = await stamp(source);
    expect((await open(await stamp(output))).pages.length).toBe(1);
    expect((await PDFDocument.load(output)).getPageCount()).toBe(1);
  });
});

describe("the output", () => {
  it("the output drops bytes before the file header", async () => {
    const output = latin1(await stamp(encode(`junk\n${latin1(file(onePage()))}`)));
    expect(output.startsWith("%PDF-1.7")).toBe(true);
    const offset = Number(/startxref\n(\d+)/.exec(output)?.[1]);
    expect(output.slice(offset, offset + 4)).toBe("xref");
  });

  it.each<[string, string]>([
    ["if the source has none", latin1(file(onePage())).replace("%PDF-1.7", "%XYZ-1.7")],
    ["if objects precede the source's", latin1(objectsFirst())],
  ])("the output begins with a file header %s, and its offsets count from the header", async (_, text) => {
    const source = encode(text);
    const output = latin1(await stamp(source));
    expect(output).toMatch(/^%PDF-1\.7\n/);
    const { table } = (await open(encode(output))).xref;
    for (const num of [1, 3, 4]) expect(output.slice(table.offset(table.liveRow(num)))).toMatch(`${num} 0 obj\n`);
    const streamed = await plan(ranges(source), { thorough: true });
    expect(latin1(await joined(streamed.chunks()))).toBe(output);
  });

  it("the output retains the first half of /ID and replaces the second half", async () => {
    const idOf = async (more: string) => {
      const trailer = `/Root 1 0 R/ID[<0011><2233>]${more}`;
      const output = latin1(await stamp(new FileBuilder().objects(onePage()).table({ trailer }).bytes()));
      return /\/ID\[<(\w+)><(\w+)>\]/.exec(output)!.slice(1);
    };
    const [first, other] = [await idOf(""), await idOf("/Info 4 0 R")];
    expect(first[0]).toBe("0011");
    expect(other[0]).toBe("0011");
    expect(new Set(["2233", first[1], other[1]]).size).toBe(3);
  });

  it("the output is always the same for the same source", async () => {
    const source = file(onePage());
    expect(isEqual(await stamp(source), await stamp(source))).toBe(true);
  });

  it.each([
    ["far from everything else", "[<0011><2233>]", "0011"],
    ["damaged", "[<0011", undefined],
  ])(
    "the output retains the first half of an indirect /ID, or creates a new half if the object is damaged (the object is %s)",
    async (_, id, kept) => {
      const builder = new FileBuilder().objects({ 20: id, 21: { data: new Uint8Array(300_000) }, ...onePage() });
      const source = builder
        .objects({ 22: { data: new Uint8Array(300_000) } })
        .table({ trailer: "/Root 1 0 R/ID 20 0 R" })
        .bytes();
      for (const opened of [source, ranges(source)]) {
        const output = latin1(await joined((await plan(opened)).chunks()));
        const first = /trailer[\s\S]*\/ID\[<(\w+)>/.exec(output)?.[1];
        if (kept === undefined) expect(first).toMatch(/^\w{32}$/);
        else expect(first).toBe(kept);
      }
    },
  );

  it("the output retains /Info and unknown entries of the trailer", async () => {
    const source = new FileBuilder()
      .objects({ ...onePage(), 5: "<</Title(T)>>" })
      .table({ trailer: "/Root 1 0 R/Info 5 0 R/Own(x y)" })
      .bytes();
    expect(latin1(await stamp(source))).toMatch(/trailer\n<<\/Own\(x y\)\/Root 1 0 R\/Info 5 0 R\/ID/);
  });

  it.each<[string, string, string | undefined, RegExp, RegExp]>([
    ["retains only /ID", "", undefined, /\/ID\[<0011></, /\/Info|\/Own|\/Encrypt/],
    ["prefers the newest trailer", "/Info 6 0 R/ID[<22><33>]", undefined, /\/Info 6 0 R\/ID\[<22></, /\/Own|0011/],
    ["completes the newest trailer in recovery", "", "startxref\n1", /\/Info 5 0 R\/ID\[<0011></, /\/Own/],
  ])("the output of a source with several trailers %s", async (_, newest, start, expected, unexpected) => {
    const bodies = { ...onePage(), 5: "<</Title(Old)>>", 6: "<</Title(New)>>" };
    const encryption = start === undefined ? "/Encrypt<</Filter/Standard/V 1/R 2/P -4/O(x)/U(x)>>" : "";
    const builder = new FileBuilder()
      .objects(bodies)
      .table({ trailer: `/Root 1 0 R/Info 5 0 R/Own 1/ID[<0011><2233>]${encryption}` });
    const previous = /startxref\n(\d+)/.exec(builder.text)![1];
    builder.objects({ 7: "null" }).table({ numbers: [7], trailer: `/Root 1 0 R${newest}/Prev ${previous}` });
    if (start) builder.text = builder.text.replaceAll(/startxref\n\d+/g, start);
    const output = latin1(await stamp(builder.bytes()));
    const trailer = output.slice(output.lastIndexOf("trailer"));
    expect(trailer).toMatch(expected);
    expect(trailer).not.toMatch(unexpected);
  });

  it("the output drops the linearization dictionary", async () => {
    const source = new FileBuilder().objects({ 9: "<</Linearized 1/L 999>>" }).objects(onePage()).table().bytes();
    expect(latin1(await stamp(source))).not.toContain("Linearized");
  });

  it("the output retains a stream with /Linearized, since the stream may be a page's content", async () => {
    const content = { dict: "/Linearized 1", data: "0 g 1 1 9 9 re f" };
    const source = new FileBuilder().objects({ 9: content }).objects(onePage("/Contents 9 0 R")).table().bytes();
    const { objects } = await open(await stamp(source));
    expect(await objects.run(() => objects.dictionary(objects.value(9)))).toBeDefined();
  });

  it("the cross-reference of the output has no entries for large gaps between object numbers", async () => {
    const source = file({ ...onePage(), 4000000: "null" });
    const output = await stamp(source);
    expect(output.length).toBeLessThan(source.length + 2000);
    expect(latin1(output)).toMatch(/\n4000000 1\n.*\n4001001 \d\n/);
  });

  it("no new object of the output uses the number of a missing object that /Contents refers to", async () => {
    const source = new FileBuilder()
      .objects(onePage("/MediaBox[0 0 300 400]/Contents[4 0 R 5 0 R]"))
      .table({ size: 4 })
      .bytes();
    expect(latin1(await stamp(source))).not.toMatch(/\n5 0 obj/);
  });

  it.each([
    ["white space", "\n".repeat(8)],
    ["50,000 blanks", " ".repeat(50_000)],
    ["a comment", "\n% end of the page\n"],
    ["a long comment", `\n%${"-".repeat(5000)}\n`],
  ])("the output retains a content stream of correct length whose data are followed by %s", async (_, end) => {
    const content = "BT (endstream) Tj ET 1 0 0 rg 0 0 9 9 re f";
    const stream = `<</Length ${content.length}>>\nstream\n${content}${end}endstream`;
    const output = latin1(await stamp(file(onePage("/Contents 4 0 R", { 4: stream }))));
    expect(output.split(`${stream}\nendobj`)).toHaveLength(2);
    expect(output.split("\n4 0 obj")).toHaveLength(2);
  });

  it("the output corrects the wrong length of a content stream", async () => {
    const source = file(onePage("/Contents 4 0 R", { 4: "<</Length 2>>\nstream\n1 0 0 rg\nendstream" }));
    expect(latin1(await stamp(source))).toMatch(/4 0 obj\n<<\/Length +8>>\nstream\n1 0 0 rg\nendstream/);
  });
});

describe("copies of a page", () => {
  const BOX = "/MediaBox[0 0 300 400]";
  it.each([
    ["a thumbnail", `${BOX}/Thumb 5 0 R/Contents 4 0 R`],
    ["private data", `/PieceInfo<</Illustrator<</Private 5 0 R/LastModified(D:2026)>>>>${BOX}/Contents 4 0 R`],
    ["a thumbnail and private data behind everything else", `${BOX}/Contents 4 0 R/PieceInfo 5 0 R/Thumb 5 0 R`],
    [
      "a thumbnail and private data that occur twice",
      `/Thumb 5 0 R/PieceInfo 5 0 R${BOX}/Contents 4 0 R/Thumb 5 0 R/PieceInfo 5 0 R`,
    ],
    ["the thumbnail of a page without contents", `${BOX}/Thumb 5 0 R`],
    ["a thumbnail and private data with escaped names", `${BOX}/#54humb 5 0 R/Piece#49#6efo 5 0 R/Contents 4 0 R`],
  ])("the output removes %s from a page", async (_, entries) => {
    const page = `<</Type/Page/Parent 2 0 R${entries}/Resources<</Properties<</Thumb 4 0 R/PieceInfo 4 0 R>>>>>>`;
    const packed = new FileBuilder().objects({ 4: { data: "0 g" }, 5: { data: "" } });
    const { 1: catalog, 2: node } = onePage() as Record<number, string>;
    const members = packed.objectStream(6, { 1: catalog!, 2: node!, 3: page });
    for (const source of [file({ ...onePage(), 3: page, 5: { data: "" } }), packed.xrefStream(7, members).bytes()]) {
      const { objects } = await open(await stamp(source));
      const marked = objects.dictionary(objects.value(3))!;
      expect([...marked.keys()].sort()).toEqual(["Contents", "MediaBox", "Parent", "Resources", "Type"]);
      const { size } = objects.dictionary(objects.dictionary(marked.get("Resources"))!.get("Properties"))!;
      expect(size, "objects that only have those names").toBe(2);
    }
  });
});

describe("usage rights", () => {
  const catalogOf = async (bodies: Bodies, trailer?: string) => {
    const source = new FileBuilder().objects({ ...onePage(), ...bodies }).table({ trailer: trailer ?? "/Root 1 0 R" });
    const read = [source.bytes(), ranges(source.bytes())].map(async (opened) => {
      const { objects, trailer: written } = await open(await joined((await plan(opened)).chunks()));
      const catalog = objects.dictionary(written.get("Root"))!;
      return [catalog.has("Perms"), [...(objects.dictionary(catalog.get("Perms"))?.keys() ?? [])]];
    });
    const [memory, ranged] = await Promise.all(read);
    expect(ranged).toEqual(memory);
    return memory;
  };
  const withPerms = (perms: string) => `<</Type/Catalog/Perms ${perms}/Pages 2 0 R>>`;
  const [GONE, CERTIFIED] = [
    [false, []],
    [true, ["DocMDP"]],
  ];

  it.each<[string, Bodies, unknown]>([
    ["usage rights are removed together with an empty /Perms", { 1: withPerms("<</UR3 4 0 R>>") }, GONE],
    ["usage rights are removed in both forms", { 1: withPerms("<</UR 4 0 R/UR3<</Type/Sig>>>>") }, GONE],
    ["usage rights are removed without the certification", { 1: withPerms("<</UR3 4 0 R/DocMDP 4 0 R>>") }, CERTIFIED],
    [
      "usage rights are removed from an indirect /Perms",
      { 1: withPerms("5 0 R"), 5: "<</DocMDP 4 0 R/UR3 4 0 R>>" },
      CERTIFIED,
    ],
    [
      "usage rights are removed together with an empty indirect /Perms",
      { 1: withPerms("6 0 R"), 5: "<</UR3 4 0 R>>", 6: "5 0 R" },
      GONE,
    ],
    [
      "usage rights with escaped names are removed",
      { 1: "<</Type/Catalog/P#65rms<</U#523 4 0 R>>/Pages 2 0 R>>" },
      GONE,
    ],
    [
      "usage rights are removed from the last of two /Perms",
      { 1: withPerms("<<>>/Perms<</DocMDP 4 0 R/UR3 4 0 R>>") },
      CERTIFIED,
    ],
    ["a certification is retained without usage rights", { 1: withPerms("<</DocMDP 4 0 R>>") }, CERTIFIED],
    ["a /Perms that is not a dictionary is retained", { 1: withPerms("(x)") }, [true, []]],
    ["a missing /Perms is ignored", { 1: withPerms("9 0 R") }, [true, []]],
    [
      "usage rights are removed from a catalog with unbalanced brackets",
      { 1: withPerms("<</UR3 4 0 R>>").slice(0, -1) },
      GONE,
    ],
  ])("%s", async (_, bodies, expected) => {
    expect(await catalogOf(bodies)).toEqual(expected);
  });

  it("the output removes usage rights from a catalog in the trailer", async () => {
    expect(await catalogOf({}, `/Root${withPerms("<</UR3 4 0 R>>")}`)).toEqual(GONE);
  });

  it("the output removes usage rights from a catalog in an object stream", async () => {
    const packed = new FileBuilder().objects({ 4: { data: "0 g" } });
    const { 2: node, 3: page } = onePage() as Record<number, string>;
    const members = packed.objectStream(5, { 1: withPerms("<</UR3 4 0 R>>"), 2: node!, 3: page! });
    const { objects } = await open(await stamp(packed.xrefStream(6, members).bytes()));
    expect([...objects.dictionary(objects.value(1))!.keys()]).toEqual(["Type", "Pages"]);
  });
});

describe("pages outside the page tree", () => {
  const STRAY = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R/Stray true>>";
  const DEAD: [string, Bodies][] = [
    ["erases a page outside the page tree", { 9: STRAY }],
    ["erases a page outside the page tree that precedes all other objects", { 0: STRAY }],
    [
      "erases a page outside the page tree that has white space before the value of /Type",
      { 9: STRAY.replace("/Page", " \r\n\t/Page") },
    ],
    [
      "erases a page outside the page tree whose last entry is /Type",
      { 9: "<</MediaBox[0 0 9 9]/Contents 4 0 R/Stray true/Type/Page>>" },
    ],
    [
      "erases a page outside the page tree to which an outline refers",
      { 5: "<</Title(x)/Dest[9 0 R/Fit]>>", 9: STRAY },
    ],
    ["erases a page that only an unused page tree lists", { 8: "<</Type/Pages/Count 1/Kids[9 0 R]>>", 9: STRAY }],
    ["erases a page outside the page tree behind a large object", { 8: { data: new Uint8Array(100_000) }, 9: STRAY }],
    ["erases a page outside the page tree behind an unreadable object", { 8: "<</A", 9: STRAY }],
    ["erases two pages outside the page tree", { 8: STRAY, 9: STRAY }],
  ];
  const KEPT: [string, Bodies][] = [
    ["retains a template", { 9: STRAY.replace("/Page", "/Template") }],
    ["retains the dictionary of a page within another object", { 9: `<</A ${STRAY}>>` }],
    ["retains the dictionary of a page within a string", { 9: `[(${STRAY})]` }],
    ["retains a stream of the type of a page", { 9: { dict: "/Type/Page/Stray true", data: "" } }],
    ["retains the dictionary of a page within a stream", { 9: { data: `9 0 obj\n${STRAY}` } }],
  ];
  /**
   * Plans and writes the output from memory and from byte ranges, with and without `thorough`. Returns all outputs
   * except those of outdated plans.
   */
  const written = async (source: Uint8Array) => {
    const texts = [plan(source), plan(source, { thorough: true }), plan(ranges(source), { thorough: true })];
    const careless = joined((await plan(ranges(source))).chunks()).catch((error) => {
      if (error instanceof PlanOutdated) return undefined;
      throw error;
    });
    const outputs = await Promise.all([...texts.map(async (output) => joined((await output).chunks())), careless]);
    expect(outputs.slice(0, 3)).not.toContain(undefined);
    return outputs.filter((output) => output !== undefined);
  };

  it.each(DEAD)("%s", async (_, bodies) => {
    const { 0: first, ...others } = bodies;
    const builder = new FileBuilder().objects(first ? { 9: first } : {}).objects({ ...onePage(), ...others });
    for (const output of await written(builder.table().bytes())) {
      expect(latin1(output)).not.toContain("/Stray");
      const { pages, objects } = await open(output);
      expect([pages.length, objects.value(9)]).toEqual([1, null]);
    }
  });

  it.each(KEPT)("%s", async (_, bodies) => {
    for (const output of await written(file({ ...onePage(), ...bodies }))) expect(latin1(output)).toContain("/Stray");
  });

  it.each([
    ["a page's content", 4],
    ["an image", 8],
  ])(
    "erases an unlisted page after %s with a wrong /Length, even if another stream follows the page",
    async (_, num) => {
      for (const more of ["", "7 0 obj\n<</Length 4>>\nstream\nabcd\nendstream\nendobj\n"]) {
        const builder = new FileBuilder().objects(onePage("/MediaBox[0 0 300 400]/Contents 4 0 R"));
        builder.objects({ [num]: "<</Length 900>>\nstream\n0 g 1 1 9 9 re f" });
        builder.text += `3 0 obj\n${STRAY}\nendobj\n${more}`;
        builder.objects({ 6: "null" });
        for (const output of await written(builder.table().bytes())) {
          expect(latin1(output)).not.toContain("/Stray");
          expect(latin1(output)).toContain("0 g 1 1 9 9 re f");
        }
      }
    },
  );

  it.each(["(a endobj 7 0 obj)", "% endobj\n7 0 obj"])(
    "retains text that looks like an object within page content of wrong length: %s",
    async (text) => {
      const content = `<</Length 1>>\nstream\nBT ${text}\npop ET 1 1 9 9 re f\nendstream`;
      for (const output of await written(file(onePage("/Contents 4 0 R", { 4: content }))))
        expect(latin1(output)).toContain(`${text}\npop ET 1 1 9 9 re f\nendstream`);
    },
  );

  it("erases a page that no cross-reference lists", async () => {
    const builder = new FileBuilder().objects(onePage());
    builder.text += `9 0 obj\n${STRAY}\nendobj\n`;
    for (const output of await written(builder.objects({ 5: "null" }).table().bytes()))
      expect(latin1(output)).not.toContain("/Stray");
  });

  it("erases a page outside the page tree from an object stream that also contains a page of the tree", async () => {
    const packed = new FileBuilder().objects({ 4: { data: "0 g" } });
    const { 1: catalog, 2: node, 3: page } = onePage() as Record<number, string>;
    const members = packed.objectStream(5, { 1: catalog!, 2: node!, 3: page!, 9: STRAY, 10: "<</Kept true>>" });
    const { objects, pages } = await open(await stamp(packed.xrefStream(6, members).bytes()));
    expect([pages.length, objects.value(9)]).toEqual([1, null]);
    const kept = await objects.run(() => objects.value(10));
    expect(objects.dictionary(kept)!.get("Kept")).toBe(true);
  });

  it("a thorough plan erases a page outside the page tree even if its /Type is written as /#50age", async () => {
    const source = file({ ...onePage(), 9: STRAY.replace("/Page", "/#50age") });
    const outputs = await Promise.all([source, ranges(source)].map((opened) => plan(opened, { thorough: true })));
    for (const output of outputs) expect(latin1(await joined(output.chunks()))).not.toContain("/Stray");
  });
});

describe("the size of the output", () => {
  const sharing = (resources: string, more: Bodies = {}) => {
    const bodies: Bodies = { 1: "<</Type/Catalog/Pages 2 0 R>>", 2: "", 3: { data: "0 g" }, ...more };
    const kids = Array.from({ length: 200 }, (_, i) => i + 10);
    for (const num of kids)
      bodies[num] =
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 3 0 R${more[4] ? "/Resources 4 0 R" : ""}>>`;
    bodies[2] = `<</Type/Pages/Count 200/Kids[${kids.map((num) => `${num} 0 R`).join(" ")}]${resources}>>`;
    return file(bodies);
  };
  const fonts = Array.from({ length: 100 }, (_, i) => `/F${i} 3 0 R`).join("");

  it.each([
    ["inherited Resources", sharing(`/Resources<</Font<<${fonts}>>>>`)],
    ["one indirect Resources dictionary", sharing("", { 4: `<</Font<<${fonts}>>>>` })],
    ["inherited, indirect XObjects", sharing("/Resources<</XObject 5 0 R>>", { 5: `<<${fonts}>>` })],
  ])("the output grows by less than 60 KB for 200 pages with %s", async (_, source) => {
    const output = await stamp(source);
    expect(output.length - source.length).toBeLessThan(60_000);
    expect(latin1(output).match(/\/[A-Z][a-z]{2}0 \d+ 0 R/g)).toHaveLength(1);
    expect((await PDFDocument.load(output)).getPageCount()).toBe(200);
  });

  it("pages of equal size share the object that places the mark", async () => {
    const output = latin1(await stamp(sharing("")));
    const placements = Array.from(output.matchAll(/\/Contents ?\[[^\]]* (\d+) 0 R\]/g), ([, last]) => last);
    expect(placements).toHaveLength(200);
    expect(new Set(placements).size).toBe(1);
  });

  it("pages that share a /Contents array also share one new array in the output", async () => {
    const bodies: Bodies = {
      1: "<</Type/Catalog/Pages 2 0 R>>",
      2: "<</Type/Pages/Kids[5 0 R 6 0 R]>>",
      3: { data: "0 g" },
      4: `[${"3 0 R ".repeat(500)}]`,
    };
    bodies[5] = bodies[6] = "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>";
    const source = file(bodies);
    expect((await stamp(source)).length - source.length).toBeLessThan(6000);
  });
});

describe("a source that is read in byte ranges", () => {
  it("planning the output of a file that is read in byte ranges does not read content streams far from all other objects", async () => {
    const source = farContents({ data: "0 g" });
    let read = 0;
    const counting = new RangeSource(
      readerBy(source.length, async (start, end) => {
        read += end - start;
        return source.slice(start, end);
      }),
    );
    const output = await plan(counting);
    expect(read).toBeLessThan(source.length / 2);
    expect(withoutId(await joined(output.chunks()))).toBe(withoutId(await stamp(source)));
  });

  it("writing the output throws PlanOutdated if the unread object in /Contents is an array, and a thorough plan succeeds", async () => {
    const source = farContents("[7 0 R]");
    const guessed = await plan(ranges(source));
    await expect(joined(guessed.chunks())).rejects.toThrow(PlanOutdated);
    const thorough = await plan(ranges(source), { thorough: true });
    expect(withoutId(await joined(thorough.chunks()))).toBe(withoutId(await stamp(source)));
  });

  describe("a wrong cross-reference", () => {
    const bodies = { ...onePage(), 5: "(not used)", 6: "(nor this)" };
    const numbers = [1, 2, 3, 4, 5];
    const misplaced = (num: number, at: number) => {
      const builder = new FileBuilder().objects(bodies);
      builder.offsets.set(num, builder.offsets.get(at)!);
      return builder.table().bytes();
    };
    const renumbered = (from: string, to: string) => encode(latin1(file(bodies)).replace(from, to));
    const CASES: [string, Uint8Array][] = numbers.flatMap((num) => {
      const { offsets } = new FileBuilder().objects(bodies);
      const entry = `${String(offsets.get(num)).padStart(10, "0")} 00000 n`;
      return [
        [`the entry of object 6 points to object ${num}`, misplaced(6, num)],
        [`the entry of object ${num} points to object 6`, misplaced(num, 6)],
        [`the entry of object ${num} points beyond the end`, renumbered(entry, "0000099999 00000 n")],
        [`the entry of object ${num} has another generation`, renumbered(entry, entry.replace("00000 n", "00003 n"))],
        [`the header of object ${num} has another generation`, renumbered(`\n${num} 0 obj`, `\n${num} 3 obj`)],
      ];
    });

    it.each(CASES)(
      "the output is the same in memory and from byte ranges even if the cross-reference is wrong: %s",
      async (_, source) => {
        const written = async (planned: ReturnType<typeof plan>) => withoutId(await joined((await planned).chunks()));
        const found = await written(plan(ranges(source))).catch((error: unknown) => {
          if (error instanceof PlanOutdated) return written(plan(ranges(source), { thorough: true }));
          throw error;
        });
        expect(found).toBe(await written(plan(source)));
      },
    );
  });

  it("a plan made from byte ranges is discarded if the copied bytes contain an unknown revision", async () => {
    const guessed = await plan(ranges(revised(false).bytes()));
    await expect(joined(guessed.chunks())).rejects.toThrow(PlanOutdated);
  });
});
