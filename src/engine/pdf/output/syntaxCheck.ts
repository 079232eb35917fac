/**
 * Checks the syntax of page content while it is copied. The check is needed if the plan assumes that unread content is
 * well-formed. If the content is malformed, the plan is discarded, because the content must be isolated from the mark
 * (see pages/isolation.ts). The plan is also discarded if a page is dark and the mark must adapt to the page.
 */
import { indexOf } from "#platform/search";
import type { PdfDocument, UncheckedContent } from "../document/pdfDocument.ts";
import type { Objects } from "../objects/objects.ts";
import { dataStart } from "../objects/streams.ts";
import type { Box } from "../pages/boxes.ts";
import {
  beginsDark,
  contentOf,
  decodeContent,
  filtersOf,
  MAX_CHECKED,
  type PageContent,
  streamNumbers,
} from "../pages/pageContent.ts";
import { isDictionary, Malformed, readHeader, skipValue, skipWhite } from "../syntax/lexer.ts";
import { type Dictionary, parseValue } from "../syntax/values.ts";
import type { Window } from "./contentCheck.ts";
import { PlanOutdated } from "./eraser.ts";

/** A content stream whose data are being collected. */
interface Collected {
  readonly dict: Dictionary;
  readonly raw: Uint8Array;
  filled: number;
}

/**
 * Collects page content from the windows of the source, which arrive in order. Checks the syntax of the content at the
 * end.
 */
export class SyntaxCheck {
  readonly #objects: Objects;
  readonly #pages: readonly UncheckedContent[];
  readonly #adaptsToDark: boolean;
  /** File offsets and numbers of the content streams, in ascending order of the offsets. */
  readonly #streams: readonly { readonly offset: number; readonly num: number }[];
  readonly #ends: ReadonlyMap<number, number>;
  readonly #collected = new Map<number, Collected>();
  #next = 0;
  /** The stream that continues in the next window, and the offset of its next byte. */
  #open: { readonly stream: Collected; at: number } | undefined;
  /** Number of bytes that may still be collected. */
  #left = MAX_CHECKED;

  constructor({ objects, unchecked, contentEnds, adaptsToDark }: PdfDocument) {
    const { table } = objects;
    this.#objects = objects;
    this.#pages = unchecked;
    this.#ends = contentEnds;
    this.#adaptsToDark = adaptsToDark;
    const numbers = new Set(unchecked.flatMap(({ items }) => streamNumbers(items)));
    this.#streams = Array.from(numbers, (num) => ({ offset: table.offsetOf(num), num }))
      .filter(({ offset }) => offset >= 0)
      .sort((a, b) => a.offset - b.offset);
  }

  /**
   * Collects the content in the next window. Call this method before anything in the window is erased.
   * @throws PlanOutdated if the dictionary of a stream is malformed
   */
  inspect(window: Window): void {
    const { end, base, bytes } = window;
    if (this.#open) this.#collect(this.#open, window);
    for (; !this.#open && this.#left > 0; this.#next++) {
      const found = this.#streams[this.#next];
      if (!found || found.offset >= end) return;
      const at = found.offset - base;
      const knownEnd = this.#ends.get(found.offset);
      const stream = at >= 0 ? openStream(bytes, at, knownEnd === undefined ? undefined : knownEnd - base) : undefined;
      if (!stream || stream.raw.length > this.#left) continue;
      this.#left -= stream.raw.length;
      this.#collected.set(found.num, stream);
      this.#collect({ stream, at: base + stream.data }, window);
    }
  }

  /**
   * Checks the collected content page by page. Call this method after everything has been copied.
   * @throws PlanOutdated if the content of a page is malformed, or if the page is dark and the mark must adapt to the
   * page
   */
  async finish(): Promise<void> {
    if (this.#open) this.#collected.clear();
    const checked = new Map<string, PageContent>();
    let left = MAX_CHECKED;
    for (const { content, items, box, isTagged, categories } of this.#pages) {
      const key = `${categories} ${items}`;
      const known = checked.get(key);
      content.colors = known?.colors;
      if (known) this.#expectLight(known, box);
      if (left <= 0) continue;
      const numbers = streamNumbers(items);
      if (known || !numbers.every((num) => this.#collected.has(num))) continue;
      const parts = await Promise.all(numbers.map((num) => this.#decoded(num)));
      for (const part of parts) if (part instanceof Uint8Array) left -= part.length;
      const found = contentOf(parts, isTagged, categories);
      if (!found.isWellFormed) throw new PlanOutdated("a page's content is malformed");
      this.#expectLight(found, box);
      content.colors = found.colors;
      checked.set(key, found);
    }
  }

  #expectLight(content: PageContent, box: Box): void {
    if (this.#adaptsToDark && beginsDark(content, box)) throw new PlanOutdated("a page is dark");
  }

  #collect(open: { readonly stream: Collected; at: number }, { end, base, bytes }: Window): void {
    const { stream, at } = open;
    const part = bytes.subarray(at - base, Math.min(at - base + stream.raw.length - stream.filled, end - base));
    stream.raw.set(part, stream.filled);
    stream.filled += part.length;
    open.at += part.length;
    this.#open = stream.filled < stream.raw.length ? open : undefined;
  }

  async #decoded(num: number): Promise<ReturnType<typeof decodeContent>> {
    const { dict, raw } = this.#collected.get(num)!;
    const filters = await this.#objects.run(() => filtersOf(this.#objects, dict));
    return decodeContent(this.#objects, num, filters, raw, MAX_CHECKED);
  }
}

/**
 * Reads the head of the stream object at `at`. Returns undefined if there is no stream, or if the length of its data is
 * unknown. The length is unknown if /Length is indirect and the data do not end in `bytes`.
 * @param end known end of the data, if any
 * @throws PlanOutdated if the dictionary of the stream is malformed
 */
function openStream(bytes: Uint8Array, at: number, end?: number): (Collected & { data: number }) | undefined {
  try {
    const header = readHeader(bytes, at);
    if (!header || !isDictionary(bytes, header.end)) return undefined;
    const data = dataStart(bytes, skipWhite(bytes, skipValue(bytes, header.end)));
    if (data < 0) return undefined;
    const dict = parseValue(bytes, header.end) as Dictionary;
    const claimed = dict.get("Length");
    const found = typeof claimed === "number" ? claimed : indexOf(bytes, "endstream", data) - data;
    const length = end === undefined ? found : end - data;
    if (!(Number.isInteger(length) && length >= 0 && length <= MAX_CHECKED)) return undefined;
    return { dict, raw: new Uint8Array(length), filled: 0, data };
  } catch (error) {
    throw error instanceof Malformed ? new PlanOutdated("the dictionary of a page's content is malformed") : error;
  }
}
