/** Finds the dark background of pages. */
import { areaOf, type Bounds } from "./bounds.ts";
import { luminanceOf } from "./color.ts";
import { type ContentResources, HALF_EM, InkScan } from "./inkScan.ts";

/** Number of bytes at the beginning of content to search for a background. */
const BEGINNING = 2048;
/** Luminance below which an area counts as dark. On lighter areas, dark letters of every color are visible. */
const DARK = 0.3;
const [LETTER_B, LETTER_T] = [0x42, 0x54];
const EVERYWHERE: Bounds = [-1e6, -1e6, 1e6, 1e6];
/** Stand-ins for resources, because a quick search does not read resources. A named graphics state counts as opaque. */
const UNREAD: ContentResources = {
  font: () => HALF_EM,
  xobject: () => undefined,
  space: () => ({ isSubtractive: false, isPlain: true }),
  opacity: () => ({}),
};

/**
 * Returns the bounds, in user space, of the largest dark rectangle that is filled before the first text. Searches only
 * the beginning of the content, and reads no resources. The area may therefore not be dark after all, and later content
 * may hide it.
 */
export function darkAreaOf(parts: readonly Uint8Array[]): Bounds | undefined {
  const content = beginningOf(parts);
  let largest: Bounds | undefined;
  const scan = new InkScan(content, UNREAD, EVERYWHERE, {
    area({ bounds, isOpaque, color }) {
      if (!isOpaque || !color || luminanceOf(color) >= DARK) return;
      if (!largest || areaOf(bounds) > areaOf(largest)) largest = bounds;
    },
  });
  while (scan.step() > 0);
  return largest;
}

/** Returns the beginning of content up to its first text object. */
function beginningOf(parts: readonly Uint8Array[]): Uint8Array {
  const beginning = new Uint8Array(BEGINNING);
  let length = 0;
  for (const part of parts) {
    for (let i = 0; i < part.length && length < BEGINNING; i++) {
      if (part[i] === LETTER_T && part[i - 1] === LETTER_B) return beginning.subarray(0, length - 1);
      beginning[length++] = part[i]!;
    }
    if (length < BEGINNING) beginning[length++] = 10;
  }
  return beginning.subarray(0, length);
}
