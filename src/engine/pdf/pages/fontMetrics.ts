/** Reads the widths of glyphs (ISO 32000-2, 9.2.4). */
import type { FontMetrics } from "../content/contentResources.ts";
import type { Objects } from "../objects/objects.ts";
import type { Dictionary, Value } from "../syntax/values.ts";

const KEYS = new Set("Subtype FirstChar Widths FontDescriptor FontMatrix Encoding DescendantFonts DW W".split(" "));
const DESCRIPTOR_KEYS = new Set(["MissingWidth"]);
/** Number of different two-byte codes. */
const MAX_GLYPHS = 1 << 16;
/** Maximum number of widths that the ranges of a composite font may set. */
const MAX_RANGES = 4 * MAX_GLYPHS;
/** Width in em of a glyph for which the font states no width. */
const HALF = 0.5;

/**
 * Returns the widths of a font's glyphs. In a font with two-byte codes, each code is assumed to be a glyph number.
 * @throws MissingRange or MissingStream if bytes have to be fetched or decoded first
 */
export function readFontMetrics(objects: Objects, value: Value): FontMetrics {
  const font = objects.dictionary(value, KEYS) ?? new Map();
  return font.get("Subtype") === "Type0" ? compositeMetrics(objects, font) : simpleMetrics(objects, font);
}

function simpleMetrics(objects: Objects, font: Dictionary): FontMetrics {
  const list = objects.resolve(font.get("Widths"));
  const missing = objects.dictionary(font.get("FontDescriptor"), DESCRIPTOR_KEYS)?.get("MissingWidth");
  const matrix = objects.resolve(font.get("FontMatrix"));
  const unit = font.get("Subtype") === "Type3" && Array.isArray(matrix) ? numberOr(matrix[0], 0.001) : 0.001;
  const first = numberOr(objects.resolve(font.get("FirstChar")), 0);
  const widths = new Float32Array(256).fill(numberOr(missing, HALF / unit) * unit);
  for (const [i, item] of (Array.isArray(list) ? list : []).slice(0, 256).entries()) {
    const width = objects.resolve(item);
    if (typeof width === "number") widths[first + i] = width * unit;
  }
  return { codeBytes: 1, isVertical: false, widthOf: (code) => widths[code]! };
}

function compositeMetrics(objects: Objects, font: Dictionary): FontMetrics {
  const descendants = objects.resolve(font.get("DescendantFonts"));
  const descendant = objects.dictionary(Array.isArray(descendants) ? descendants[0] : undefined, KEYS);
  const widths = new Map<number, number>();
  const list = objects.resolve(descendant?.get("W"));
  const items = (Array.isArray(list) ? list : []).map((item) => objects.resolve(item));
  let left = MAX_RANGES;
  for (let i = 0; i + 1 < items.length; ) {
    const [first, second, third] = items.slice(i, i + 3);
    const glyph = numberOr(first, MAX_GLYPHS);
    const isRange = typeof second === "number";
    const values = isRange ? [] : Array.isArray(second) ? second : [];
    const count = isRange ? Math.min(second, MAX_GLYPHS) - glyph + 1 : values.length;
    for (let index = 0; index < count && left > 0; index++, left--)
      widths.set(glyph + index, numberOr(isRange ? third : values[index], 1000) / 1000);
    i += isRange ? 3 : 2;
  }
  const usual = numberOr(descendant?.get("DW"), 1000) / 1000;
  const encoding = font.get("Encoding");
  const isVertical = typeof encoding === "string" && encoding.endsWith("-V");
  return { codeBytes: 2, isVertical, widthOf: (code) => widths.get(code) ?? usual };
}

function numberOr(value: Value | undefined, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
