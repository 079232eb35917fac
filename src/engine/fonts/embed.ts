/**
 * Embeds the text of a mark as text in a font. The alternative, outlines with invisible text over them, makes larger
 * files. This table shows how many KB a mark of one line adds to a file of one page, in 99 scripts and languages:
 *
 *   2.4–2.8   Yezidi, Yi, Hebrew, Vai, Lisu, Lao, Armenian, Ethiopic, Korean and 17 more
 *   2.9–3.2   Tifinagh, N'Ko, Khmer, Vietnamese, Greek, Cyrillic, Latin, Devanagari, Thai and 38 more
 *   3.3–3.6   Arabic, Malayalam, Odia, Javanese, Urdu, Kannada, Myanmar, Tibetan, Persian, Bengali, Tamil, emoji and 11 more
 *   3.8–4.2   Sinhala, Georgian, Chinese, Japanese, Telugu
 *
 * A text of 20 Latin characters adds 3.0 KB, and 20 ideographs add 5.5 KB. These sizes include 1.0 KB for the wrapped
 * page content and the cross-reference. Deflated outlines alone would add 0.7 KB (Korean) to 7.0 KB (Georgian). In most
 * scripts, they are larger than the glyphs in a font. The invisible text would need another font of about 1.2 KB.
 *
 * This table shows how many of 31 lines in 31 scripts each reader extracts in logical order:
 *
 *   PDFium, pdf.js 6.5, MuPDF 1.28   31
 *   poppler 22.12                    30; it joins single symbols between spaces into one letter-spaced word
 *   MuPDF 1.21                       25; it does not reverse Arabic and Hebrew, and does not read ZWJ sequences of emoji
 *
 * Some readers do not know the direction of rarer right-to-left scripts and extract them in visual order. PDFium and
 * pdf.js do so for Adlam, Rohingya, Mende and Yezidi, and Poppler also for N'Ko, Mandaic and Samaritan. If a
 * right-to-left word ends in a vowel mark, MuPDF moves the last mark of the line to the beginning of the line. pdf.js
 * adds spaces before such marks. Apart from this, PDFium, MuPDF and pdf.js extract all of 60 lines in rarer scripts
 * correctly.
 *
 * Readers also extract slanted lines as a whole, except Poppler. Its pdftotext splits slanted text of every PDF
 * producer. Only text with an /ActualText stays whole (`marks/actualText.ts`). Readers have to guess the order of lines
 * of mixed direction. A PDF contains glyphs from left to right, and a number inside Arabic text looks the same as a
 * number before the text. /ActualText does not help here, because readers reverse its logical order.
 */
import { deflate } from "#platform/zlib";
import { encodeLatin1 } from "../bytes.ts";
import { LruCache } from "../lruCache.ts";
import type { ObjectSink, Ref } from "../pdf/document/newObject.ts";
import type { Cluster } from "./layout.ts";
import { packTables, viewOf } from "./sfnt.ts";
import { assembleFont } from "./subset.ts";
import { hexCode, toUnicodeCMap } from "./toUnicode.ts";
import type { Font } from "./truetype.ts";

/**
 * Flag of a font descriptor (ISO 32000-2, table 121): the font may have characters outside of the standard Latin set.
 */
const SYMBOLIC = 4;

/** A font that {@link embedFont} has added to a PDF. */
export interface EmbeddedFont {
  /** Reference to the font, for the `/Font` resources of a mark. */
  readonly ref: Ref;
  /**
   * Returns the hexadecimal codes that show a cluster: the code of its glyph and the codes for the text of its
   * nonspacing marks. A code has two digits, or four in a font with many codes.
   * @throws Error if the cluster is not embedded
   */
  codeOf(cluster: Cluster): string;
  /**
   * Returns a second code of the same glyph, whose text is a space. Repeated drawings of a text use this code, so that
   * text extraction finds the text only once.
   * @throws Error if the cluster is not embedded
   */
  echoOf(cluster: Cluster): string;
  /**
   * Returns the advance of a cluster in em: the distance that the pen moves after drawing the cluster, without kerning.
   * @throws Error if the cluster is not embedded
   */
  widthOf(cluster: Cluster): number;
}

const FLATE = "/Filter/FlateDecode";
/** Maximum number of codes of a simple font: all except 0. */
const SIMPLE_CODES = 255;

