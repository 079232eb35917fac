/**
 * Reads objects on demand where they are: in the file or in a decoded object stream (ISO 32000-2, 7.3.10 and 7.5.7).
 */

import { balanceBrackets } from "./brackets.ts";
import type { ByteSource } from "./byteSource.ts";
import type { Cipher } from "./encryption.ts";
import { decodeStream } from "./filters.ts";
import {
  isDictionary,
  Malformed,
  parseAt,
  readHeader,
  readInteger,
  skipRegular,
  skipWhite,
  terminated,
} from "./lexer.ts";
import { readStream } from "./streams.ts";
import { type Dictionary, parseValue, Reference, type Value } from "./values.ts";
import { IN_FILE, IN_STREAM, type XrefTable } from "./xrefTable.ts";

/** A decoded object stream: object `numbers[i]` begins at `offsets[i]` of `bytes`. */
export interface ObjectStream {
  /** See terminated. */
  bytes: Uint8Array;
  /** Length in bytes without the terminator. */
  length: number;
  numbers: number[];
  offsets: number[];
  /** Index by object number, for objects whose entry names a wrong one; built when first needed. */
  positions?: Map<number, number>;
}

/** How many bytes of an object with broken brackets are searched for its end. */
const LARGEST_BROKEN = 64 * 1024;
const LONGEST_REFERENCE_CHAIN = 32;
const MOST_MEMBERS = 500_000;
const CACHED_BYTES = 16 << 20;
/** Limit for all decoded object streams of one document together: bounds the time that nested bombs can take. */
const DECODED_BUDGET = 512 << 20;

/** The objects of one document, read through its cross-reference. */
export class Objects {
  readonly source: ByteSource;
  readonly table: XrefTable;
  /** Set once the trailer's /Encrypt has been read. */
  cipher: Cipher | undefined;
  /** Least recently used first. */
  readonly #streams = new Map<number, ObjectStream>();
  #cached = 0;
  #decoded = 0;

  constructor(source: ByteSource, table: XrefTable) {
    this.source = source;
    this.table = table;
  }

  /**
   * Runs `parse` where the value of object `num` begins. The bytes are valid only during the call.
   * @returns undefined for free and unknown objects
   * @throws Malformed if the object is not where its entry says
   * @throws MissingRange if bytes have to be fetched first
   */
  at<T>(num: number, parse: (bytes: Uint8Array, at: number) => T): T | undefined {
    const row = this.table.live(num);
    if (row < 0) return undefined;
    const place = this.table.place(row);
    const kind = this.table.kind(row);
    if (kind === IN_FILE) {
      return parseAt(this.source, place, (bytes, from) => {
        const header = readHeader(bytes, from);
        if (header?.num !== num) throw new Malformed(`object ${num} is not at offset ${place}`);
        return parse(bytes, header.end);
      });
    }
    if (kind !== IN_STREAM) return undefined;
    const stream = this.stream(place);
    const index = this.table.detail(row);
    const found = stream.numbers[index] === num ? index : positionIn(stream, num);
    if (found === undefined) throw new Malformed(`object ${num} is not in object stream ${place}`);
    return parse(stream.bytes, skipWhite(stream.bytes, stream.offsets[found]!));
  }

  /**
   * Returns the dictionary that object `num` begins with, its brackets balanced (see brackets.ts); undefined without
   * one.
   * @throws MissingRange if bytes have to be fetched first
   */
  balanced(num: number): Uint8Array | undefined {
    const row = this.table.live(num);
    if (row < 0 || this.table.kind(row) !== IN_FILE) return undefined;
    const place = this.table.place(row);
    const bytes = terminated(this.source.bytes(place, Math.min(place + LARGEST_BROKEN, this.source.length)));
    const header = readHeader(bytes, 0);
    return header?.num === num && isDictionary(bytes, header.end) ? balanceBrackets(bytes, header.end) : undefined;
  }

  /**
   * Returns the value of an object; null if there is none.
   * @throws Malformed like {@link Objects.at}
   * @throws MissingRange like {@link Objects.at}
   */
  value(num: number): Value {
    return this.at(num, parseValue) ?? null;
  }

