import { type Font, readFont } from "./truetype.ts";

/** File in `fonts/` of each weight of Noto Sans: Latin, Greek, Cyrillic, Vietnamese. */
const FILES = {
  regular: "noto-sans-regular.ttf",
  bold: "noto-sans-bold.ttf",
} as const;

export type Weight = keyof typeof FILES;

/** Per isolate. Fonts, not promises of them: a request must not wait for what another request has begun to read. */
const loaded = new Map<Weight, Font>();

/** The font of a weight, from the static assets or from the isolate's memory. */
export async function loadFont(assets: Fetcher, weight: Weight): Promise<Font> {
  const known = loaded.get(weight);
  if (known) return known;

  const response = await assets.fetch(`https://assets.local/${FILES[weight]}`);
  if (!response.ok) throw new Error(`the font ${FILES[weight]} could not be loaded: ${response.status}`);
  const font = readFont(new Uint8Array(await response.arrayBuffer()));
  loaded.set(weight, font);
  return font;
}