/**
 * Embeds one font that draws `clusters`, which may come from several fonts. Each cluster becomes one glyph, composed of
 * the shaped glyphs, with one code and one width. The code stands for the text of the cluster. The text of nonspacing
 * marks has separate codes, which draw nothing.
 *
 * As a result, the content stream need not position nonspacing marks or joined letters. Readers copy and search each
 * cluster as a whole. A text that needs several fonts has the overhead of only one embedded font. If one byte is enough
 * for the codes, the font is a simple font (ISO 32000-2, 9.6.3). A simple font is 0.3 KB smaller than a composite font
 * (9.7).
 * @param echoes whether each cluster also gets a second code, which `echoOf` returns
 */
export function embedFont(
  sink: ObjectSink,
  clusters: Iterable<Cluster>,
  { echoes = false }: { echoes?: boolean } = {},
): EmbeddedFont {
  const built = fontOf(clusters, echoes);
  const program = sink.add(built.fontFile);
  // Only PDF/A-1 requires a /CIDSet (ISO 19005-1, 6.3.5). PDF 2.0 deprecates the entry.
  const cids = !built.isSimple && sink.pdfa?.part === 1 ? `/CIDSet ${sink.add({ dict: "", data: built.cidSet })}` : "";
  const descriptor = sink.add(`<<${built.description}/FontFile2 ${program}${cids}>>`);
  const toUnicode = sink.add({ dict: FLATE, data: built.toUnicode });
  const ref = built.isSimple
    ? addSimpleFont(sink, built, descriptor, toUnicode)
    : addCompositeFont(sink, built, descriptor, toUnicode);

  const known = (cluster: Cluster) => {
    const found = built.codes.get(keyOf(cluster));
    if (!found) throw new Error(`${JSON.stringify(cluster.text)} is not embedded`);
    return found;
  };
  return {
    ref,
    codeOf: (cluster) => known(cluster).code,
    echoOf: (cluster) => known(cluster).echo,
    widthOf: (cluster) => known(cluster).width,
  };
}

/** The parts of an embedded font that do not depend on the PDF. */
interface BuiltFont {
  readonly isSimple: boolean;
  readonly baseFont: string;
  readonly fontFile: { dict: string; data: Uint8Array };
  /** The /CIDSet; see {@link cidSetOf}. */
  readonly cidSet: Uint8Array;
  /** Entries of the dictionary of the font descriptor, in PDF syntax. */
  readonly description: string;
  /** The deflated ToUnicode CMap. */
  readonly toUnicode: Uint8Array;
  /**
   * Widths of the codes, starting with code 1, in thousandths of an em. Codes without an entry have the descriptor's
   * /MissingWidth.
   */
  readonly widths: readonly number[];
  /** Glyph ids of the codes, starting with code 1. */
  readonly glyphs: readonly number[];
  /** Codes and width in em of each cluster, by its {@link keyOf key}. */
  readonly codes: ReadonlyMap<string, { code: string; echo: string; width: number }>;
}

/** LRU cache of the fonts of recently embedded texts. */
const fonts = new LruCache<string, BuiltFont>(2 * 2 ** 20);
/** Approximate memory of an entry in `codes`, in bytes. */
const BYTES_PER_CODE = 200;

/** Returns a font that draws `clusters`, from the cache or newly built; see {@link embedFont}. */
function fontOf(clusters: Iterable<Cluster>, echoes: boolean): BuiltFont {
  const distinct = new Map<string, Cluster>();
  for (const cluster of clusters) {
    const key = keyOf(cluster);
    if (!distinct.has(key)) distinct.set(key, cluster);
  }
  const parts = Array.from(distinct, ([key, cluster]) => `${key} ${naturalAdvance(cluster)}`);
  const key = [echoes, ...parts].join("\n");
  const known = fonts.get(key);
  if (known) return known;

  const built = buildFont(distinct, echoes);
  const bytes = built.fontFile.data.length + built.cidSet.length + built.toUnicode.length;
  return fonts.put(key, built, 2 * key.length + bytes + BYTES_PER_CODE * distinct.size);
}

