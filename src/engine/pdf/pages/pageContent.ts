/** Decodes and checks the content of pages. */
import { EngineError } from "../../errors.ts";
import type { Bounds } from "../content/bounds.ts";
import { checkContent } from "../content/contentSyntax.ts";
import { darkAreaOf } from "../content/darkArea.ts";
import { CATEGORIES } from "../content/operators.ts";
import { decodeStream } from "../objects/filters.ts";
import type { Objects } from "../objects/objects.ts";
import { BRACKET_CLOSE, BRACKET_OPEN, GREATER_THAN, LESS_THAN } from "../syntax/characters.ts";
import { Malformed } from "../syntax/lexer.ts";
import type { Dictionary } from "../syntax/values.ts";
import { type Box, commonBox } from "./boxes.ts";

/**
 * Maximum number of decoded content bytes that are checked for a file, unless malformed content is found. Also the
 * maximum for one stream. Checking more bytes would take longer than all other work for the file.
 */
export const MAX_CHECKED = 512 << 10;

/**
 * Maximum number of content bytes that are decoded for a file. Beyond this limit, content is not checked, and a page
 * with several content streams is not isolated.
 */
export const MAX_DECODED = 8 << 20;

/**
 * Maximum number of uses of missing resources in content that counts as well-formed. MuPDF stops after 100 missing
 * resources.
 */
const MAX_MISSING = 60;

/** Facts about a page's content. */
export interface PageContent {
  /**
   * Whether all readers execute the content to its end. Unchecked content counts as well-formed. After the limit for
   * discarded bytes, it counts as malformed.
   */
  isWellFormed: boolean;
  /** Bit set of the color spaces that the content selects (see content/operators.ts). Undefined for unread content. */
  colors: number | undefined;
  /** The bounds of a dark rectangle at the beginning of the content; see {@link darkAreaOf}. */
  darkArea: Bounds | undefined;
}

/** Minimum share of a page that a dark area must cover to count as the page's background. */
const BACKGROUND_SHARE = 0.9;

/** Returns whether content begins with a dark background. */
export function beginsDark({ darkArea }: PageContent, box: Box): boolean {
  if (!darkArea) return false;
  const [x0, y0, x1, y1] = darkArea;
  const common = commonBox({ x0, y0, x1, y1 }, box);
  const [width, height] = [common.x1 - common.x0, common.y1 - common.y0];
  return width > 0 && height > 0 && width * height >= BACKGROUND_SHARE * (box.x1 - box.x0) * (box.y1 - box.y0);
}

/** Returns the facts about unread content. */
export function uncheckedContent(): PageContent {
  return { isWellFormed: true, colors: undefined, darkArea: undefined };
}

/** The result of decoding a content stream; see {@link decodeContent}. */
export type DecodedContent = Uint8Array | "too long" | undefined;

/**
 * Checks decoded content. Content counts as malformed if it uses many resources of categories that are missing or have
 * no names.
 * @param parts the decoded streams; see {@link decodeContent}
 * @param isTagged see checkContent
 * @param categories bit set of the page's resource categories that may have names; see ResourceCategories
 */
export function contentOf(parts: readonly DecodedContent[], isTagged: boolean, categories: number): PageContent {
  if (parts.includes("too long")) return uncheckedContent();
  if (parts.includes(undefined)) return { ...uncheckedContent(), isWellFormed: false };
  const { isWellFormed, colors, uses } = checkContent(parts as Uint8Array[], isTagged);
  if (!isWellFormed && (parts as Uint8Array[]).some(nestsDeeply)) throw nestedContent();
  const darkArea = darkAreaOf(parts as Uint8Array[]);
  const missing = CATEGORIES.reduce((sum, _, i) => ((categories >> i) & 1 ? sum : sum + uses[i]!), 0);
  return { isWellFormed: isWellFormed && missing <= MAX_MISSING, colors, darkArea };
}

/** Returns the numbers of a page's content streams, from the items of its /Contents in PDF syntax. */
export function streamNumbers(items: string): number[] {
  return Array.from(items.matchAll(/(\d+)\s+\d+\s+R/g), ([, num]) => Number(num));
}

/** Returns the entries /Filter and /DecodeParms of a stream dictionary, with references resolved. */
export function filtersOf(objects: Objects, dictionary: Dictionary): Dictionary {
  return new Map(["Filter", "DecodeParms"].map((key) => [key, objects.resolve(dictionary.get(key))]));
}

/**
 * Returns whether a stream has the filter /BrotliDecode. The engine does not decode this filter. A MuPDF without Brotli
 * does not render a page with such a form, but renders a page with such content.
 * @param filters see {@link filtersOf}
 */
export function hasBrotli(filters: Dictionary): boolean {
  return hasFilter(filters, "BrotliDecode");
}

function hasFilter(filters: Dictionary, name: string): boolean {
  const filter = filters.get("Filter");
  return filter === name || (Array.isArray(filter) && filter.includes(name));
}

/**
 * Decodes a content stream.
 * @param filters see {@link filtersOf}
 * @param raw the data of the stream as in the file
 * @returns undefined if the data are damaged or a filter is unknown. Returns "too long" if the content has more than
 * `limit` bytes, if its filter is /BrotliDecode (see {@link hasBrotli}), or if the limit for discarded bytes is reached
 */
export function decodeContent(
  objects: Objects,
  num: number,
  filters: Dictionary,
  raw: Uint8Array,
  limit: number,
): DecodedContent {
  const { cipher, table } = objects;
  const { meter } = objects.source;
  if (hasBrotli(filters) || meter.hasDiscardedMost) return "too long";
  const hasOwnCipher = hasFilter(filters, "Crypt");
  if (cipher && !hasOwnCipher && !cipher.isIntact(num, table.generationOf(num), raw)) return undefined;
  try {
    const content = decodeStream(filters, decrypted(objects, num, raw), meter, limit, true);
    meter.charge("checkContent", content.length);
    // The limit is also checked here. Only filters enforce the limit, and a stream may have no filter.
    return content.length > limit ? "too long" : content;
  } catch (error) {
    if (error instanceof EngineError && error.code === "too_complex") return "too long";
    if (error instanceof Malformed || error instanceof EngineError) return undefined;
    throw error;
  }
}

/** Maximum nesting depth of arrays in content. MuPDF does not render a page with arrays nested 150 deep. */
const DEEPEST_ARRAYS = 64;

/**
 * Returns whether content opens many more brackets than it closes. Also counts brackets in strings and brackets of
 * dictionaries.
 */
function nestsDeeply(content: Uint8Array): boolean {
  let depth = 0;
  for (const code of content) {
    if (code === BRACKET_OPEN || code === LESS_THAN) depth++;
    else if (code === BRACKET_CLOSE || code === GREATER_THAN) depth = Math.max(0, depth - 1);
    if (depth > DEEPEST_ARRAYS) return true;
  }
  return false;
}

function nestedContent(): EngineError {
  return new EngineError(
    "damaged_pdf",
    "The content of a page has too many arrays within each other. Open the PDF in a PDF reader and save it again.",
  );
}

/** Decrypts the data of stream `num`. Returns the data of an unencrypted file unchanged. */
export function decrypted({ source, table, cipher }: Objects, num: number, raw: Uint8Array): Uint8Array {
  if (!cipher) return raw;
  source.meter.charge("decrypt", raw.length);
  return cipher.decryptStream(num, table.generationOf(num), raw);
}
