/** What the output is, byte by byte: what is kept, what is gone, and what comes after it. */
import { inflateSync } from "node:zlib";
import { PDFDocument } from "pdf-lib";
import { describe, expect, it } from "vitest";
import { RangeSource } from "../../../src/engine/pdf/byteSource.ts";
import { PlanOutdated } from "../../../src/engine/pdf/eraser.ts";
import { isEqual, joined } from "../../support/bytes.ts";
import { readerBy } from "../../support/ranges.ts";
import { type Bodies, FileBuilder, farContents, file, latin1, onePage, open, plan, stamp } from "./fixture.ts";

const encode = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const withoutId = (bytes: Uint8Array) => latin1(bytes).replace(/\/ID\[<\w+><\w+>\]/, "");
const ranges = (bytes: Uint8Array) =>
  new RangeSource(readerBy(bytes.length, async (start, end) => bytes.slice(start, end)));

function compressed(): Uint8Array {
  const builder = new FileBuilder().objects({ 4: { data: "0 g" } });
  const members = builder.objectStream(5, {
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R>>",
  });
  return builder.xrefStream(6, members).bytes();
}

/** A page, superseded by a second revision; `linked` by /Prev, or with a table of its own that does not tell of the first. */
function revised(linked: boolean): FileBuilder {
  const builder = new FileBuilder().objects(onePage("/MediaBox[0 0 300 400]/Contents 4 0 R/Old true")).table();
  const previous = /startxref\n(\d+)/.exec(builder.text)?.[1];
  builder.objects({ 3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R/New true>>" });
  return linked ? builder.table({ numbers: [3], trailer: `/Root 1 0 R/Prev ${previous}` }) : builder.table();
}

const FILES: [string, Uint8Array][] = [
  ["a plain file", file(onePage())],
  ["a file with object streams", compressed()],
  ["a file with two revisions", revised(true).bytes()],
  ["a file whose second revision does not tell of the first", revised(false).bytes()],
];

describe.each(FILES)("the output of %s", (_, source) => {
  it("is as long as planned", async () => {
    const output = await plan(source);
    expect(await joined(output.chunks())).toHaveLength(output.length);
  });

  it("is the same over ranges", async () => {
    const output = await plan(ranges(source), { thorough: true });
    const streamed = await joined(output.chunks());
    expect(streamed.length).toBe(output.length);
    expect(withoutId(streamed)).toBe(withoutId(await stamp(source)));
  });

  it("keeps the live objects where they were", async () => {
    const output = latin1(await stamp(source));
    const at = latin1(source).indexOf("4 0 obj");
    expect(output.indexOf("4 0 obj")).toBe(at);
  });

  it("has one page object, one cross-reference and one end", async () => {
    const output = latin1(await stamp(source));
    expect(output.match(/startxref/g)).toHaveLength(1);
    expect(output.match(/%%EOF/g)).toHaveLength(1);
    const inflated = output.replace(/\/FlateDecode[\s\S]*?stream\n([\s\S]*?)\nendstream/g, (_match, data: string) =>
      latin1(inflateSync(encode(data))),
    );
    expect(inflated.match(/\/Type\/Page\//g)).toHaveLength(1);
    expect(inflated).not.toContain("/Old");
  });

  it("opens nowhere else as the source: no page is left when the end is cut off", async () => {
    const output = await stamp(source);
    const tail = latin1(output).indexOf("/Subtype/Form");
    for (const end of [...latin1(source).matchAll(/%%EOF/g)].map(({ index }) => index + 5).filter((at) => at < tail)) {
      await expect(open(output.slice(0, end))).rejects.toMatchObject({ code: "damaged_pdf" });
    }
  });

  it("is stamped by us again, and read by pdf-lib", async () => {
    const output = await stamp(source);
    expect((await open(await stamp(output))).pages.length).toBe(1);
    expect((await PDFDocument.load(output)).getPageCount()).toBe(1);
  });
});

describe("the output", () => {
  it("drops junk before the header, so that every reader counts offsets alike", async () => {
    const output = latin1(await stamp(encode(`junk\n${latin1(file(onePage()))}`)));
    expect(output.startsWith("%PDF-1.7")).toBe(true);
    const offset = Number(/startxref\n(\d+)/.exec(output)?.[1]);
    expect(output.slice(offset, offset + 4)).toBe("xref");
  });

  it("keeps the first half of /ID and renews the second", async () => {
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

  it("is the same, to the byte, for the same input", async () => {
    const source = file(onePage());
    expect(isEqual(await stamp(source), await stamp(source))).toBe(true);
  });

  it.each([
    ["far from everything else", "[<0011><2233>]", "0011"],
    ["damaged", "[<0011", undefined],
  ])("reads an /ID that is an object of its own, over ranges too: %s", async (_, id, kept) => {
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
  });

  it("carries over other entries of the trailer", async () => {
    const source = new FileBuilder()
      .objects({ ...onePage(), 5: "<</Title(T)>>" })
      .table({ trailer: "/Root 1 0 R/Info 5 0 R/Own(x y)" })
      .bytes();
    expect(latin1(await stamp(source))).toMatch(/trailer\n<<\/Own\(x y\)\/Root 1 0 R\/Info 5 0 R\/ID/);
  });

  it("drops the linearization dictionary", async () => {
    const source = new FileBuilder().objects({ 9: "<</Linearized 1/L 999>>" }).objects(onePage()).table().bytes();
    expect(latin1(await stamp(source))).not.toContain("Linearized");
  });

  it("lists sparse object numbers without filling the gaps", async () => {
    const source = file({ ...onePage(), 4000000: "null" });
    const output = await stamp(source);
    expect(output.length).toBeLessThan(source.length + 2000);
    expect(latin1(output)).toContain("4000000 5\n");
  });

  it("does not let a reference to nothing meet a new object", async () => {
    const source = new FileBuilder()
      .objects(onePage("/MediaBox[0 0 300 400]/Contents[4 0 R 5 0 R]"))
      .table({ size: 4 })
      .bytes();
    expect(latin1(await stamp(source))).not.toMatch(/\n5 0 obj/);
  });

  it("renews a content stream with a wrong length", async () => {
    const source = file(onePage("/Contents 4 0 R", { 4: "<</Length 2>>\nstream\n1 0 0 rg\nendstream" }));
    expect(latin1(await stamp(source))).toMatch(/4 0 obj\n<<\/Length +8>>\nstream\n1 0 0 rg\nendstream/);
  });
});

describe("growth", () => {
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
  ])("stays below 60 KB for 200 pages with %s", async (_, source) => {
    const output = await stamp(source);
    expect(output.length - source.length).toBeLessThan(60_000);
    expect(latin1(output).match(/\/Ovp0 \d+ 0 R/g)).toHaveLength(1);
    expect((await PDFDocument.load(output)).getPageCount()).toBe(200);
  });

  it("is one placement for pages of one size", async () => {
    const output = latin1(await stamp(sharing("")));
    expect(output.match(/\/Watermark/g)).toHaveLength(1);
  });

  it("is one new array for pages that share an array of contents", async () => {
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

describe("a source that is read by ranges", () => {
  it("is not read for the question whether far contents are a stream", async () => {
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

  it("takes its plan back where far contents are an array, and is right when nothing is left open", async () => {
    const source = farContents("[7 0 R]");
    const guessed = await plan(ranges(source));
    await expect(joined(guessed.chunks())).rejects.toThrow(PlanOutdated);
    const thorough = await plan(ranges(source), { thorough: true });
    expect(withoutId(await joined(thorough.chunks()))).toBe(withoutId(await stamp(source)));
  });

  it("takes its plan back where a revision turns up that nothing told of", async () => {
    const guessed = await plan(ranges(revised(false).bytes()));
    await expect(joined(guessed.chunks())).rejects.toThrow(PlanOutdated);
  });
});
