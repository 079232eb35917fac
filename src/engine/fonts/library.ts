import { plain } from "../bytes.ts";
import { type Run, type ShapedGlyph, Shaper } from "./harfbuzz.ts";
import { type Font, readFont } from "./truetype.ts";

/** What is kept of fonts from one mark to the next, in bytes: once as files, and once more in HarfBuzz's memory. */
const BUDGET = 8 * 2 ** 20;

/** Least recently used first. Fonts, not promises: in workerd no request may wait for what another has begun. */
const fonts = new Map<string, Font>();
const shapers = new Map<Font, Shaper>();

/** Gives the bytes of a file of `fonts/`. What it throws is thrown on. */
export type LoadFont = (path: string) => Promise<Uint8Array>;

/** The font in a file of `fonts/`, loaded or from memory. */
export async function openFont(path: string, loadFont: LoadFont): Promise<Font> {
  const known = fonts.get(path);
  if (known) return touch(fonts, path, known);

  const font = readFont(plain(await loadFont(path)));
  touch(fonts, path, font);
  for (const oldest of overBudget(fonts.entries(), ([, { bytes }]) => bytes.length)) fonts.delete(oldest[0]);
  return font;
}

/** The glyphs that `font` draws a run of `text` with, from left to right. */
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

/** The entries at the front that must go for the rest to be within the budget; the last one always stays. */
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
