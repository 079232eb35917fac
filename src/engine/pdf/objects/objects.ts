/**
 * Reads objects on demand where they are: in the file or in a decoded object stream (ISO 32000-2, 7.3.10 and 7.5.7).
 */

import type { Cipher } from "../security/encryption.ts";
import { type ByteSource, retry } from "../source/byteSource.ts";
import { MEMORY } from "../source/costs.ts";
import { balanceBrackets } from "../syntax/brackets.ts";
import {
  isDictionary,
  isWhite,
  Malformed,
  parseAt,
  parseWhole,
  readHeader,
  readInteger,
  skipRegular,
  skipWhite,
  terminated,
} from "../syntax/lexer.ts";
import { type Dictionary, parseCharged, Reference, type Value } from "../syntax/values.ts";
import { decodeStream } from "./filters.ts";
import { Slab } from "./slab.ts";
import { isEndOfData, readStream } from "./streams.ts";
import { firstAbove, IN_FILE, IN_STREAM, type XrefTable } from "./xrefTable.ts";

/** What has to be known of an object stream to read it. */
const STREAM_KEYS = ["Type", "N", "First", "Filter", "DecodeParms"];

/** A decoded object stream: object `numbers[i]` begins at `offsets[i]` of `bytes`. */
export interface ObjectStream {
  bytes: Uint8Array;
  numbers: number[];
  offsets: number[];
  /** Index by object number, for objects whose entry names a wrong one; built when first needed. */
  positions?: Map<number, number>;
  /** The offsets in ascending order; the same array if they are so already. */
  ascending: number[];
}

/** Thrown when a step needs object stream `num`, which has to be decoded first. */
export class MissingStream extends Error {
  override name = "MissingStream";
  num = 0;
}

// One instance, as it may be thrown for every page: a stack trace each time would be most of its cost.
const MISSING = new MissingStream("an object stream is not decoded");

/** How many bytes of an object with broken brackets are read for its end. */
const LARGEST_BROKEN = 64 * 1024;
/** How many references that lead to references are followed. */
export const LONGEST_REFERENCE_CHAIN = 32;
const MOST_MEMBERS = 500_000;
/** Decoded object streams that are kept while others are decoded. */
const CACHED_BYTES = 16 << 20;

/** The objects of one document, read through its cross-reference. */
export class Objects {
  readonly source: ByteSource;
  readonly table: XrefTable;
  /** Whether a scan has found the objects: then the cross-reference grows as object streams are decoded. */
  readonly isScanned: boolean;
  /** Set once the trailer's /Encrypt has been read. */
  cipher: Cipher | undefined;
  readonly #slab: Slab;
  /** Decoded object streams by number, least recently used first. */
  readonly #streams = new Map<number, ObjectStream>();
  #cached = 0;
  /** Offsets of the object streams that have been decoded before. */
  readonly #decoded = new Set<number>();
  /** Numbers of object streams that say a wrong /N, do not end, or have members that are not live. */
  readonly mustRewrite = new Set<number>();
  /** Copies of the members that have been read, so that a stream is not decoded again for each. */
  readonly #members = new Map<number, Uint8Array>();

  constructor(source: ByteSource, table: XrefTable, isScanned: boolean) {
    this.source = source;
    this.table = table;
    this.isScanned = isScanned;
    this.#slab = new Slab(source.meter);
  }

  /**
   * Runs `parse` where the value of object `num` begins. The bytes are valid only during the call.
   * @returns undefined for free and unknown objects
   * @throws Malformed if the object is not where its entry says
   * @throws MissingRange if bytes have to be fetched first
   * @throws MissingStream if it is in an object stream that has to be decoded first
   * @throws EngineError too_complex
   */
  at<T>(num: number, parse: (bytes: Uint8Array, at: number) => T): T | undefined {
    const row = this.table.liveRow(num);
    if (row < 0) return undefined;
    const kind = this.table.kind(row);
    if (kind === IN_STREAM)
      return parseWhole(this.#member(num, row), (bytes, at) => parse(bytes, skipWhite(bytes, at)));
    if (kind !== IN_FILE) return undefined;
    const offset = this.table.offset(row);
    const read = (bytes: Uint8Array, from: number) => {
      const header = readHeader(bytes, from);
      if (header?.num !== num) throw new Malformed(`object ${num} is not at offset ${offset}`);
      return parse(bytes, header.end);
    };
    return parseAt(this.source, offset, read, undefined, () => this.nextOffset(offset));
  }

  /** Returns the text of a member of an object stream, up to where the next one begins. */
  #member(num: number, row: number): Uint8Array {
    const known = this.#members.get(num);
    if (known) {
      this.source.meter.charge("scan", known.length);
      return known;
    }
    const streamNumber = this.table.streamNumber(row);
    const stream = this.#streams.get(streamNumber);
    if (!stream) {
      MISSING.num = streamNumber;
      throw MISSING;
    }
    const index = this.table.index(row);
    const found = stream.numbers[index] === num ? index : positionIn(stream, num);
    if (found === undefined) throw new Malformed(`object ${num} is not in object stream ${streamNumber}`);
    if (found !== index) this.table.setIndex(row, found);
    const copy = this.#slab.copy(memberText(stream, found));
    this.source.meter.retain(MEMORY.memberCopy);
    this.#members.set(num, copy);
    return copy;
  }

