import { deflateSync } from "node:zlib";
import type { ObjectSink, Ref } from "../pdf/newObject.ts";
import type { LineGlyph } from "./layout.ts";
import { subsetFont } from "./subset.ts";
import { toUnicodeCMap } from "./toUnicode.ts";
import type { Font } from "./truetype.ts";

/** Font descriptor flag (ISO 32000-2, table 121): has characters beyond the standard Latin set, as any subset may. */
const SYMBOLIC = 4;

export interface EmbeddedFont {
  /** The Type 0 font, for the `/Font` resources of the mark. */
  readonly ref: Ref;
  /** The code of a glyph of the full font in a shown string: four hexadecimal digits. */
  codeOf(glyph: number): string;
}

/**
 * Embeds the part of `font` that draws `glyphs` as a Type 0 font with Identity-H encoding (ISO 32000-2, 9.7):
 * each glyph has one code, and stands for the text it first came with.
 *
 * @example
 * const line = encodeLine(font, "DRAFT");
 * const embedded = embedSubset(sink, font, line.glyphs);
 * const content = `BT /F1 40 Tf <${line.glyphs.map(({ id }) => embedded.codeOf(id)).join("")}> Tj ET`;
 */
export function embedSubset(sink: ObjectSink, font: Font, glyphs: Iterable<LineGlyph>): EmbeddedFont {
  const texts = new Map<number, string>();
  for (const { id, text } of glyphs) if (!texts.has(id)) texts.set(id, text);

  const subset = subsetFont(font, texts.keys());
  const codeOf = (glyph: number) => {
    const code = subset.ids.get(glyph);
    if (code === undefined || !texts.has(glyph)) throw new Error(`glyph ${glyph} is not embedded`);
    return code.toString(16).padStart(4, "0");
  };

  const perMille = (units: number) => Math.round((units * 1000) / font.unitsPerEm);
  const baseFont = `/${subsetTag(subset.bytes)}+${font.name}`;

  const fontFile = sink.add(deflated(`/Length1 ${subset.bytes.length}`, subset.bytes));
  const descriptor = sink.add(
    `<< /Type /FontDescriptor /FontName ${baseFont} /Flags ${SYMBOLIC} ` +
      `/FontBBox [${font.bounds.map(perMille).join(" ")}] /ItalicAngle 0 ` +
      `/Ascent ${perMille(font.ascent)} /Descent ${perMille(font.descent)} /CapHeight ${perMille(font.capHeight)} ` +
      `/StemV ${stemWidth(font.weight)} /FontFile2 ${fontFile} >>`,
  );
  const cidFont = sink.add(
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont ${baseFont} /FontDescriptor ${descriptor} ` +
      `/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /CIDToGIDMap /Identity ` +
      `/W [1 [${Array.from(texts.keys(), (glyph) => perMille(font.advance(glyph))).join(" ")}]] >>`,
  );
  const toUnicode = sink.add(
    deflated("", toUnicodeCMap(Array.from(texts, ([glyph, text]) => ({ code: codeOf(glyph), text })))),
  );
  const ref = sink.add(
    `<< /Type /Font /Subtype /Type0 /BaseFont ${baseFont} /Encoding /Identity-H ` +
      `/DescendantFonts [${cidFont}] /ToUnicode ${toUnicode} >>`,
  );
  return { ref, codeOf };
}

function deflated(entries: string, data: Uint8Array): { dict: string; data: Uint8Array } {
  return { dict: `${entries} /Filter /FlateDecode`.trimStart(), data: deflateSync(data, { level: 9 }) };
}

/**
 * Six letters that differ between subsets (ISO 32000-2, 9.9.2): an FNV-1a hash of the subset, so that equal marks give
 * equal bytes.
 */
function subsetTag(subset: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of subset) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;

  let tag = "";
  for (let i = 0; i < 6; i++) {
    tag += String.fromCharCode(65 + (hash % 26));
    hash = Math.floor(hash / 26);
  }
  return tag;
}

/** Stem width in thousandths of an em, which TrueType fonts do not state: the estimate common among PDF producers. */
function stemWidth(weight: number): number {
  return Math.round(50 + (weight / 65) ** 2);
}
