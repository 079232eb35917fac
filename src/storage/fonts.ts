import type { LoadFont } from "../engine/index.ts";

/**
 * Returns a loader for the files of `fonts/`, which are static assets of the Worker.
 * @throws Error from the loader, if a font cannot be loaded
 */
export function fontLoader(assets: Fetcher): LoadFont {
  return async (path) => {
    const response = await assets.fetch(`https://assets.local/fonts/${path}`);
    if (!response.ok) throw new Error(`the font ${path} could not be loaded: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
}
