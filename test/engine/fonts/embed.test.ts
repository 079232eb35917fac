import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { embedFont } from "../../../src/engine/fonts/embed.ts";
import { componentsOf } from "../../../src/engine/fonts/glyf.ts";
import { type Cluster, typesetterFor } from "../../../src/engine/fonts/layout.ts";
import { openFont } from "../../../src/engine/fonts/library.ts";
import { openTables, viewOf } from "../../../src/engine/fonts/sfnt.ts";
import type { NewObject, ObjectSink, Ref } from "../../../src/engine/pdf/document/newObject.ts";
import { loadFont } from "../../support/fonts.ts";
import { readSubset } from "./sfnt.ts";

const font = await openFont("noto-sans-bold.ttf", loadFont);

class CollectingSink implements ObjectSink {
  readonly objects: NewObject[] = [];

  add(object: NewObject): Ref {
    this.objects.push(object);
    return `${this.objects.length} 0 R` as Ref;
  }

  /** Returns the object that contains `entry` and is not a stream. */
  text(entry: string): string {
    return this.objects.find((object) => typeof object === "string" && object.includes(entry)) as string;
  }

  /** Returns the inflated stream to which the entry `key` of another object refers. */
  stream(key: string): Uint8Array {
    const holder = this.text(key);
    const number = Number(holder.match(new RegExp(`${key} (\\d+) 0 R`))?.[1]);
    return inflateSync((this.objects[number - 1] as { data: Uint8Array }).data);
  }

  /**
   * Number of bytes that the objects add to a PDF file: `n 0 obj … endobj`, and 20 cross-reference bytes for each
   * object.
   */
  get bytes(): number {
    return this.objects.reduce((sum, object) => {
      const body =
        typeof object === "string"
          ? object.length
          : object.dict.length + object.data.length + "<< /Length 9999 >>\nstream\n\nendstream".length;
      return sum + body + "99999 0 obj\n\nendobj\n".length + 20;
    }, 0);
  }
}

/** Returns the glyph ids of all 256 codes in a font program's cmap. The cmap must have format 0. */
function codesIn(program: Uint8Array): number[] {
  const cmap = openTables(program)("cmap");
  expect([...cmap.subarray(0, 18)]).toEqual([0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 12, 0, 0, 1, 6, 0, 0]);
  return [...cmap.subarray(18)];
}

async function clustersOf(text: string): Promise<readonly Cluster[]> {
  return (await typesetterFor(text, "bold", loadFont)).layOut(text, false).clusters;
}

function embed(clusters: readonly Cluster[], options = {}) {
  const sink = new CollectingSink();
  return { sink, embedded: embedFont(sink, clusters, options) };
}

/** Returns `count` different ideographs. */
const letters = (count: number) => String.fromCodePoint(...Array.from({ length: count }, (_, i) => 0x4e00 + i));

