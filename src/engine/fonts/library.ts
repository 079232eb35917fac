import { type Run, type ShapedGlyph, Shaper } from "./harfbuzz.ts";
import { type Font, readFont } from "./truetype.ts";

/** What an isolate keeps of fonts between requests, in bytes: once as files, and once more in HarfBuzz's memory. */
const BUDGET = 8 * 2 ** 20;

/** Per isolate, least recently used first. Fonts, not promises: a request must not wait for what another has begun. */
const fonts = new Map<string, Font>();
const shapers = new Map<Font, Shaper>();

/** The font in a file of `fonts/`, from the static assets or from the isolate's memory. */
export async function loadFont(assets: Fetcher, path: string): Promise<Font> {
  const known = fonts.get(path);
  if (known) return touch(fonts, path, known);

  const response = await assets.fetch(`https://assets.local/${path}`);
  if (!response.ok) throw new Error(`the font ${path} could not be loaded: ${response.status}`);
  const font = readFont(new Uint8Array(await response.arrayBuffer()));
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
