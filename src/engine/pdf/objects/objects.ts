/** Reads objects on demand from the file or from decoded object streams (ISO 32000-2, 7.3.10 and 7.5.7). */

import { EngineError } from "../../errors.ts";
import type { Cipher } from "../security/encryption.ts";
import { type ByteSource, retry } from "../source/byteSource.ts";
import { MEMORY } from "../source/costs.ts";
import { type BalancedDictionary, balanceBrackets } from "../syntax/brackets.ts";
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

/** Dictionary entries that are used to read an object stream. */
const STREAM_KEYS = ["Type", "N", "First", "Filter", "DecodeParms"];

/** A decoded object stream: object `numbers[i]` begins at `offsets[i]` of `bytes`. */
export interface ObjectStream {
  bytes: Uint8Array;
  numbers: number[];
  offsets: number[];
  /**
   * Index of each member by its object number. Used if the index in a cross-reference entry is wrong. Built on first
   * use.
   */
  positions?: Map<number, number>;
  /** The offsets in ascending order. The same array as `offsets` if `offsets` is already sorted. */
  ascending: number[];
}

/**
 * Thrown when a step needs object stream `num`, which has not been decoded. The caller decodes the stream and repeats
 * the step. Like MissingRange, this class is not an Error.
 */
export class MissingStream {
  readonly num: number;

  constructor(num: number) {
    this.num = num;
  }
}

/** Maximum number of bytes that are read from an object with unbalanced brackets. */
const MAX_UNBALANCED_BYTES = 64 * 1024;
/** Maximum number of references in a chain in which each reference leads to the next. */
export const LONGEST_REFERENCE_CHAIN = 32;
const MAX_MEMBERS = 500_000;
/** Maximum size of the cache of decoded object streams, in bytes. */
const CACHED_BYTES = 16 << 20;

/** The objects of one document, read through its cross-reference table. */
export class Objects {
  readonly source: ByteSource;
  readonly table: XrefTable;
  /** Whether a scan found the objects. The table then grows as object streams are decoded. */
  readonly isScanned: boolean;
  /** The cipher of an encrypted document, set after the trailer's /Encrypt has been read. */
  cipher: Cipher | undefined;
  readonly #slab: Slab;
  /** Decoded object streams by number, least recently used first. */
  readonly #streams = new Map<number, ObjectStream>();
  /**
   * Errors of the object streams that cannot be decoded. Each read of an object in such a stream throws the stream's
   * error.
   */
  readonly #faults = new Map<number, Malformed | EngineError>();
  #cached = 0;
  /** Offsets of the object streams that have been decoded at least once. */
  readonly #decoded = new Set<number>();
  /**
   * Numbers of object streams that must be rewritten. Their dictionary or end is malformed, their /Type or /N is wrong,
   * or they contain superseded members.
   */
  readonly mustRewrite = new Set<number>();
  /**
   * Copies of the members read so far. Without the copies, a stream that has been evicted would be decoded again for
   * each of its members.
   */
  readonly #members = new Map<number, Uint8Array>();

  constructor(source: ByteSource, table: XrefTable, isScanned: boolean) {
    this.source = source;
    this.table = table;
    this.isScanned = isScanned;
    this.#slab = new Slab(source.meter);
  }

