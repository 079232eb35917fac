/** Finds the dark background of pages. */
import { LINE_FEED } from "../syntax/characters.ts";
import { areaOf, type Bounds } from "./bounds.ts";
import { luminanceOf } from "./color.ts";
import { type ContentResources, HALF_EM } from "./contentResources.ts";
import { InkScan } from "./inkScan.ts";

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
  isOpaquePattern: () => false,
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
  const beginning = parts.length === 1 ? parts[0]!.subarray(0, BEGINNING) : joinedBeginning(parts);
  let end = beginning.indexOf(LETTER_B);
  while (end >= 0 && beginning[end + 1] !== LETTER_T) end = beginning.indexOf(LETTER_B, end + 1);
  return end < 0 ? beginning : beginning.subarray(0, end);
}

/**
 * Joins content streams with line feeds, up to `BEGINNING` bytes. A token ends at the end of its stream (ISO 32000-2,
 * 7.8.2).
 */
function joinedBeginning(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(BEGINNING);
  let length = 0;
  for (const part of parts) {
    const taken = part.subarray(0, BEGINNING - length);
    joined.set(taken, length);
    length += taken.length;
    if (length < BEGINNING) joined[length++] = LINE_FEED;
  }
  return joined.subarray(0, length);
}
