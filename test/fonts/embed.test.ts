import { env } from "cloudflare:workers";
import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { embedSubset } from "../../src/fonts/embed.ts";
import { encodeLine, type LineGlyph } from "../../src/fonts/layout.ts";
import { loadFont } from "../../src/fonts/library.ts";
import type { NewObject, ObjectSink, Ref } from "../../src/pdf/newObject.ts";
import { readSubset } from "./sfnt.ts";

const font = await loadFont(env.FONTS, "bold");

class CollectingSink implements ObjectSink {
  readonly objects: NewObject[] = [];

  add(object: NewObject): Ref {
    this.objects.push(object);
    return `${this.objects.length} 0 R` as Ref;
  }

  /** The object that is not a stream and has `/Key value`. */
  text(entry: string): string {
    return this.objects.find((object) => typeof object === "string" && object.includes(entry)) as string;
  }

  /** The inflated stream under a key of another object. */
  stream(key: string): Uint8Array {
    const holder = this.text(`${key} `);
    const number = Number(holder.match(new RegExp(`${key} (\\d+) 0 R`))?.[1]);
    return inflateSync((this.objects[number - 1] as { data: Uint8Array }).data);
  }

  /** What a PDF file grows by: `n 0 obj … endobj` and 20 bytes of cross-reference each. */
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

function embed(glyphs: readonly LineGlyph[]) {
  const sink = new CollectingSink();
  return { sink, embedded: embedSubset(sink, font, glyphs) };
}

describe("an embedded font", () => {
  it("is a Type 0 font over a CIDFontType2 with a tagged name throughout", () => {
    const { sink, embedded } = embed(encodeLine(font, "DRAFT").glyphs);
    expect(embedded.ref).toBe(`${sink.objects.length} 0 R`);
    const type0 = sink.text("/Subtype /Type0");
    expect(type0).toMatch(/\/BaseFont \/[A-Z]{6}\+NotoSans-Bold \/Encoding \/Identity-H/);

    const name = type0.match(/\/BaseFont (\S+)/)![1]!;
    expect(sink.text("/Subtype /CIDFontType2")).toContain(`/BaseFont ${name} `);
    expect(sink.text("/Type /FontDescriptor")).toContain(`/FontName ${name} `);
  });

  it("gives each glyph one code, which is its id and its width's place in the subset", () => {
    const { glyphs } = encodeLine(font, "ABBA é");
    const { sink, embedded } = embed(glyphs);
    expect(glyphs.map(({ id }) => embedded.codeOf(id))).toEqual(["0001", "0002", "0002", "0001", "0003", "0004"]);

    const widths = [glyphs[0], glyphs[1], glyphs[4], glyphs[5]].map((glyph) => font.advance(glyph!.id));
    expect(sink.text("/W ")).toContain(`/W [1 [${widths.join(" ")}]]`);
    const program = readSubset(sink.stream("/FontFile2"));
    expect([1, 2, 3, 4].map(program.advance)).toEqual(widths);
  });

  it("states the length of its font program", () => {
    const { sink } = embed(encodeLine(font, "DRAFT").glyphs);
    expect(sink.objects).toContainEqual(
      expect.objectContaining({ dict: `/Length1 ${sink.stream("/FontFile2").length} /Filter /FlateDecode` }),
    );
  });

  it("maps every code back to its text, ligatures and astral characters too, and none without text", () => {
    const { sink } = embed([
      { id: 40, text: "A" },
      { id: 41, text: "ffi" },
      { id: 42, text: "😀" },
      { id: 43, text: "" },
    ]);
    const cmap = new TextDecoder().decode(sink.stream("/ToUnicode"));
    expect(cmap).toContain("3 beginbfchar\n<0001> <0041>\n<0002> <006600660069>\n<0003> <d83dde00>\nendbfchar");
  });

  it("keeps the sections of its ToUnicode CMap to 100 entries", () => {
    const { sink } = embed(Array.from({ length: 250 }, (_, i) => ({ id: i + 100, text: "x" })));
    const cmap = new TextDecoder().decode(sink.stream("/ToUnicode"));
    expect(cmap.match(/\d+ beginbfchar/g)).toEqual(["100 beginbfchar", "100 beginbfchar", "50 beginbfchar"]);
  });

  it("is the same bytes for the same text, under another tag for another text", () => {
    const tag = (text: string) =>
      embed(encodeLine(font, text).glyphs)
        .sink.text("/Type0")
        .match(/[A-Z]{6}\+/)![0];
    expect(embed(encodeLine(font, "ABC").glyphs).sink.objects).toEqual(
      embed(encodeLine(font, "ABC").glyphs).sink.objects,
    );
    expect(new Set(["ABC", "ACB", "ABD", "AB"].map(tag)).size).toBe(4);
  });

  it("has no code for a glyph that was not given, be it a part of one that was", () => {
    const { embedded } = embed(encodeLine(font, "é").glyphs);
    expect(() => embedded.codeOf(font.glyphOf(0x42))).toThrow("is not embedded");
    expect(() => embedded.codeOf(font.glyphOf(0x65))).toThrow("is not embedded");
  });

  it.each(["CONFIDENTIAL - DRAFT", "Quick brown fox jump", "Überprüfungsentwürfe"])(
    "adds less than 3 KB for the 20 characters of %s",
    (text) => {
      expect(text).toHaveLength(20);
      expect(embed(encodeLine(font, text).glyphs).sink.bytes).toBeLessThan(3000);
    },
  );
});
