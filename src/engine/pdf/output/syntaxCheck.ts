/**
 * Checks the syntax of page content while it is copied. The check is needed if the plan assumes that unread content is
 * well-formed. If the content is malformed, the plan is discarded, because the content must be isolated from the mark
 * (see pages/isolation.ts). The plan is also discarded if a page is dark and the mark must adapt to the page.
 */
import { indexOf } from "#platform/search";
import { concat } from "../../bytes.ts";
import type { PdfDocument, UncheckedContent } from "../document/pdfDocument.ts";
import type { Objects } from "../objects/objects.ts";
import type { Box } from "../pages/boxes.ts";
import {
  beginsDark,
  contentOf,
  type DecodedContent,
  decodeContent,
  filtersOf,
  MAX_CHECKED,
  MAX_DECODED,
  type PageContent,
  streamNumbers,
} from "../pages/pageContent.ts";
import type { Dictionary } from "../syntax/values.ts";
import { END, streamHead, type Window } from "./contentCheck.ts";
import { PlanOutdated } from "./eraser.ts";

/** A content stream, and the parts of its data that have been collected. */
interface Collected {
  readonly num: number;
  readonly dict: Dictionary;
  readonly parts: Uint8Array[];
  /** File offset of the next byte to collect. */
  at: number;
  /** File offset of the end of the data. Undefined until the end is known. */
  end: number | undefined;
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
  /** The stream that continues in the next window. */
  #open: Collected | undefined;
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
   * @throws PlanOutdated if the head of a stream is malformed or incomplete
   */
  inspect(window: Window): void {
    const { end, base, bytes } = window;
    if (this.#open) this.#collect(this.#open, window);
    for (; !this.#open && this.#left > 0; this.#next++) {
      const found = this.#streams[this.#next];
      if (!found || found.offset >= end) return;
      const knownEnd = this.#ends.get(found.offset);
      const { dict, data } = streamHead(bytes, found.offset - base, base, knownEnd !== undefined);
      const length = dict.get("Length");
      const dataEnd = knownEnd ?? (typeof length === "number" ? data + length : undefined);
      this.#collect({ num: found.num, dict, parts: [], at: data, end: dataEnd }, window);
    }
  }

  /**
   * Checks the collected content page by page. Call this method after everything has been copied.
   * @throws PlanOutdated if the content of a page is malformed, if a content stream has no end, or if a page is dark
   * and the mark must adapt to it
   */
  async finish(): Promise<void> {
    if (this.#open) throw new PlanOutdated("a content stream has no end");
    const checked = new Map<string, PageContent>();
    let left = MAX_DECODED;
    for (const { content, items, box, isTagged, categories } of this.#pages) {
      const key = `${categories} ${items}`;
      const known = checked.get(key);
      content.colors = known?.colors;
      if (known) this.#expectLight(known, box);
      if (MAX_DECODED - left >= MAX_CHECKED) continue;
      const numbers = streamNumbers(items);
      if (known || !numbers.every((num) => this.#collected.has(num))) continue;
      const parts: DecodedContent[] = [];
      for (const num of numbers) {
        const part = await this.#decoded(num, Math.min(MAX_CHECKED, left));
        parts.push(part);
        if (!(part instanceof Uint8Array)) break;
        left -= part.length;
        await this.#objects.source.meter.yieldIfDue();
      }
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

  /** Collects the part of a stream in a window. Discards the whole stream if it needs more than `#left` bytes. */
  #collect(stream: Collected, { end, base, bytes }: Window): void {
    const { num, at, parts } = stream;
    const found = stream.end === undefined ? indexOf(bytes, END, at - base) : -1;
    if (found >= 0) stream.end = base + found;
    this.#open = undefined;
    if ((stream.end ?? end) - at > this.#left) {
      for (const part of parts) this.#left += part.length;
      return;
    }
    const part = bytes.slice(at - base, Math.min(stream.end ?? end, end) - base);
    parts.push(part);
    stream.at += part.length;
    this.#left -= part.length;
    if (stream.end === undefined || stream.at < stream.end) this.#open = stream;
    else this.#collected.set(num, stream);
  }

  async #decoded(num: number, limit: number): Promise<DecodedContent> {
    const { dict, parts } = this.#collected.get(num)!;
    const objects = this.#objects;
    const [filters, length] = await objects.run(() => [
      filtersOf(objects, dict),
      objects.cipher && objects.resolve(dict.get("Length")),
    ]);
    // Encrypted data must not include the line end before `endstream`.
    const raw = concat(parts).subarray(0, typeof length === "number" ? length : undefined);
    return decodeContent(objects, num, filters, raw, limit);
  }
}