  /**
   * Returns bytes that stay valid for as long as the document is open.
   * @param text the value of object `num`, as passed by {@link Objects.at}
   * @throws EngineError too_complex if too much is kept
   */
  retain(num: number, text: Uint8Array): Uint8Array {
    // A copy of a member stays valid, but need not be found again; so does a view of a file in memory, while a view of
    // a cached block would keep all of that alive.
    if (this.#members.delete(num) || this.source.inMemory) return text;
    return this.#slab.copy(text).subarray(0, text.length);
  }

  /**
   * Returns the dictionary that object `num` begins with, its brackets balanced (see brackets.ts); undefined without
   * one.
   * @throws MissingRange if bytes have to be fetched first
   * @throws MissingStream if it is in an object stream that has to be decoded first
   */
  balanced(num: number): Uint8Array | undefined {
    if (!this.table.isInFile(num))
      return this.at(num, (bytes, at) => this.#balanced(terminated(bytes.subarray(at, at + LARGEST_BROKEN)), 0));
    const offset = this.table.offsetOf(num);
    const end = Math.min(offset + LARGEST_BROKEN, this.nextOffset(offset), this.source.length);
    const bytes = terminated(this.source.bytes(offset, end));
    const header = readHeader(bytes, 0);
    return header?.num === num ? this.#balanced(bytes, header.end) : undefined;
  }

  #balanced(bytes: Uint8Array, at: number): Uint8Array | undefined {
    this.source.meter.charge("parse", bytes.length);
    return isDictionary(bytes, at) ? balanceBrackets(bytes, at) : undefined;
  }

  /**
   * Returns the value of an object; null if there is none.
   * @param keys the entries that are needed, if it is a dictionary: all by default
   * @throws like {@link Objects.at}
   */
  value(num: number, keys?: ReadonlySet<string>): Value {
    return this.at(num, (bytes, at) => parseCharged(bytes, at, this.source.meter, keys)) ?? null;
  }

  /**
   * Follows references until there is a value; null if there is none.
   * @param keys see {@link Objects.value}
   * @throws like {@link Objects.at}
   */
  resolve(value: Value | undefined, keys?: ReadonlySet<string>): Value {
    for (let i = 0; i < LONGEST_REFERENCE_CHAIN && value instanceof Reference; i++) value = this.value(value.num, keys);
    return value instanceof Reference || value === undefined ? null : value;
  }

  /**
   * Resolves `value`; undefined if it is not a dictionary.
   * @param keys see {@link Objects.value}
   * @throws like {@link Objects.at}
   */
  dictionary(value: Value | undefined, keys?: ReadonlySet<string>): Dictionary | undefined {
    const resolved = this.resolve(value, keys);
    return resolved instanceof Map ? resolved : undefined;
  }

  /**
   * Runs a synchronous step until it succeeds, fetching the ranges and decoding the object streams it misses. Steps must
   * be safe to repeat.
   * @throws what the step throws, and Malformed if an object stream cannot be decoded
   */
  async run<T>(step: () => T): Promise<T> {
    for (;;) {
      try {
        return await retry(this.source, step);
      } catch (error) {
        if (!(error instanceof MissingStream)) throw error;
        const { num } = error;
        await retry(this.source, () => this.stream(num));
        await this.source.meter.yieldIfDue();
      }
    }
  }

  /**
   * Returns object stream `num`, decoded.
   * @throws Malformed if it is not in the file, or cannot be decoded
   * @throws MissingRange if bytes have to be fetched first
   * @throws EngineError too_complex
   */
  stream(num: number): ObjectStream {
    const cached = this.#streams.get(num);
    if (cached) {
      this.#streams.delete(num);
      this.#streams.set(num, cached);
      return cached;
    }
    if (!this.table.isInFile(num)) throw new Malformed(`object stream ${num} is not in the file`);
    const stream = this.#decode(this.table.offsetOf(num), num);
    this.#streams.set(num, stream);
    this.#cached += memoryOf(stream);
    for (const [oldest, kept] of this.#streams) {
      if (this.#cached <= CACHED_BYTES || oldest === num) break;
      this.#streams.delete(oldest);
      this.#cached -= memoryOf(kept);
    }
    return stream;
  }

  /** Returns an indirect /Length. Undefined in an object stream, which could be the very one being read. */
  streamLength(reference: Reference): number | undefined {
    const value = this.table.isInFile(reference.num) ? this.value(reference.num) : null;
    return typeof value === "number" ? value : undefined;
  }

  /**
   * Returns where the next live object in the file begins after `offset`; Infinity if there is none.
   * @throws EngineError too_complex
   */
  nextOffset(offset: number): number {
    if (!this.table.isSorted) this.source.meter.charge("sortOffset", this.table.rows);
    return this.table.nextOffset(offset);
  }

  #decode(offset: number, num: number): ObjectStream {
    const { meter } = this.source;
    const lengthOf = (length: Reference) => this.streamLength(length);
    const raw = readStream(this.source, offset, lengthOf, () => this.nextOffset(offset));
    if (raw.num !== num) throw new Malformed(`object ${num} is not at offset ${offset}`);
    const dict = new Map(STREAM_KEYS.map((key) => [key, this.#direct(raw.dict.get(key) ?? null)]));
    const hasEnd = isEndOfData(this.source, raw.end);
    if (this.cipher) meter.charge("decrypt", raw.data.length);
    const data = this.cipher ? this.cipher.decryptStream(raw.num, raw.gen, raw.data, cryptFilterName(dict)) : raw.data;
    const before = meter.used.decoded;
    const decoded = decodeStream(dict, data, meter);
    if (this.#decoded.has(offset)) meter.chargeDecodedAgain(meter.used.decoded - before);
    this.#decoded.add(offset);
    const first = dict.get("First");
    if (typeof first === "number") meter.charge("scan", Math.min(Math.max(0, first), decoded.length));
    const stream = readObjectStream(dict.get("N"), first, decoded);
    meter.charge("listMember", stream.numbers.length);
    const isStale = (member: number) => {
      const row = this.table.liveRow(member);
      return row < 0 || this.table.kind(row) !== IN_STREAM || this.table.streamNumber(row) !== num;
    };
    const isNamed = dict.get("Type") === "ObjStm";
    const isWhole = raw.isWellFormed && isNamed && hasEnd && dict.get("N") === stream.numbers.length;
    if (!isWhole || (!this.isScanned && stream.numbers.some(isStale))) this.mustRewrite.add(num);
    return stream;
  }

  /** Returns a value without references, to use before any object stream can be read: what is in one counts as null. */
  #direct(value: Value): Value {
    if (Array.isArray(value)) return value.map((item) => this.#direct(item));
    if (!(value instanceof Reference)) return value;
    return this.table.isInFile(value.num) ? this.value(value.num) : null;
  }
}

function memoryOf({ bytes, numbers }: ObjectStream): number {
  return bytes.length + MEMORY.member * numbers.length;
}

/** Returns the text of the member at `index`: up to where the next one begins. */
export function memberText({ bytes, offsets, ascending }: ObjectStream, index: number): Uint8Array {
  const offset = offsets[index]!;
  const next = ascending === offsets ? offsets[index + 1] : ascending[firstAbove(ascending, offset)];
  return bytes.subarray(offset, next ?? bytes.length);
}

function positionIn(stream: ObjectStream, num: number): number | undefined {
  stream.positions ??= new Map(stream.numbers.map((member, index) => [member, index]));
  return stream.positions.get(num);
}

function readObjectStream(count: Value | undefined, first: Value | undefined, decoded: Uint8Array): ObjectStream {
  if (typeof count !== "number" || typeof first !== "number")
    throw new Malformed("an object stream has no /N or /First");
  const numbers: number[] = [];
  const offsets: number[] = [];
  let isAscending = true;
  const head = terminated(decoded.subarray(0, Math.max(0, first)));
  let at = 0;
  const next = () => {
    while (isWhite(head[at])) at++;
    const start = at;
    if (at < head.length) at = skipRegular(head, at);
    return readInteger(head, start, at);
  };
  while (numbers.length < Math.min(count, MOST_MEMBERS)) {
    const num = next();
    const offset = next();
    if (num === undefined || offset === undefined) break;
    isAscending &&= first + offset > (offsets.at(-1) ?? -1);
    numbers.push(num);
    offsets.push(Math.min(first + offset, decoded.length));
  }
  const ascending = isAscending ? offsets : offsets.toSorted((a, b) => a - b);
  return { bytes: decoded, numbers, offsets, ascending };
}

/** Returns the name of the crypt filter that a stream specifies (7.4.10), if any. */
function cryptFilterName(dict: Dictionary): string | undefined {
  const filters = dict.get("Filter");
  const first = Array.isArray(filters) ? filters[0] : filters;
  if (first !== "Crypt") return undefined;
  const params = dict.get("DecodeParms");
  const param = Array.isArray(params) ? params[0] : params;
  const name = param instanceof Map ? param.get("Name") : undefined;
  return typeof name === "string" ? name : "Identity";
}
