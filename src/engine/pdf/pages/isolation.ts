/**
 * Reads page content that must be isolated from the mark. Each content stream becomes a form XObject (ISO 32000-2,
 * 8.10) that the page draws before the mark. A reader that stops at malformed content then skips only the rest of the
 * form, and continues with the page.
 */
import { concat } from "../../bytes.ts";
import { contain } from "../content/containment.ts";
import type { Objects } from "../objects/objects.ts";
import { LINE_FEED } from "../syntax/characters.ts";
import type { ContentsReader, DataStream } from "./contents.ts";
import type { Span } from "./pageAttributes.ts";
import {
  contentOf,
  type DecodedContent,
  decodeContent,
  decrypted,
  filtersOf,
  hasBrotli,
  MAX_CHECKED,
  MAX_DECODED,
  type PageContent,
  streamNumbers,
  uncheckedContent,
} from "./pageContent.ts";
import type { Rewrite } from "./rewrite.ts";

/** A content stream that becomes a form XObject. */
export interface FormSource {
  /** Number of the content stream. The form has this number too, unless the form is a copy. */
  readonly num: number;
  /** The stream's entries /Filter and /DecodeParms in PDF syntax. */
  readonly coding: string;
  /** Span of the stream's data in the file. */
  readonly data: Span;
  /**
   * The decrypted data, if the form is a copy of the stream. A stream is copied if it already is a form for another
   * page, and that page has different resources or another box.
   */
  readonly copy: Uint8Array | undefined;
}

/** The isolated content of a page. */
export interface IsolatedContent {
  readonly forms: readonly FormSource[];
  /**
   * The decoded content, if it becomes a new form. Several streams become one form because they may depend on each other.
   * Content of which parts are replaced (see {@link contain}) also becomes a new form.
   */
  readonly joined: Uint8Array | undefined;
  /** The resources that the isolated content uses. */
  readonly resources: Rewrite | undefined;
  /** The MediaBox of the page in PDF syntax. */
  readonly box: string;
}

/** Maximum number of pages with content that is too long to check. After this number, no further page is checked. */
const MOST_TOO_LONG = 16;

/** White space after each of several joined streams. A token must not continue in the next stream (ISO 32000-2, 7.8.2). */
const SEPARATOR = Uint8Array.of(LINE_FEED);

/** The content streams of a page that have been read so far. */
interface Reading {
  /** References to the streams. */
  readonly items: string;
  /** Maximum number of decoded bytes of each stream. */
  readonly limit: number;
  readonly streams: DataStream[];
  /** Results of decoding the first `parts.length` streams. */
  readonly parts: DecodedContent[];
}

/**
 * Checks and isolates the content of pages. If a call throws MissingRange, the caller repeats the call. The repeated
 * call continues after the last stream that was read.
 */
export class IsolationReader {
  readonly #objects: Objects;
  readonly #contents: ContentsReader;
  /** The box and the resources of the form that each stream becomes. The key is the number of the stream. */
  readonly #uses = new Map<number, string>();
  /**
   * Isolated content. The outer key consists of the references to the streams. The inner key consists of the box and
   * the resources.
   */
  readonly #isolated = new Map<string, Map<string, IsolatedContent>>();
  /**
   * Results of content checks. The outer key is the bit set of the page's resource categories that may have names. The
   * inner key consists of the references to the content streams.
   */
  readonly #checked = new Map<number, Map<string, PageContent>>();
  /** Numbers of the streams that have been decoded and counted toward the limit. */
  readonly #counted = new Set<number>();
  /** Numbers of the streams whose data are damaged. */
  readonly #damaged = new Set<number>();
  #reading: Reading | undefined;
  /** Number of pages whose content was too long to be checked. */
  #tooLong = 0;
  #left = MAX_DECODED;
  /** Maximum number of content bytes to check. The value is MAX_DECODED after a page with malformed content. */
  #mostChecked = MAX_CHECKED;

  constructor(objects: Objects, contents: ContentsReader) {
    this.#objects = objects;
    this.#contents = contents;
  }

