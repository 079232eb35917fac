/** Reads a page's /Contents (ISO 32000-2, 7.8.2). The entry may be missing, a stream, or an array of streams. */
import { decodeLatin1 } from "../../bytes.ts";
import { LONGEST_REFERENCE_CHAIN, type Objects } from "../objects/objects.ts";
import { claimedEnd, dataStart, endWithoutLength, isGlued, mayBeLength } from "../objects/streams.ts";
import { MissingRange } from "../source/byteSource.ts";
import { BRACKET_OPEN } from "../syntax/characters.ts";
import {
  eachEntry,
  isDictionary,
  Malformed,
  nameIs,
  parseAt,
  readName,
  skipValue,
  skipWhite,
} from "../syntax/lexer.ts";
import { type Dictionary, parseCharged, Reference, referenceAt, type Value } from "../syntax/values.ts";
import { eachWellFormedEntry, wellFormedName, wellFormedText } from "../syntax/wellFormed.ts";
import { readKids } from "./kids.ts";
import type { Span } from "./pageAttributes.ts";
import type { Rewrite, Rewrites, Splice } from "./rewrite.ts";

/**
 * The new /Contents array of a page. `items` is the text between the array's brackets. If the page's original array is
 * an indirect object, `shared` is the number of this object. All pages that share the original array can also share the
 * new array.
 */
export interface Contents {
  /** References to the content streams, in PDF syntax. */
  readonly items: string;
  readonly shared: number | undefined;
}

/** File offsets of the parts of a stream object. */
interface StreamParts {
  dict: number;
  data: number;
  /** Span of the value of /Length, relative to the start of the dictionary. */
  length: Span | undefined;
  /** Value of the stream's /Length. */
  claimed: Value | undefined;
  /** Length of a malformed dictionary; 0 if the dictionary is well-formed. */
  damaged: number;
  /** The dictionary with balanced brackets, if the original brackets do not match. */
  balanced: Uint8Array | undefined;
  /** Whether no line end separates the keyword `stream` from the data. */
  isGlued: boolean;
}

/** A content stream that all readers can find. */
export interface DataStream {
  readonly num: number;
  /** Span of the stream's data in the file. */
  readonly data: Span;
  /** The entries /Filter and /DecodeParms, in PDF syntax (`coding`) and as values (`filters`). */
  readonly coding: string;
  readonly filters: Dictionary;
}

/** The object to which a reference in /Contents leads. */
type Target = { array: Uint8Array } | { stream: StreamParts } | { other: Value };

/**
 * Length in bytes above which the data of a corrected stream are not retained. Longer data are read again during
 * writing.
 */
const LONG = 1 << 20;
const NONE: Contents = { items: "", shared: undefined };

/** Reads /Contents entries, and corrects content streams that readers interpret differently. */
export class ContentsReader {
  /**
   * Numbers of unread objects that are assumed to be well-formed streams. They must be checked while the source is
   * copied.
   */
  readonly deferred = new Set<number>();
  /** End offset of the data of each content stream. The key is the offset of the stream's object. */
  readonly ends = new Map<number, number>();
  /**
   * Corrections of streams that readers interpret differently. The corrections are applied after all pages have been
   * read.
   */
  readonly corrections: { readonly rewrite: Rewrite; readonly splice: Splice }[] = [];
  readonly #objects: Objects;
  readonly #rewrites: Rewrites;
  readonly #lenient: boolean;
  /**
   * Contents that have been read, by the object number in /Contents. Contents that consist of a single stream are not
   * included.
   */
  readonly #known = new Map<number, Contents>();
  /** Maps the object number of each element of a /Contents array to whether the element is a stream. */
  readonly #streams = new Map<number, boolean>();

  /** @param lenient whether to omit unreadable content objects instead of throwing Malformed */
  constructor(objects: Objects, rewrites: Rewrites, lenient: boolean) {
    this.#objects = objects;
    this.#rewrites = rewrites;
    this.#lenient = lenient;
  }

  /**
   * Reads the /Contents value at `span` of `text`.
   *
   * Only the object itself shows whether it is a stream or an array. If content streams are spread over the whole file,
   * reading the first stream of every page could read every block of the file. With `mayDefer`, an object whose bytes
   * are not loaded is therefore assumed to be a well-formed stream, and added to `deferred`. The assumption is checked
   * while the source is copied; see ContentCheck.
   * @throws Malformed if the value cannot be read, and the reader is not lenient
   * @throws MissingRange if bytes must be fetched first, and the object cannot be deferred
   */
  read(text: Uint8Array, span: Span | undefined, mayDefer: boolean): Contents {
    if (!span) return NONE;
    if (text[span.start] === BRACKET_OPEN) return this.#array(text, span.start, undefined, mayDefer);
    const value = referenceAt(text, span.start);
    if (!value) return NONE;
    const known = this.#known.get(value.num);
    if (known) return known;
    const contents = this.#follow(value, mayDefer);
    // Contents of a single stream are not cached. Few pages share a stream, so the cache would grow with every page.
    if (contents.shared !== undefined || contents === NONE) this.#known.set(value.num, contents);
    return contents;
  }

