import { plain } from "../bytes.ts";
import { LruCache } from "../lruCache.ts";
import { type Run, type ShapedGlyph, Shaper } from "./harfbuzz.ts";
import { isTrueType } from "./sfnt.ts";
import { type Font, readFont } from "./truetype.ts";

/**
 * Maximum size of the cached fonts in bytes. HarfBuzz has copies of the fonts, which need at most the same amount of
 * memory again.
 */
const MAX_CACHE_BYTES = 8 * 2 ** 20;

/**
 * LRU cache of fonts. The entries are fonts instead of promises, because in workerd a request must not wait for the
 * work of another request.
 */
const fonts = new LruCache<string, Font>(MAX_CACHE_BYTES);
const shapers = new LruCache<Font, Shaper>(MAX_CACHE_BYTES, (shaper) => shaper.close());

/** Loads the bytes of a file of `fonts/`. Exceptions reach the caller of the engine unchanged. */
export type LoadFont = (path: string) => Promise<Uint8Array>;

/**
 * Returns the font of a file of `fonts/`, from the cache or newly loaded.
 * @throws Error if the file is not a TrueType font, or lacks a required table
 */
export async function openFont(path: string, loadFont: LoadFont): Promise<Font> {
  const known = fonts.get(path);
  if (known) return known;
  const bytes = plain(await loadFont(path));
  if (!isTrueType(bytes)) throw new Error(`\`loadFont\` returned no TrueType font for ${path}.`);
  const font = readFont(bytes);
  return fonts.get(path) ?? fonts.put(path, font, font.bytes.length);
}

/**
 * Shapes a run of `text` with `font` and returns its glyphs from left to right.
 * @throws Error if HarfBuzz has not been started or has no memory left
 */
export function shape(font: Font, text: string, run: Run): ShapedGlyph[] {
  const shaper = shapers.get(font) ?? shapers.put(font, new Shaper(font.bytes), font.bytes.length);
  return shaper.shape(text, run);
}
