/** A page's content as it is referred to (ISO 32000-2, 7.8.2): none, a stream, or an array of them, direct or not. */
import { decodeLatin1 } from "../bytes.ts";
import { MissingRange } from "./byteSource.ts";
import { BRACKET_OPEN } from "./characters.ts";
import { EndOfBytes, eachEntry, isDictionary, Malformed, nameIs, skipValue, skipWhite } from "./lexer.ts";
import type { Objects } from "./objects.ts";
import { readKids, type Span } from "./pageAttributes.ts";
import type { Rewrites } from "./rewrite.ts";
import { dataStart, findEndOfData, isEndOfData } from "./streams.ts";
import { parseValue, Reference, type Value } from "./values.ts";
import { IN_FILE } from "./xrefTable.ts";

/**
 * What stands between the brackets of the page's new /Contents array. Where the page's own array is an object, `shared` is
 * its number: pages that use it can share the new array too.
 */
export interface Contents {
  /** References, as the source writes them. */
  readonly items: string;
  readonly shared: number | undefined;
}

/** Where the parts of a stream object are in the file. */
interface StreamParts {
  dict: number;
  data: number;
  /** The value of /Length, counted from the dictionary's start. */
  length: Span | undefined;
  claimed: Value | undefined;
}

/** What an object turns out to be, as content. */
type Target = { array: Uint8Array } | { stream: StreamParts | "unreadable" } | { other: Value };

const NONE: Contents = { items: "", shared: undefined };
const LONGEST_REFERENCE_CHAIN = 32;

/** Reads what /Contents entries refer to, and sees to it that the streams there end where they say. */
export class ContentsReader {
  /** Objects taken for streams unseen: the copying pass has to find that they are. */
  readonly deferred = new Set<number>();
  /** By an object's offset, where the data of the content stream there end. */
  readonly ends = new Map<number, number>();
  readonly #objects: Objects;
  readonly #rewrites: Rewrites;
  readonly #lenient: boolean;

  /** A lenient reader leaves out content it cannot read where the other throws Malformed. */
  constructor(objects: Objects, rewrites: Rewrites, lenient: boolean) {
    this.#objects = objects;
    this.#rewrites = rewrites;
    this.#lenient = lenient;
  }

  /**
   * Reads the /Contents value at `span` of `text`.
   *
   * Whether a reference leads to a stream or to an array can only be told at the object itself, and looking would read every
   * block of a file whose pages' contents lie all over it. So with `mayDefer`, an object whose bytes are not at hand is
   * taken for the stream that it nearly always is, and noted in `deferred`: the copying pass sees the object's first byte on
   * its way out, and takes the plan back where it was an array.
   */
  read(text: Uint8Array, span: Span | undefined, mayDefer: boolean): Contents {
    if (!span) return NONE;
    if (text[span.start] === BRACKET_OPEN) return this.#array(text, span.start, undefined, mayDefer);
    let value = parseValue(text, span.start);

    for (let i = 0; i < LONGEST_REFERENCE_CHAIN && value instanceof Reference; i++) {
      const { num, gen }: Reference = value;
      const stream = { items: [num, gen, "R"].join(" "), shared: undefined }; // flat: there is one for every page
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
        if (!mayDefer || !(error instanceof MissingRange) || !isInFile(this.#objects, num)) throw error;
        this.deferred.add(num);
        return stream;
      }
    }
    return NONE;
  }

  #array(text: Uint8Array, at: number, shared: number | undefined, mayDefer: boolean): Contents {
    const { table } = this.#objects;
    const elements = readKids(text, at);
    const streams = elements.filter((num) => {
      try {
        return num > 0 && isInFile(this.#objects, num) && this.#isStream(num);
      } catch (error) {
        if (mayDefer && error instanceof MissingRange) return true;
        if (this.#lenient && error instanceof Malformed) return false;
        throw error;
      }
    });
    if (streams.length === elements.length)
      return { items: decodeLatin1(text, at + 1, skipValue(text, at) - 1), shared };
    // Poppler shows nothing at all of a page where one element is no stream.
    return { items: streams.map((num) => `${num} ${table.detail(table.live(num))} R`).join(" "), shared };
  }

  #isStream(num: number): boolean {
    if (this.ends.has(this.#place(num))) return true;
    const target = this.#target(num);
    if (!("stream" in target)) return false;
    this.#repair(num, target.stream);
    return true;
  }

  #place(num: number): number {
    const { table } = this.#objects;
    return table.place(table.live(num));
  }

  #target(num: number): Target {
    const place = this.#place(num);
    return (
      this.#objects.at(num, (bytes, at): Target => {
        if (bytes[at] === BRACKET_OPEN) return { array: bytes.slice(at, skipValue(bytes, at)) };
        if (!isDictionary(bytes, at)) return { other: parseValue(bytes, at) };
        if (!isInFile(this.#objects, num)) return { other: null };
        const stream = this.#describe(bytes, at, place);
        return stream ? { stream } : { other: null };
      }) ?? { other: null }
    );
  }

  /** Where the parts of a stream are, whose object begins at `base`; undefined for a dictionary that is no stream. */
  #describe(bytes: Uint8Array, at: number, base: number): StreamParts | "unreadable" | undefined {
    let length: Span | undefined;
    let end: number;
    try {
      end = eachEntry(bytes, at, (key, keyEnd, valueStart, valueEnd) => {
        if (nameIs(bytes, key, keyEnd, "Length")) length = { start: valueStart - at, end: valueEnd - at };
      });
    } catch (error) {
      if (!(error instanceof Malformed) || error instanceof EndOfBytes) throw error;
      return "unreadable";
    }
    const data = dataStart(bytes, skipWhite(bytes, end));
    if (data < 0) return undefined;
    const claimed = length && this.#objects.resolve(parseValue(bytes, at + length.start));
    return { dict: base + at, data: base + data, length, claimed };
  }

  /**
   * A stream with a wrong /Length is written anew with the right one: readers that believe it, or that search on from there,
   * would read into what follows, and that is about to change.
   */
  #repair(num: number, stream: StreamParts | "unreadable"): void {
    const place = this.#place(num);
    if (stream === "unreadable" || this.ends.has(place)) return;
    const { source } = this.#objects;
    const { dict, data, length, claimed } = stream;
    let end = typeof claimed === "number" ? data + claimed : -1;
    if (!isEndOfData(source, end)) {
      end = findEndOfData(source, data);
      const bytes = source.bytes(dict, end);
      const rewrite = this.#rewrites.keep(num, bytes, 0, bytes.length);
      if (length) rewrite.splice({ at: length.start, remove: length.end - length.start, insert: ` ${end - data}` });
      else rewrite.splice({ at: 2, remove: 0, insert: `/Length ${end - data}` });
      rewrite.splice({ at: bytes.length, remove: 0, insert: "\nendstream" });
    }
    this.ends.set(place, end);
  }
}

function isInFile({ table }: Objects, num: number): boolean {
  const row = table.live(num);
  return row >= 0 && table.kind(row) === IN_FILE;
}