  /**
   * Returns a content stream, or undefined if object `num` is not a stream.
   * @throws MissingRange if bytes must be fetched first
   */
  stream(num: number): DataStream | undefined {
    const target = this.#target(num);
    if (!("stream" in target)) return undefined;
    this.#repair(num, target.stream);
    const { dict, data, balanced } = target.stream;
    const { source } = this.#objects;
    const text = balanced ?? source.bytes(dict, data);
    const filters: Dictionary = new Map();
    let coding = "";
    eachEntry(text, 0, (key, keyEnd, start) => {
      const name = readName(text, key, keyEnd);
      if (name !== "Filter" && name !== "DecodeParms") return;
      filters.set(name, parseCharged(text, start, source.meter));
      coding += `/${name} ${decodeLatin1(wellFormedText(text, start))}`;
    });
    // In a truncated file, the end of the data may precede the start of the data.
    const end = Math.max(data, this.ends.get(this.#offset(num))!);
    return { num, data: { start: data, end }, coding, filters };
  }

  #follow(value: Value, mayDefer: boolean): Contents {
    for (let i = 0; i < LONGEST_REFERENCE_CHAIN && value instanceof Reference; i++) {
      const { num }: Reference = value;
      const gen = this.#objects.table.generationOf(num);
      // The method `join` makes a flat string, which takes less memory than a template literal.
      const stream = { items: [num, gen, "R"].join(" "), shared: undefined };
      try {
        const target = this.#target(num);
        if ("array" in target) return this.#array(target.array, 0, num, mayDefer);
        if ("stream" in target) {
          this.#repair(num, target.stream);
          return stream;
        }
        value = target.other;
      } catch (error) {
        if (this.#lenient && error instanceof Malformed) return NONE;
        if (!mayDefer || !(error instanceof MissingRange) || !this.#objects.table.isInFile(num)) throw error;
        this.deferred.add(num);
        return stream;
      }
    }
    return NONE;
  }

  #array(text: Uint8Array, at: number, shared: number | undefined, mayDefer: boolean): Contents {
    const { table } = this.#objects;
    const end = skipValue(text, at);
    // The whole array is charged on every call, because it is read again after each missing range and each missing
    // object stream.
    this.#objects.source.meter.charge("readContentsArray", end - at);
    const { kids: elements, isPlain } = readKids(text, at);
    const inFile = elements.numbers().filter((num) => table.isInFile(num));
    // Sorts by offset, so that missing ranges are fetched in file order.
    const unknown = [...new Set(inFile.filter((num) => !this.#streams.has(num)))].sort(
      (a, b) => this.#offset(a) - this.#offset(b),
    );
    const found = new Set(unknown.filter((num) => this.#isStream(num, mayDefer)));
    const streams = inFile.filter((num) => found.has(num) || this.#streams.get(num));
    const items = decodeLatin1(text, at + 1, end - 1);
    const isWellFormed =
      isPlain && streams.length === elements.length && streams.every((num) => table.generationOf(num) === 0);
    if (isWellFormed) return { items, shared };
    // Unusable elements of /Contents are omitted. Poppler renders nothing of a page if one element is not a stream, or
    // if a reference has a wrong generation.
    return { items: streams.map((num) => `${num} ${table.generationOf(num)} R`).join(" "), shared };
  }

  #isStream(num: number, mayDefer: boolean): boolean {
    let isStream = false;
    try {
      const target = this.#target(num);
      isStream = "stream" in target;
      if ("stream" in target) this.#repair(num, target.stream);
    } catch (error) {
      if (mayDefer && error instanceof MissingRange) {
        this.deferred.add(num);
        return true;
      }
      if (!(this.#lenient && error instanceof Malformed)) throw error;
    }
    this.#streams.set(num, isStream);
    return isStream;
  }

  #offset(num: number): number {
    const { table } = this.#objects;
    return table.offset(table.liveRow(num));
  }

  #target(num: number): Target {
    const offset = this.#offset(num);
    const isInFile = this.#objects.table.isInFile(num);
    const read = (bytes: Uint8Array, at: number): Target => {
      if (bytes[at] === BRACKET_OPEN) return { array: bytes.slice(at, skipValue(bytes, at)) };
      if (!isDictionary(bytes, at)) return { other: parseCharged(bytes, at, this.#objects.source.meter) };
      const stream = isInFile ? this.#describe(bytes, at, offset) : undefined;
      return stream ? { stream } : { other: null };
    };
    try {
      return this.#objects.at(num, read) ?? { other: null };
    } catch (error) {
      const stream = isInFile && error instanceof Malformed ? this.#describeUnreadable(num, offset) : undefined;
      if (!stream) throw error;
      return { stream };
    }
  }

  /**
   * Locates the parts of a stream in the object that begins at `base`.
   * @returns undefined for a dictionary without a stream
   */
  #describe(bytes: Uint8Array, at: number, base: number): StreamParts | undefined {
    let length: Span | undefined;
    const note = (key: number, keyEnd: number, start: number, end: number) => {
      if (nameIs(bytes, key, keyEnd, "Length")) length = { start: start - at, end: end - at };
    };
    const wellFormedEnd = eachWellFormedEntry(bytes, at, note);
    const end = wellFormedEnd >= 0 ? wellFormedEnd : eachEntry(bytes, at, note);
    this.#objects.source.meter.charge("readStreamDictionary", end - at);
    const data = dataStart(bytes, skipWhite(bytes, end));
    if (data < 0) return undefined;
    const claimed = length && this.#lengthAt(bytes, at + length.start);
    const damaged = wellFormedEnd >= 0 ? 0 : end - at;
    return {
      ...{ dict: base + at, data: base + data, length, claimed },
      ...{ damaged, balanced: undefined, isGlued: isGlued(bytes, data) },
    };
  }

  /**
   * Locates the parts of the stream object `num`, which begins at `base`. This method is used if the stream's
   * dictionary cannot be read.
   */
  #describeUnreadable(num: number, base: number): StreamParts | undefined {
    const found = this.#objects.balanced(num);
    if (!found) return undefined;
    const end = base + found.end;
    const data = parseAt(this.#objects.source, end, (bytes, at) => {
      const start = dataStart(bytes, skipWhite(bytes, at));
      return start < 0 ? undefined : { start: end + start, isGlued: isGlued(bytes, start) };
    });
    if (!data) return undefined;
    const balanced = wellFormedText(found.text, 0);
    let claimed: Value | undefined;
    eachEntry(balanced, 0, (key, keyEnd, start) => {
      if (nameIs(balanced, key, keyEnd, "Length")) claimed = this.#lengthAt(balanced, start);
    });
    return {
      ...{ dict: base + found.start, data: data.start, length: undefined, claimed },
      ...{ damaged: found.end - found.start, balanced, isGlued: data.isGlued },
    };
  }

  /** Returns the value of the /Length at `at`, with references resolved. */
  #lengthAt(bytes: Uint8Array, at: number): Value | undefined {
    if (!mayBeLength(bytes[at])) return undefined;
    return this.#objects.resolve(parseCharged(bytes, at, this.#objects.source.meter));
  }

  /**
   * Corrects a wrong /Length of a stream. Otherwise, a reader that uses the wrong /Length would read bytes after the
   * stream. These bytes may be different in the output. Also corrects a malformed dictionary, and data that begin on
   * the line of the keyword `stream`.
   */
  #repair(num: number, stream: StreamParts): void {
    const offset = this.#offset(num);
    if (this.ends.has(offset)) return;
    const { source } = this.#objects;
    const { dict, data, length, claimed, damaged } = stream;
    const right = claimedEnd(source, data, claimed);
    const end = right ?? endWithoutLength(source, data, this.#objects.nextOffset(offset));
    if (right === undefined || damaged > 0 || stream.isGlued) {
      const kept = end - data > LONG ? data : end;
      const rewrite = this.#rewrites.registerStream(num, source.bytes(dict, kept), { start: kept, end });
      const correct = (at: number, remove: number, insert: string) =>
        this.corrections.push({ rewrite, splice: { at, remove, insert } });
      if (damaged > 0) correct(0, damaged, streamDictionary(stream.balanced ?? rewrite.text, end - data));
      else if (length) correct(length.start, length.end - length.start, ` ${end - data}`);
      else correct(2, 0, `/Length ${end - data}`);
      if (stream.isGlued) correct(data - dict, 0, "\n");
    }
    this.ends.set(offset, end);
  }
}

/** Returns the dictionary at the beginning of a text in well-formed syntax, with a new /Length. */
function streamDictionary(text: Uint8Array, length: number): string {
  let entries = `/Length ${length} `;
  eachEntry(text, 0, (key, keyEnd, start) => {
    if (!nameIs(text, key, keyEnd, "Length"))
      entries += `${wellFormedName(text, key, keyEnd)} ${decodeLatin1(wellFormedText(text, start))} `;
  });
  return `<<${entries}>>`;
}