  /**
   * Runs `parse` at the value of object `num`. The bytes are valid only during the call.
   * @returns undefined for free and unknown objects
   * @throws Malformed if the object is not at the location in its cross-reference entry
   * @throws MissingRange if bytes must be fetched first
   * @throws MissingStream if the object is in an object stream that must be decoded first
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

  /** Returns a copy of the text of a member of an object stream. */
  #member(num: number, row: number): Uint8Array {
    const known = this.#members.get(num);
    if (known) {
      this.source.meter.charge("scan", known.length);
      return known;
    }
    const streamNumber = this.table.streamNumber(row);
    const stream = this.#streams.get(streamNumber);
    if (!stream) throw this.#faults.get(streamNumber) ?? new MissingStream(streamNumber);
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
   * Retains the text of an object for the lifetime of the document. Copies the text unless its memory has that lifetime
   * anyway.
   * @param text value of object `num`, as passed by {@link Objects.at}
   * @throws EngineError too_complex if too much memory is retained
   */
  retain(num: number, text: Uint8Array): Uint8Array {
    // Two kinds of text need no copy. The first is the copy of a member, which is not needed for further reads. The
    // second is a view of a file in memory. A view of a cached block is copied, because the view would retain the whole
    // block.
    if (this.#members.delete(num) || this.source.inMemory) return text;
    return this.#slab.copy(text).subarray(0, text.length);
  }

  /**
   * Returns the dictionary at the beginning of object `num` with balanced brackets (see brackets.ts). If the object is
   * directly in the file, the dictionary's extent is relative to the offset of the object. Returns undefined if the
   * object does not begin with a dictionary.
   * @throws MissingRange if bytes must be fetched first
   * @throws MissingStream if the object is in an object stream that must be decoded first
   */
  balanced(num: number): BalancedDictionary | undefined {
    if (!this.table.isInFile(num))
      return this.at(num, (bytes, at) => this.#balanced(terminated(bytes.subarray(at, at + MAX_UNBALANCED_BYTES)), 0));
    const offset = this.table.offsetOf(num);
    const end = Math.min(offset + MAX_UNBALANCED_BYTES, this.nextOffset(offset), this.source.length);
    const bytes = terminated(this.source.bytes(offset, end));
    const header = readHeader(bytes, 0);
    return header?.num === num ? this.#balanced(bytes, header.end) : undefined;
  }

  #balanced(bytes: Uint8Array, at: number): BalancedDictionary | undefined {
    this.source.meter.charge("parse", bytes.length);
    return isDictionary(bytes, at) ? balanceBrackets(bytes, at) : undefined;
  }

  /**
   * Returns the value of an object, or null if the object does not exist.
   * @param keys keys of the entries to read if the value is a dictionary; all entries by default
   * @throws the errors of {@link Objects.at}
   */
  value(num: number, keys?: ReadonlySet<string>): Value {
    return this.at(num, (bytes, at) => parseCharged(bytes, at, this.source.meter, keys)) ?? null;
  }

  /**
   * Follows references until a value is found. Returns null if the chain of references ends without a value.
   * @param keys see {@link Objects.value}
   * @throws the errors of {@link Objects.at}
   */
  resolve(value: Value | undefined, keys?: ReadonlySet<string>): Value {
    for (let i = 0; i < LONGEST_REFERENCE_CHAIN && value instanceof Reference; i++) value = this.value(value.num, keys);
    return value instanceof Reference || value === undefined ? null : value;
  }

  /**
   * Resolves `value`. Returns undefined if the result is not a dictionary.
   * @param keys see {@link Objects.value}
   * @throws the errors of {@link Objects.at}
   */
  dictionary(value: Value | undefined, keys?: ReadonlySet<string>): Dictionary | undefined {
    const resolved = this.resolve(value, keys);
    return resolved instanceof Map ? resolved : undefined;
  }

  /**
   * Repeats a synchronous step until it succeeds. Between the attempts, fetches the ranges and decodes the object
   * streams that the step needs. The step must be safe to repeat. If an object stream cannot be decoded, reading one of
   * its objects in the repeated step throws the stream's error, a Malformed or EngineError. The step can catch this
   * error and continue without the object.
   * @throws any error of the step
   */
  async run<T>(step: () => T): Promise<T> {
    for (;;) {
      try {
        return await retry(this.source, step);
      } catch (error) {
        if (!(error instanceof MissingStream)) throw error;
        const { num } = error;
        await retry(this.source, () => this.stream(num)).catch((fault: unknown) => {
          if (!(fault instanceof Malformed || fault instanceof EngineError)) throw fault;
          this.#faults.set(num, fault);
        });
        await this.source.meter.yieldIfDue();
      }
    }
  }

  /**
   * Returns the decoded object stream `num`.
   * @throws Malformed if the stream is not in the file or cannot be decoded
   * @throws MissingRange if bytes must be fetched first
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

  /**
   * Returns the value of an indirect /Length. Returns undefined if the value is inside an object stream, because
   * decoding that stream may require the same length.
   */
  streamLength(reference: Reference): number | undefined {
    const value = this.table.isInFile(reference.num) ? this.value(reference.num) : null;
    return typeof value === "number" ? value : undefined;
  }

  /**
   * Returns the offset of the next live object in the file after `offset`. Returns Infinity if no object follows.
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

  /**
   * Replaces all references in a value by their values, without decoding object streams. References into object streams
   * become null.
   */
  #direct(value: Value): Value {
    if (Array.isArray(value)) return value.map((item) => this.#direct(item));
    if (!(value instanceof Reference)) return value;
    return this.table.isInFile(value.num) ? this.value(value.num) : null;
  }
}

function memoryOf({ bytes, numbers }: ObjectStream): number {
  return bytes.length + MEMORY.member * numbers.length;
}

/** Returns the text of the member at `index`. The text extends to the start of the next member. */
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
  while (numbers.length < Math.min(count, MAX_MEMBERS)) {
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

/**
 * Returns the name of the crypt filter that a stream specifies (ISO 32000-2, 7.4.10). Returns undefined if the stream
 * specifies no crypt filter.
 */
function cryptFilterName(dict: Dictionary): string | undefined {
  const filters = dict.get("Filter");
  const first = Array.isArray(filters) ? filters[0] : filters;
  if (first !== "Crypt") return undefined;
  const params = dict.get("DecodeParms");
  const param = Array.isArray(params) ? params[0] : params;
  const name = param instanceof Map ? param.get("Name") : undefined;
  return typeof name === "string" ? name : "Identity";
}