  /**
   * Follows references until there is a value; null if there is none.
   * @throws Malformed like {@link Objects.at}
   * @throws MissingRange like {@link Objects.at}
   */
  resolve(value: Value | undefined): Value {
    for (let i = 0; i < LONGEST_REFERENCE_CHAIN && value instanceof Reference; i++) value = this.value(value.num);
    return value instanceof Reference || value === undefined ? null : value;
  }

  /**
   * Resolves `value`; undefined if it is not a dictionary.
   * @throws Malformed like {@link Objects.at}
   * @throws MissingRange like {@link Objects.at}
   */
  dictionary(value: Value | undefined): Dictionary | undefined {
    const resolved = this.resolve(value);
    return resolved instanceof Map ? resolved : undefined;
  }

  /**
   * Returns object stream `num`, decoded.
   * @throws Malformed if it is not in the file, or cannot be decoded
   * @throws MissingRange if bytes have to be fetched first
   */
  stream(num: number): ObjectStream {
    const cached = this.#streams.get(num);
    if (cached) {
      this.#streams.delete(num);
      this.#streams.set(num, cached);
      return cached;
    }
    const row = this.table.live(num);
    if (row < 0 || this.table.kind(row) !== IN_FILE) throw new Malformed(`object stream ${num} is not in the file`);
    const stream = this.streamAt(this.table.place(row), num);
    this.#streams.set(num, stream);
    this.#cached += stream.bytes.length;
    for (const [oldest, { bytes }] of this.#streams) {
      if (this.#cached <= CACHED_BYTES || oldest === num) break;
      this.#streams.delete(oldest);
      this.#cached -= bytes.length;
    }
    return stream;
  }

  /** Returns an indirect /Length. Undefined in an object stream, which could be the very one being read. */
  streamLength(reference: Reference): number | undefined {
    const row = this.table.live(reference.num);
    const value = row >= 0 && this.table.kind(row) === IN_FILE ? this.value(reference.num) : null;
    return typeof value === "number" ? value : undefined;
  }

  /**
   * Returns the object stream at a file offset, decoded.
   * @throws Malformed if it is not object `num`, cannot be decoded, or exceeds the limit for the document
   * @throws MissingRange if bytes have to be fetched first
   */
  streamAt(offset: number, num: number): ObjectStream {
    const raw = readStream(this.source, offset, (length) => this.streamLength(length));
    if (raw.num !== num) throw new Malformed(`object ${num} is not at offset ${offset}`);
    const data = this.cipher
      ? this.cipher.decryptStream(raw.num, raw.gen, raw.data, cryptFilterName(raw.dict))
      : raw.data;
    const decoded = decodeStream(raw.dict, data);
    this.#decoded += decoded.length;
    if (this.#decoded > DECODED_BUDGET) throw new Malformed("the object streams are too large when decoded");
    return readObjectStream(raw.dict.get("N"), raw.dict.get("First"), decoded);
  }
}

function positionIn(stream: ObjectStream, num: number): number | undefined {
  stream.positions ??= new Map(stream.numbers.map((member, index) => [member, index]));
  return stream.positions.get(num);
}

function readObjectStream(count: Value | undefined, first: Value | undefined, decoded: Uint8Array): ObjectStream {
  if (typeof count !== "number" || typeof first !== "number")
    throw new Malformed("an object stream has no /N or /First");
  const bytes = terminated(decoded);
  const numbers: number[] = [];
  const offsets: number[] = [];
  let at = 0;
  const next = () => {
    const start = skipWhite(bytes, at);
    at = skipRegular(bytes, start);
    return readInteger(bytes, start, at);
  };
  while (numbers.length < Math.min(count, MOST_MEMBERS)) {
    if (at >= first) break;
    const num = next();
    const offset = next();
    if (num === undefined || offset === undefined) break;
    numbers.push(num);
    offsets.push(Math.min(first + offset, decoded.length));
  }
  return { bytes, length: decoded.length, numbers, offsets };
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
