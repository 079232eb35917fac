/** `@overprint/fonts/url`: loads fonts over HTTP, for browsers and Workers. */

/**
 * Returns a function that loads fonts below a URL. Pass the returned function as `loadFont` to `watermark`.
 * @param base URL of a copy of this package's folder `dist/files/`, ending in a slash
 * @throws Error if a font cannot be loaded
 */
export function fontsAt(base: string | URL): (path: string) => Promise<Uint8Array> {
  const { location } = globalThis as { location?: { href: string } }; // only browsers have a location
  return async (path) => {
    const url = new URL(path, new URL(base, location?.href));
    const response = await fetch(url);
    if (!response.ok) throw new Error(`The font ${url} could not be loaded: ${response.status}.`);
    return new Uint8Array(await response.arrayBuffer());
  };
}