describe("an embedded font", () => {
  it("an embedded simple font is symbolic and uses the same tagged name in all its objects", async () => {
    const { sink, embedded } = embed(await clustersOf("DRAFT"));
    expect(embedded.ref).toBe(`${sink.objects.length} 0 R`);
    const simple = sink.text("/Subtype/TrueType");
    expect(simple).not.toContain("/Encoding");
    const name = simple.match(/\/BaseFont(\/[A-Z]{6}\+NotoSans-Bold)\//)![1]!;
    expect(sink.text("/Type/FontDescriptor")).toContain(`/FontName${name}/Flags 4/`);
  });

  it("embeds a font with more than 255 codes as a Type 0 font with a CIDFontType2 descendant", async () => {
    const clusters = await clustersOf(letters(256));
    expect(embed(clusters.slice(1)).sink.text("/Subtype/TrueType")).toContain("/BaseFont");
    const { sink, embedded } = embed(clusters);
    expect(embedded.codeOf(clusters[255]!)).toBe("0100");
    const type0 = sink.text("/Subtype/Type0");
    const name = type0.match(/\/BaseFont(\/[A-Z]{6}\+[^/]+)\/Encoding\/Identity-H/)![1]!;
    expect(sink.text("/Subtype/CIDFontType2")).toContain(`/BaseFont${name}/`);
    expect(sink.text("/Subtype/CIDFontType2")).toContain("/CIDToGIDMap /Identity");
    expect(sink.text("/Type/FontDescriptor")).toContain(`/FontName${name}/`);
  });

  it("an embedded font uses a letter's code as its glyph id and as the index of its width", async () => {
    const clusters = await clustersOf("ABBA é");
    const { sink, embedded } = embed(clusters);
    expect(clusters.map(embedded.codeOf)).toEqual(["01", "02", "02", "01", "03", "04"]);

    const widths = [..."AB é"].map((letter) => font.advance(font.glyphOf(letter.codePointAt(0)!)));
    expect(sink.text("/Widths")).toContain(`/FirstChar 1/LastChar 4/Widths[${widths.join(" ")}]`);
    const program = sink.stream("/FontFile2");
    expect([1, 2, 3, 4].map(readSubset(program).advance)).toEqual(widths);
    expect(codesIn(program).slice(0, 6)).toEqual([0, 1, 2, 3, 4, 0]);
  });

  it("the option `echoes` adds a second code for each glyph of an embedded font", async () => {
    const few = await clustersOf("ABBA");
    const { sink, embedded } = embed(few, { echoes: true });
    expect(few.map(embedded.echoOf)).toEqual(["03", "04", "04", "03"]);
    expect(codesIn(sink.stream("/FontFile2")).slice(0, 6)).toEqual([0, 1, 2, 1, 2, 0]);
    expect(sink.text("/Widths")).toMatch(/\/LastChar 4\/Widths\[(\d+ \d+) \1\]/);

    const many = await clustersOf(letters(128));
    const composite = embed(many, { echoes: true });
    expect(composite.embedded.echoOf(many[127]!)).toBe("0100");
    const map = viewOf(composite.sink.stream("/CIDToGIDMap"));
    expect([map.byteLength, map.getUint16(2 * 128), map.getUint16(2 * 256)]).toEqual([2 * 257, 128, 128]);
  });

  it("an embedded font declares a single width if all its glyphs are equally wide", async () => {
    const { sink } = embed(await clustersOf("中文"));
    expect(sink.text("/Widths")).toContain("/FirstChar 1/LastChar 1/Widths[1000]");
    expect(sink.text("/FontDescriptor")).toContain("/MissingWidth 1000");
  });

  it("adds codes without ink to an embedded font, so that readers can extract nonspacing marks as text", async () => {
    const clusters = await clustersOf("दं द");
    const { sink, embedded } = embed(clusters);
    expect(clusters.map(embedded.codeOf)).toEqual(["0102", "03", "04"]);
    const cmap = new TextDecoder().decode(sink.stream("/ToUnicode"));
    expect(cmap).toContain("[<0926><0902><0020><0926>]");
    const program = readSubset(sink.stream("/FontFile2"));
    expect(program.advance(2)).toBe(0);
    expect(program.outline(2)).toHaveLength(0);
    expect(program.advance(1)).toBe(Math.round(1000 * embedded.widthOf(clusters[0]!)));
  });

  it("an embedded font declares the length of its font program", async () => {
    const { sink } = embed(await clustersOf("DRAFT"));
    expect(sink.objects).toContainEqual(
      expect.objectContaining({ dict: `/Length1 ${sink.stream("/FontFile2").length}/Filter/FlateDecode` }),
    );
  });

  it("the ToUnicode CMap of an embedded font maps every code to its text, including syllables and astral characters", async () => {
    const { sink } = embed(await clustersOf("Aषि😀"));
    const cmap = new TextDecoder().decode(sink.stream("/ToUnicode"));
    expect(cmap).toContain("1 beginbfrange\n<01><03>[<0041><0937093f><d83dde00>]\nendbfrange");
  });

  it("embeds a cluster of several glyphs as one composite glyph that places them at their shaped offsets", async () => {
    const [cluster] = await clustersOf("x\u0301");
    const { sink, embedded } = embed([cluster!]);
    const program = readSubset(sink.stream("/FontFile2"));
    expect(embedded.codeOf(cluster!)).toBe("0102");
    expect(program.glyphCount).toBeGreaterThan(4);
    expect(componentsOf(program.outline(1))).toEqual([3, 4]);
    const view = viewOf(program.outline(1));
    expect([view.getInt16(14), view.getInt16(16)]).toEqual([0, 0]);
    expect([view.getInt16(22), view.getInt16(24)]).toEqual([cluster!.glyphs[1]!.x, cluster!.glyphs[1]!.y]);
    expect(program.advance(1)).toBe(Math.round(cluster!.advance * 1000));
  });

  it("an embedded font uses two codes for a glyph that represents two texts", async () => {
    const [cluster] = await clustersOf("A");
    const other = { ...cluster!, text: "Α" };
    const { sink, embedded } = embed([cluster!, other]);
    expect([cluster!, other].map(embedded.codeOf)).toEqual(["01", "02"]);
    expect(componentsOf(readSubset(sink.stream("/FontFile2")).outline(2))).toEqual([1]);
  });

  it("embeds glyphs of fonts with different units per em in one font", async () => {
    const { sink } = embed(await clustersOf("A中文あ한ก😀"));
    expect(sink.objects.filter((object) => typeof object === "string" && object.includes("/Type/Font/"))).toHaveLength(
      1,
    );
    expect(sink.text("/Widths")).toContain("/Widths[692 1000 1000 1000 920 624 1270]");
  });

  it("limits the ranges of a ToUnicode CMap to 100 codes that share their first byte", async () => {
    const { sink } = embed(await clustersOf(letters(350)));
    const cmap = new TextDecoder().decode(sink.stream("/ToUnicode"));
    expect(cmap.match(/<....><....>\[/g)).toEqual(["<0001><0064>[", "<0065><00c8>[", "<00c9><00ff>[", "<0100><015e>["]);
  });

  it("embeds equal font objects for equal texts, and uses a different font name tag for each different text", async () => {
    const objects = async (text: string) => embed(await clustersOf(text)).sink;
    expect((await objects("ABC")).objects).toEqual((await objects("ABC")).objects);
    const tags = await Promise.all(
      ["ABC", "ACB", "ABD", "AB"].map(async (text) => (await objects(text)).text("/Widths").match(/[A-Z]{6}\+/)![0]),
    );
    expect(new Set(tags).size).toBe(4);
  });

  it("an embedded font throws an error for the code of a cluster that was not embedded", async () => {
    const [a, b] = await clustersOf("ab");
    expect(() => embed([a!]).embedded.codeOf(b!)).toThrow("is not embedded");
  });

  it.each([
    [3000, "CONFIDENTIAL - DRAFT"],
    [3000, "Quick brown fox jump"],
    [3000, "Überprüfungsentwürfe"],
    [3000, "Ακριβές αντίγραφο σχ"],
    [8000, "本文件仅供内部审阅未经书面许可不得外传复"],
    [8000, "この文書は社外秘です無断転載禁止複製不可"],
    [8000, "이문서는대외비이므로무단복제배포를금합니"],
  ])("an embedded font adds less than %i bytes to a PDF for the characters %s", async (maxBytes, text) => {
    expect([...text]).toHaveLength(20);
    expect(embed(await clustersOf(text)).sink.bytes).toBeLessThan(maxBytes);
  });
});
