/**
 * Checks content streams while they are copied. The plan assumes that certain objects are content streams, without
 * reading them (see ContentsReader). Each of these objects must be a stream with a well-formed dictionary and a correct
 * /Length. Otherwise, a reader might show the page without its content and mark, or read the bytes after the stream as
 * content.
 */
import { indexOf } from "#platform/search";
import { EngineError } from "../../errors.ts";
import type { Objects } from "../objects/objects.ts";
import { dataStart, isGlued, MOST_WHITE_BEFORE_END } from "../objects/streams.ts";
import { runYielding } from "../source/meter.ts";
import {
  isDictionary,
  isWhite,
  Malformed,
  readHeader,
  skipValue,
  skipWhite,
  unlessMalformed,
} from "../syntax/lexer.ts";
import { type Dictionary, parseValue, Reference, type Value } from "../syntax/values.ts";
import { endOfWellFormed } from "../syntax/wellFormed.ts";
import { PlanOutdated } from "./eraser.ts";

/**
 * Number of bytes before and after each window that the check may also read. A dictionary may extend beyond the window,
 * and the object of a /Length may follow its stream.
 */
export const WINDOW_CONTEXT = 4096;
/** Maximum length in bytes of an object that contains only a /Length value. */
const LENGTH_OBJECT = 64;

/**
 * Maximum number of lengths that are checked after copying. The limit bounds the memory for these lengths. A plan with
 * more lengths is discarded.
 */
const MOST_LATE = 100_000;

/** The keyword after the data of a stream. */
export const END = "endstream";

/** A range of the source. The bytes [at, end) are copied. `bytes` begins at offset `base`. */
export interface Window {
  at: number;
  end: number;
  base: number;
  bytes: Uint8Array;
}

/** The dictionary of a stream object, and the file offset of the stream's data. */
export interface StreamHead {
  readonly dict: Dictionary;
  readonly data: number;
}

/**
 * A /Length whose object is outside the window: the reference to the object, and the minimum and maximum of the correct
 * values.
 */
interface LateLength {
  reference: Reference;
  least: number;
  most: number;
}

/** Checks the windows of the source in order, before the eraser changes them. */
export class ContentCheck {
  readonly #objects: Objects;
  readonly #offsets: Float64Array;
  readonly #late: LateLength[] = [];
  #next = 0;
  /** A stream whose end has not been found yet. */
  #open: StreamHead | undefined;
  /** End of the stream that was checked last. */
  #reached = 0;

  /** @param numbers numbers of the objects to check, which are directly in the file */
  constructor(objects: Objects, numbers: ReadonlySet<number>) {
    this.#objects = objects;
    this.#offsets = Float64Array.from(numbers, (num) => objects.table.offsetOf(num)).sort();
  }

  /**
   * Checks the next window. Call this method before anything in the window is erased.
   * @throws PlanOutdated if the window contradicts the plan
   */
  inspect({ end, base, bytes }: Window): void {
    for (;;) {
      if (this.#open && !this.#close(this.#open, base, bytes)) return;
      const offset = this.#offsets[this.#next];
      if (offset === undefined || offset >= end) return;
      // Overlapping objects are rejected, because their bytes would be searched repeatedly.
      if (offset < this.#reached) throw outdated();
      this.#open = streamHead(bytes, offset - base, base);
      this.#next++;
    }
  }

  /**
   * Checks the /Length objects that were outside the windows of their streams. Call this method after everything has
   * been copied.
   * @throws PlanOutdated if a length contradicts the plan
   */
  async finish(): Promise<void> {
    if (this.#open || this.#next < this.#offsets.length) throw outdated();
    const objects = this.#objects;
    const placeOf = ({ reference }: LateLength) => objects.table.offsetOf(reference.num);
    // sorts the lengths in file order, so that each block is read only once
    this.#late.sort((a, b) => placeOf(a) - placeOf(b));
    let next = 0;
    const step = () => {
      const late = this.#late[next];
      if (!late) return false;
      expectLength(objects.resolve(late.reference), late.least, late.most);
      next++;
      return true;
    };
    try {
      await runYielding(objects.source.meter, step, (slice) => objects.run(slice));
    } catch (error) {
      throw error instanceof Malformed ? outdated() : error;
    }
  }

  /** Checks the length of a stream. Returns false if the end of the stream is not within `bytes`. */
  #close({ data, dict }: StreamHead, base: number, bytes: Uint8Array): boolean {
    const length = dict.get("Length");
    const known = isLength(length) ? length : 0; // if the length is known, the data are not searched
    const from = Math.max(0, data + known - base);
    const end = from < bytes.length ? indexOf(bytes, END, from) : -1;
    if (end < 0) return false;
    let first = end;
    while (first > from && end - first < MOST_WHITE_BEFORE_END && isWhite(bytes[first - 1])) first--;
    const [least, most] = [base + first - data, base + end - data];
    const value = length instanceof Reference ? this.#near(length, base, bytes) : length;
    if (value instanceof Reference) this.#late.push({ reference: value, least, most });
    else expectLength(value, least, most);
    if (this.#late.length > MOST_LATE) throw outdated();
    this.#reached = base + end;
    this.#open = undefined;
    return true;
  }

  /**
   * Returns the value of a /Length reference. If the object of the reference is not within `bytes`, which is rare,
   * returns the reference itself.
   */
  #near(reference: Reference, base: number, bytes: Uint8Array): Value {
    const offset = this.#objects.table.offsetOf(reference.num);
    if (offset < base || offset >= base + bytes.length) return reference;
    const object = bytes.subarray(offset - base, offset - base + LENGTH_OBJECT);
    const read = () => {
      const header = readHeader(object, 0);
      return header?.num === reference.num ? parseValue(object, header.end) : reference;
    };
    return unlessMalformed(read, reference);
  }
}

/**
 * Reads the head of the stream object at `at`. `base` is the file offset of `bytes`.
 * @param isCorrected whether the plan corrects a malformed head
 * @throws PlanOutdated if the bytes are not a complete stream head, or the head is malformed and not corrected
 */
export function streamHead(bytes: Uint8Array, at: number, base: number, isCorrected = false): StreamHead {
  try {
    const header = at >= 0 ? readHeader(bytes, at) : undefined;
    if (!header || !isDictionary(bytes, header.end)) throw outdated();
    const end = isCorrected ? skipValue(bytes, header.end) : endOfWellFormed(bytes, header.end);
    const data = end < 0 ? -1 : dataStart(bytes, skipWhite(bytes, end));
    if (data < 0 || data >= bytes.length || (isGlued(bytes, data) && !isCorrected)) throw outdated();
    return { dict: parseValue(bytes, header.end) as Dictionary, data: base + data };
  } catch (error) {
    throw error instanceof Malformed || error instanceof EngineError ? outdated() : error;
  }
}

function expectLength(length: Value | undefined, least: number, most: number): void {
  if (!(isLength(length) && length >= least && length <= most)) throw outdated();
}

function isLength(length: Value | undefined): length is number {
  return typeof length === "number" && Number.isInteger(length) && length >= 0;
}

function outdated(): PlanOutdated {
  return new PlanOutdated("a page's content is not a well-formed stream");
}