/** Builds a font that draws `clusters`, a map from keys to distinct clusters. */
function buildFont(clusters: ReadonlyMap<string, Cluster>, echoes: boolean): BuiltFont {
  const separated = new Map(Array.from(clusters, ([key, cluster]) => [key, separateMarks(cluster)]));
  const distinct = new Map<string, Cluster>();
  for (const part of [...separated.values()].flat()) if (!distinct.has(keyOf(part))) distinct.set(keyOf(part), part);
  const ids = new Map(Array.from(distinct.keys(), (key, i) => [key, i + 1]));
  const advances = new Map(Array.from(distinct, ([key, cluster]) => [key, perMille(naturalAdvance(cluster), 1)]));

  const faces = [...new Set(Array.from(distinct.values(), ({ face }) => face.font))];
  const model = faces.reduce((least, font) => (font.unitsPerEm < least.unitsPerEm ? font : least));
  const count = distinct.size;
  const repeated = <T>(values: readonly T[], echo = values) => (echoes ? [...values, ...echo] : [...values]);
  const glyphs = repeated(Array.from({ length: count }, (_, i) => i + 1));
  const isSimple = glyphs.length <= SIMPLE_CODES;
  const { tag, fontFile, cidSet } = programOf(model, distinct, isSimple ? glyphs : undefined);
  const baseFont = `/${tag}+${model.name}`;
  const ascent = Math.max(...faces.map((font) => perMille(font.ascent, font.unitsPerEm)));
  const descent = Math.min(...faces.map((font) => perMille(font.descent, font.unitsPerEm)));
  const widths = repeated([...advances.values()]);
  const hasOneWidth = isSimple && new Set(widths).size === 1;
  const description =
    `/Type/FontDescriptor/FontName${baseFont}/Flags ${SYMBOLIC}/FontBBox[${boundsOf(faces).join(" ")}]` +
    `/ItalicAngle 0/Ascent ${ascent}/Descent ${descent}/CapHeight ${perMille(model.capHeight, model.unitsPerEm)}` +
    `/StemV ${stemWidth(model.weight)}${hasOneWidth ? `/MissingWidth ${widths[0]}` : ""}`;
  const texts = Array.from(distinct.values(), ({ text }) => text);
  const spaces = texts.map(() => " ");
  const bytes = isSimple ? 1 : 2;
  const toUnicode = deflate(encodeLatin1(toUnicodeCMap(repeated(texts, spaces), bytes)), 9);

  const codes = new Map(
    Array.from(separated, ([key, parts]) => {
      const partKeys = parts.map(keyOf);
      const drawn =
        partKeys[
          Math.max(
            0,
            parts.findIndex(({ glyphs }) => glyphs.length > 0),
          )
        ]!;
      const code = partKeys.map((part) => hexCode(ids.get(part)!, bytes)).join("");
      const echo = hexCode(ids.get(drawn)! + (echoes ? count : 0), bytes);
      return [key, { code, echo, width: advances.get(drawn)! / 1000 }];
    }),
  );
  const written = hasOneWidth ? widths.slice(0, 1) : widths;
  return { isSimple, baseFont, fontFile, cidSet, description, toUnicode, widths: written, glyphs, codes };
}

/**
 * Builds a font program with one glyph per cluster, and a tag that distinguishes the program from other subsets.
 * @param glyphs glyph ids for a cmap, starting with the glyph id of code 1; undefined if the program needs no cmap
 */
function programOf(
  model: Font,
  clusters: ReadonlyMap<string, Cluster>,
  glyphs: readonly number[] | undefined,
): Pick<BuiltFont, "fontFile" | "cidSet"> & { tag: string } {
  const tables = assembleFont(
    model,
    Array.from(clusters.values(), (cluster) => ({
      parts: cluster.glyphs.map((glyph) => ({ ...glyph, font: cluster.face.font })),
      advance: Math.round(naturalAdvance(cluster) * model.unitsPerEm),
    })),
  );
  const program = packTables(glyphs ? { ...tables, cmap: macintoshCmap(glyphs) } : tables);
  const fontFile = { dict: `/Length1 ${program.length}${FLATE}`, data: deflate(program, 9) };
  return { tag: subsetTag(program), fontFile, cidSet: cidSetOf(tables) };
}

/**
 * Splits a cluster into its letters and the text of the nonspacing marks before and after them. The letters keep all
 * glyphs, including the glyphs of the marks. The text of the marks becomes clusters without glyphs and width. Without
 * the split, MuPDF treats a glyph as zero-width if its text begins with a mark. pdf.js does so if the text contains a
 * mark. Both readers then find spaces around the glyph.
 */
function separateMarks(cluster: Cluster): Cluster[] {
  if (cluster.text.length === 1) return [cluster];
  const [, before, letters, after] = /^(\p{Mn}*)(\P{Mn}*)(.*)$/su.exec(cluster.text)!;
  if (!letters) return [cluster];
  return [before!, letters, after!].flatMap((text) => {
    if (!text) return [];
    return text === letters ? { ...cluster, text } : { ...cluster, text, glyphs: [], advance: 0 };
  });
}

/**
 * Adds a simple, symbolic font. Readers map codes to glyphs by the single cmap of the font program (ISO 32000-2,
 * 9.6.5.4).
 */
function addSimpleFont(sink: ObjectSink, { baseFont, widths }: BuiltFont, descriptor: Ref, toUnicode: Ref): Ref {
  return sink.add(
    `<</Type/Font/Subtype/TrueType/BaseFont${baseFont}/FirstChar 1/LastChar ${widths.length}` +
      `/Widths[${widths.join(" ")}]/FontDescriptor ${descriptor}/ToUnicode ${toUnicode}>>`,
  );
}