  /**
   * Checks the content of a page. The check covers {@link MAX_CHECKED} decoded bytes of a file, and {@link MAX_DECODED}
   * after a page with malformed content. All other content counts as well-formed. A page with a stream of more than
   * `MAX_CHECKED` bytes is never checked. After {@link MOST_TOO_LONG} such pages, no further page is checked. When the
   * meter's limit for discarded bytes is reached, all further content counts as malformed.
   * @param items references to the streams
   * @param isTagged see checkContent
   * @param categories see ResourceCategories
   * @throws MissingRange if bytes must be fetched first
   */
  check(items: string, isTagged: boolean, categories: number): PageContent {
    const checked = this.#checked.get(categories) ?? new Map<string, PageContent>();
    const known = checked.get(items);
    if (known) return known;
    if (!this.#isReading(items, MAX_CHECKED)) {
      if (this.#objects.source.meter.hasDiscardedMost) return { ...uncheckedContent(), isWellFormed: false };
      const used = MAX_DECODED - this.#left;
      if (used >= this.#mostChecked || this.#tooLong >= MOST_TOO_LONG) return uncheckedContent();
    }
    const reading = this.#readStreams(items, MAX_CHECKED);
    const parts = reading ? this.#decodeAll(reading) : (["too long"] as const);
    if (reading && parts.includes("too long")) this.#tooLong++;
    const found = contentOf(parts, isTagged, categories);
    if (!found.isWellFormed) this.#mostChecked = MAX_DECODED;
    this.#checked.set(categories, checked.set(items, found));
    return found;
  }

  /**
   * Reads the content streams of a page.
   * @param items references to the streams
   * @param resources see IsolatedContent
   * @param box see IsolatedContent
   * @param isMalformed whether a check found the content malformed
   * @returns undefined if the content cannot be isolated
   * @throws MissingRange if bytes must be fetched first
   */
  read(items: string, resources: Rewrite | undefined, box: string, isMalformed: boolean): IsolatedContent | undefined {
    const use = `${box} ${resources && keyOf(resources)}`;
    const known = this.#isolated.get(items)?.get(use);
    if (known) return known;
    const isolated = this.#isolate(items, resources, box, use, isMalformed);
    if (!isolated) return undefined;
    this.#isolated.set(items, (this.#isolated.get(items) ?? new Map()).set(use, isolated));
    return isolated;
  }

  #isolate(
    items: string,
    resources: Rewrite | undefined,
    box: string,
    use: string,
    isMalformed: boolean,
  ): IsolatedContent | undefined {
    const reading = this.#readStreams(items, MAX_DECODED);
    if (!reading) return undefined;
    const { streams } = reading;
    const parts = streams.length > 1 || isMalformed ? this.#decodeAll(reading) : [];
    const isTooLong = parts.includes("too long");
    if (isTooLong && streams.length > 1) return undefined;
    if (parts.length > 0 && !isTooLong && !parts.includes(undefined)) {
      const content = concat((parts as Uint8Array[]).flatMap((part) => [part, SEPARATOR]));
      if (contain(content) || streams.length > 1) {
        this.#objects.source.meter.retain(content.length);
        return { forms: [], joined: content, resources, box };
      }
    }
    const forms = streams.map((stream) => this.#formOf(stream, use));
    if (forms.some((form) => !form)) return undefined;
    for (const { num } of streams) if (!this.#uses.has(num)) this.#uses.set(num, use);
    return { forms: forms as FormSource[], joined: undefined, resources, box };
  }

  /**
   * Reads the streams to which `items` refer. Returns undefined if the dictionary of a stream cannot be read, or if the
   * stream cannot become a form; see {@link hasBrotli}. A repeated call continues the reading.
   */
  #readStreams(items: string, limit: number): Reading | undefined {
    if (!this.#isReading(items, limit)) this.#reading = { items, limit, streams: [], parts: [] };
    const { streams } = this.#reading!;
    for (const num of streamNumbers(items).slice(streams.length)) {
      const stream = this.#contents.stream(num);
      if (!stream || hasBrotli(filtersOf(this.#objects, stream.filters))) return undefined;
      streams.push(stream);
    }
    return this.#reading;
  }

  /** Returns whether an earlier call has begun to read these streams with the same limit. */
  #isReading(items: string, limit: number): boolean {
    return this.#reading?.items === items && this.#reading.limit === limit;
  }

  #decodeAll({ streams, parts, limit }: Reading): DecodedContent[] {
    for (const stream of streams.slice(parts.length)) parts.push(this.#decode(stream, limit));
    return parts;
  }

  #formOf(stream: DataStream, use: string): FormSource | undefined {
    const { num, coding, data } = stream;
    if ((this.#uses.get(num) ?? use) === use) return { num, coding, data, copy: undefined };
    if (/Crypt/.test(coding)) return undefined;
    const { source } = this.#objects;
    source.meter.retain(data.end - data.start);
    return { num, coding, data, copy: decrypted(this.#objects, num, this.#raw(stream)).slice() };
  }

  #raw({ data }: DataStream): Uint8Array {
    return this.#objects.source.bytes(data.start, data.end);
  }

  /**
   * Decodes a content stream; see {@link decodeContent}. Counts each stream only once. Skips a stream that is known to
   * be damaged.
   */
  #decode(stream: DataStream, limit: number): DecodedContent {
    const { num } = stream;
    if (this.#damaged.has(num)) return undefined;
    // With the usual filters, encoded data are at most twice as long as the decoded content.
    if (stream.data.end - stream.data.start > 2 * limit) return "too long";
    const { meter } = this.#objects.source;
    const before = meter.used.decoded;
    const isCounted = this.#counted.has(num);
    const most = isCounted ? limit : Math.min(limit, this.#left);
    const filters = filtersOf(this.#objects, stream.filters);
    const content = decodeContent(this.#objects, num, filters, this.#raw(stream), most);
    if (content === undefined) this.#damaged.add(num);
    if (!(content instanceof Uint8Array)) return content;
    if (isCounted) meter.chargeDecodedAgain(meter.used.decoded - before);
    else this.#left -= content.length;
    this.#counted.add(num);
    return content;
  }
}

/** Returns a key that is equal for equal resources. */
function keyOf({ num, origin, text }: Rewrite): string {
  return num > 0 ? `${num}` : `${origin} ${text.byteOffset}`;
}
