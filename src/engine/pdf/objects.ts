/** Objects on demand: each is parsed where it stands, in the file or in a decoded object stream (ISO 32000-2, 7.3.10 and 7.5.7). */

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
  bytes: Uint8Array;
  numbers: number[];
  offsets: number[];
  /** Where to find an object whose entry names a wrong index; made when first needed. */
  positions?: Map<number, number>;
}

/** How far the end of an object with broken brackets is looked for. */
const LARGEST_BROKEN = 64 * 1024;
const LONGEST_REFERENCE_CHAIN = 32;
const MOST_MEMBERS = 500_000;
const CACHED_BYTES = 16 << 20;
/** All decoding of one document together: bounds the time that nested bombs can take. */
const DECODED_BUDGET = 512 << 20;

export class Objects {
  readonly source: ByteSource;
  readonly table: XrefTable;
  /** Set once the trailer's /Encrypt has been read. */
  cipher: Cipher | undefined;
  /** In order of use, oldest first. */
  readonly #streams = new Map<number, ObjectStream>();
  #cached = 0;
  #decoded = 0;

  constructor(source: ByteSource, table: XrefTable) {
    this.source = source;
    this.table = table;
  }

  /**
   * Runs `parse` where the value of object `num` begins; undefined for free and unknown objects. The bytes are valid during
   * the call. Throws Malformed where the object is not at the place its entry names, and MissingRange.
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

  /** The dictionary that object `num` begins with, its brackets put right; undefined where there is none. See brackets.ts. */
  balanced(num: number): Uint8Array | undefined {
    const row = this.table.live(num);
    if (row < 0 || this.table.kind(row) !== IN_FILE) return undefined;
    const place = this.table.place(row);
    const bytes = terminated(this.source.bytes(place, Math.min(place + LARGEST_BROKEN, this.source.length)));
    const header = readHeader(bytes, 0);
    return header?.num === num && isDictionary(bytes, header.end) ? balanceBrackets(bytes, header.end) : undefined;
  }

  /** The value of an object; null where there is none. */
  value(num: number): Value {
    return this.at(num, parseValue) ?? null;
  }

  /** Follows references until there is a value. */
  resolve(value: Value | undefined): Value {
    for (let i = 0; i < LONGEST_REFERENCE_CHAIN && value instanceof Reference; i++) value = this.value(value.num);
    return value instanceof Reference || value === undefined ? null : value;
  }

  dictionary(value: Value | undefined): Dictionary | undefined {
    const resolved = this.resolve(value);
    return resolved instanceof Map ? resolved : undefined;
  }

  /** Object stream `num`, decoded. Throws Malformed. */
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

  /** The /Length that a reference leads to. In an object stream it could be in the very one that is being read. */
  streamLength(reference: Reference): number | undefined {
    const row = this.table.live(reference.num);
    const value = row >= 0 && this.table.kind(row) === IN_FILE ? this.value(reference.num) : null;
    return typeof value === "number" ? value : undefined;
  }

  /** The object stream at a file offset, which has to be object `num`. Throws Malformed. */
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
    offsets.push(Math.min(first + offset, bytes.length));
  }
  return { bytes, numbers, offsets };
}

/** The crypt filter a stream names for itself (7.4.10), if it does. */
function cryptFilterName(dict: Dictionary): string | undefined {
  const filters = dict.get("Filter");
  const first = Array.isArray(filters) ? filters[0] : filters;
  if (first !== "Crypt") return undefined;
  const params = dict.get("DecodeParms");
  const param = Array.isArray(params) ? params[0] : params;
  const name = param instanceof Map ? param.get("Name") : undefined;
  return typeof name === "string" ? name : "Identity";
}
