import { plain } from "../bytes.ts";
import { type Run, type ShapedGlyph, Shaper } from "./harfbuzz.ts";
import { type Font, readFont } from "./truetype.ts";

/** Bytes of fonts cached between marks: this much as files, and as much again in HarfBuzz's memory. */
const BUDGET = 8 * 2 ** 20;

/** Least recently used first. Fonts, not promises: in workerd a request must not wait for what another one started. */
const fonts = new Map<string, Font>();
const shapers = new Map<Font, Shaper>();

/** Loads the bytes of a file of `fonts/`. Anything it throws is passed on. */
export type LoadFont = (path: string) => Promise<Uint8Array>;

/**
 * Returns the font in a file of `fonts/`, from the cache or else loaded.
 * @throws Error if the file lacks a table that is needed
 */
export async function openFont(path: string, loadFont: LoadFont): Promise<Font> {
  const known = fonts.get(path);
  if (known) return touch(fonts, path, known);

  const font = readFont(plain(await loadFont(path)));
  touch(fonts, path, font);
  for (const oldest of overBudget(fonts.entries(), ([, { bytes }]) => bytes.length)) fonts.delete(oldest[0]);
  return font;
}

/**
 * Shapes a run of `text` with `font`; returns its glyphs from left to right.
 * @throws Error if HarfBuzz has not been started or has no memory left
 */
export function shape(font: Font, text: string, run: Run): ShapedGlyph[] {
  const shaper = touch(shapers, font, shapers.get(font) ?? new Shaper(font.bytes));
  for (const [oldest, open] of overBudget(shapers.entries(), ([{ bytes }]) => bytes.length)) {
    shapers.delete(oldest);
    open.close();
  }
  return shaper.shape(text, run);
}

function touch<K, V>(cache: Map<K, V>, key: K, value: V): V {
  cache.delete(key);
  cache.set(key, value);
  return value;
}

/** Returns the entries to evict, from the front, for the rest to be within the budget; the last one always stays. */
function overBudget<E>(entries: Iterable<E>, bytesOf: (entry: E) => number): E[] {
  const all = [...entries];
  let total = all.reduce((sum, entry) => sum + bytesOf(entry), 0);
  const excess: E[] = [];
  for (const entry of all.slice(0, -1)) {
    if (total <= BUDGET) break;
    excess.push(entry);
    total -= bytesOf(entry);
  }
  return excess;
}