/** Adds a Type 0 font with Identity-H encoding. */
function addCompositeFont(
  sink: ObjectSink,
  { baseFont, widths, glyphs }: BuiltFont,
  descriptor: Ref,
  toUnicode: Ref,
): Ref {
  const isIdentity = glyphs.at(-1) === glyphs.length;
  const map = isIdentity ? "/Identity" : sink.add({ dict: FLATE, data: deflate(cidToGidMap(glyphs), 9) });
  const cidFont = sink.add(
    `<</Type/Font/Subtype/CIDFontType2/BaseFont${baseFont}/FontDescriptor ${descriptor}` +
      "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>" +
      `/CIDToGIDMap ${map}/W[1[${widths.join(" ")}]]>>`,
  );
  return sink.add(
    `<</Type/Font/Subtype/Type0/BaseFont${baseFont}/Encoding/Identity-H` +
      `/DescendantFonts[${cidFont}]/ToUnicode ${toUnicode}>>`,
  );
}

/**
 * Returns a cmap table with one Macintosh subtable (format 0). The subtable maps code 1 and the codes after it to
 * `glyphs`.
 */
function macintoshCmap(glyphs: readonly number[]): Uint8Array {
  const cmap = new Uint8Array(12 + 262);
  const view = viewOf(cmap);
  view.setUint16(2, 1); // declares a single subtable of platform 1 (Macintosh), encoding 0
  view.setUint16(4, 1);
  view.setUint32(8, 12);
  view.setUint16(14, 262);
  cmap.set(glyphs, 12 + 6 + 1);
  return cmap;
}

/** Returns a /CIDToGIDMap (ISO 32000-2, 9.7.4.2). It maps code 1 and the codes after it to `glyphs`. */
function cidToGidMap(glyphs: readonly number[]): Uint8Array {
  const map = new DataView(new ArrayBuffer(2 * (glyphs.length + 1)));
  for (const [i, glyph] of glyphs.entries()) map.setUint16(2 * (i + 1), glyph);
  return new Uint8Array(map.buffer);
}

/** Cache of the keys of clusters. An entry lives as long as its cluster. */
const keys = new WeakMap<Cluster, string>();

/** Returns the key of a cluster. Clusters can share a code if they have equal keys: the same font, glyphs and text. */
function keyOf(cluster: Cluster): string {
  const known = keys.get(cluster);
  if (known !== undefined) return known;
  const { face, glyphs, text } = cluster;
  const key = `${face.file.path} ${glyphs.map(({ id, x, y }) => `${id},${x},${y}`).join(" ")} ${text}`;
  keys.set(cluster, key);
  return key;
}

/**
 * Returns a cluster's width in em. The width of a single glyph is its advance in the font, without kerning, so that a
 * letter has the same width everywhere. The width of several glyphs is their shaped advance.
 */
function naturalAdvance({ face: { font }, glyphs, advance }: Cluster): number {
  const [glyph, ...others] = glyphs;
  return glyph && others.length === 0 ? font.advance(glyph.id) / font.unitsPerEm : advance;
}

function perMille(units: number, unitsPerEm: number): number {
  return Math.round((units * 1000) / unitsPerEm);
}

function boundsOf(faces: readonly Font[]): number[] {
  const sides = faces.map(({ bounds, unitsPerEm }) => bounds.map((side) => perMille(side, unitsPerEm)));
  return [0, 1, 2, 3].map((i) => (i < 2 ? Math.min : Math.max)(...sides.map((side) => side[i]!)));
}

/**
 * Returns the /CIDSet of a font program (ISO 32000-1, 9.8.3.2). The /CIDSet has one bit for each CID, beginning with
 * the highest bit of each byte. All bits are set, including the bits of .notdef and of the components of composites.
 */
function cidSetOf({ maxp }: Record<string, Uint8Array>): Uint8Array {
  const count = viewOf(maxp!).getUint16(4);
  const bits = new Uint8Array(Math.ceil(count / 8)).fill(0xff);
  if (count % 8 > 0) bits[bits.length - 1] = 0xff00 >> (count % 8);
  return bits;
}

/**
 * Returns the six-letter tag of a subset (ISO 32000-2, 9.9.2). The tag is an FNV-1a hash, so equal subsets have equal
 * tags.
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

/**
 * Estimates the stem width in thousandths of an em from the weight, as PDF producers commonly do. TrueType fonts do not
 * contain a stem width.
 */
function stemWidth(weight: number): number {
  return Math.round(50 + (weight / 65) ** 2);
}
