/**
 * Recognizes and writes well-formed values. All readers interpret well-formed values the same way, because the values
 * follow ISO 32000-2, 7.3. Readers differ on malformed values. For example, MuPDF drops a whole object if a dictionary
 * contains garbage, while PDFium and this engine skip the garbage. Values of the source that the output repeats are
 * therefore written in well-formed syntax.
 */
import { concat, decodeLatin1 } from "../../bytes.ts";
import { tooComplex } from "../source/meter.ts";
import { ByteWriter } from "./byteWriter.ts";
import {
  BRACKET_CLOSE,
  BRACKET_OPEN,
  GREATER_THAN,
  LESS_THAN,
  PAREN_OPEN,
  SLASH,
  SPACE,
  UPPER_R,
} from "./characters.ts";
import {
  EndOfBytes,
  type EntryVisitor,
  isDictionary,
  isDictionaryEnd,
  isDigit,
  isHexDigit,
  isSign,
  isWhite,
  LARGEST_GENERATION,
  Malformed,
  nesting,
  readInteger,
  readObjectNumber,
  skipDigits,
  skipHexString,
  skipLiteralString,
  skipRegular,
  skipToken,
  skipValue,
  skipWhite,
  wordIs,
} from "./lexer.ts";

/** Maximum nesting depth of values. PDFium drops an object that is nested at depth 64. */
const MAX_DEPTH = 50;

/**
 * Returns the end of the value at `at` if the value is well-formed, and -1 otherwise. The value may be a reference.
 * @param depth number of arrays and dictionaries around the value
 * @param malformed receives the start positions of the arrays and dictionaries that contain the malformed part,
 * innermost first
 * @throws EndOfBytes if the bytes end inside the value
 */
export function endOfWellFormed(bytes: Uint8Array, at: number, depth = 0, malformed?: number[]): number {
  if (bytes[at] !== BRACKET_OPEN && !isDictionary(bytes, at)) return endOfToken(bytes, at);
  const end = WALK.from(at, depth).advance(bytes);
  if (end < 0 && malformed) malformed.push(...WALK.open().reverse());
  return end;
}

/** Returns the end of a value that is neither an array nor a dictionary, or -1 if it is malformed. */
function endOfToken(bytes: Uint8Array, at: number): number {
  const code = bytes[at];
  if (code === SLASH) return endOfName(bytes, at);
  if (code === PAREN_OPEN) return skipLiteralString(bytes, at);
  return code === LESS_THAN ? endOfHexString(bytes, at) : endOfWord(bytes, at);
}

/**
 * Finds the end of a well-formed value as {@link endOfWellFormed} does, but in steps. Between the steps of a long
 * value, a caller can yield to the event loop.
 */
export class WellFormedWalk {
  /** Current position of the walk. */
  at = 0;
  #count = 0;
  #room = MAX_DEPTH;
  /** Start positions of the arrays and dictionaries that contain `at`. */
  readonly #open = new Uint32Array(MAX_DEPTH);

  /**
   * Starts a new walk at the value at `at`.
   * @param depth number of arrays and dictionaries around the value
   */
  from(at: number, depth = 0): this {
    this.at = at;
    this.#count = 0;
    this.#room = MAX_DEPTH - depth;
    return this;
  }

  /** Returns the start positions of the arrays and dictionaries that are still open, outermost first. */
  open(): number[] {
    return [...this.#open.subarray(0, this.#count)];
  }

  /**
   * Continues until the value ends or `limit` is reached.
   * @returns the end of the value, -1 if the value is malformed, or 0 if the walk must continue
   * @throws EndOfBytes if the bytes end inside the value
   */
  advance(bytes: Uint8Array, limit = Number.POSITIVE_INFINITY): number {
    const open = this.#open;
    let { at } = this;
    let count = this.#count;
    let isInArray = count > 0 && bytes[open[count - 1]!] === BRACKET_OPEN;
    let end = 0;
    while (at < limit && end === 0) {
      const isArray = bytes[at] === BRACKET_OPEN;
      if (isArray || isDictionary(bytes, at)) {
        if (count === this.#room) {
          end = -1;
          break;
        }
        open[count++] = at;
        isInArray = isArray;
        at = skipWhite(bytes, at + (isArray ? 1 : 2));
      } else {
        const after = endOfToken(bytes, at);
        if (after < 0 || count === 0) {
          end = after;
          break;
        }
        at = skipWhite(bytes, after);
      }
      // Closes every array and dictionary that ends at this position. If the walk is then inside a dictionary, a key
      // must follow.
      while (isInArray ? bytes[at] === BRACKET_CLOSE : isDictionaryEnd(bytes, at)) {
        at += isInArray ? 1 : 2;
        if (--count === 0) {
          end = at;
          break;
        }
        isInArray = bytes[open[count - 1]!] === BRACKET_OPEN;
        at = skipWhite(bytes, at);
      }
      if (end !== 0 || isInArray) continue;
      const keyEnd = bytes[at] === SLASH ? endOfName(bytes, at) : -1;
      if (keyEnd < 0) end = -1;
      else at = skipWhite(bytes, keyEnd);
    }
    this.at = at;
    this.#count = count;
    return end;
  }
}

/**
 * Shared instance for walks that run to their end synchronously. Creating an instance costs more than the walk over
 * most values.
 */
const WALK = new WellFormedWalk();

/**
 * Visits the entries of the dictionary whose `<<` is at `at` as {@link eachEntry} does. Stops at the first malformed
 * entry.
 * @returns the position after `>>`, or -1 if the dictionary is malformed
 * @throws EndOfBytes if the bytes end inside the dictionary
 */
export function eachWellFormedEntry(bytes: Uint8Array, at: number, visit: EntryVisitor): number {
  at = skipWhite(bytes, at + 2);
  while (bytes[at] === SLASH) {
    const keyEnd = endOfName(bytes, at);
    if (keyEnd < 0) return -1;
    const start = skipWhite(bytes, keyEnd);
    const end = endOfWellFormed(bytes, start, 1);
    if (end < 0) return -1;
    visit(at, keyEnd, start, end);
    at = skipWhite(bytes, end);
  }
  return isDictionaryEnd(bytes, at) ? at + 2 : -1;
}

/** Returns the end of a name, or -1 if the name contains a byte that PDFium treats as white space. */
function endOfName(bytes: Uint8Array, at: number): number {
  const end = skipRegular(bytes, at + 1);
  for (at++; at < end; at++) if (bytes[at] === 0x80 || bytes[at] === 0xff) return -1;
  return end;
}

function endOfHexString(bytes: Uint8Array, at: number): number {
  const end = bytes.indexOf(GREATER_THAN, at);
  for (at++; at < end; at++) if (!isHexDigit(bytes[at]) && !isWhite(bytes[at])) return -1;
  return end < 0 ? -1 : end + 1;
}

/** Returns the end of a number, `true`, `false`, `null` or a reference. Returns -1 for any other word. */
function endOfWord(bytes: Uint8Array, at: number): number {
  const end = skipRegular(bytes, at);
  const digits = skipDigits(bytes, at);
  if (digits === end) return digits > at ? endOfReference(bytes, end) : -1;
  return endOfNumber(bytes, at) === end || isKeyword(bytes, at, end) ? end : -1;
}

/** Returns the end of the number at the beginning of a word, or `at` if the word does not begin with a number. */
function endOfNumber(bytes: Uint8Array, at: number): number {
  let end = at;
  let hasDigits = false;
  for (; isDigit(bytes[end]) || isSign(bytes[end]); end++) hasDigits ||= isDigit(bytes[end]);
  return hasDigits ? end : at;
}

function isKeyword(bytes: Uint8Array, at: number, end: number): boolean {
  return wordIs(bytes, at, end, "null") || wordIs(bytes, at, end, "true") || wordIs(bytes, at, end, "false");
}

/**
 * Returns the end of the reference whose object number ends at `end`. Returns `end` if the number does not begin a
 * reference. Returns -1 if readers may disagree on the reference.
 */
function endOfReference(bytes: Uint8Array, end: number): number {
  const gen = skipWhite(bytes, end);
  const genEnd = skipDigits(bytes, gen);
  if (genEnd === gen) return end;
  const keyword = skipWhite(bytes, genEnd);
  if (keyword === genEnd || bytes[keyword] !== UPPER_R) return end;
  return isGeneration(bytes, gen, genEnd) && skipRegular(bytes, keyword) === keyword + 1 ? keyword + 1 : -1;
}

/** Returns whether the number [start, end) is a valid generation of a reference. MuPDF rejects a larger generation. */
function isGeneration(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start === 1 || (readInteger(bytes, start, end) ?? Number.POSITIVE_INFINITY) <= LARGEST_GENERATION;
}

/**
 * Maximum length in bytes of a malformed value that is rewritten. Rewriting is slow and does not yield to the event
 * loop.
 */
const MAX_REPAIRED_BYTES = 512 * 1024;

/**
 * Returns the value at `at`, as this engine interprets it, in well-formed syntax. Garbage in dictionaries is dropped.
 * Garbage in place of a value becomes null.
 * @throws Malformed if the brackets do not match, or if an array contains a reference on which readers may disagree
 * @throws EngineError too_complex if the value is very long
 */
export function wellFormedText(bytes: Uint8Array, at: number): Uint8Array {
  const rest = bytes.length - at;
  const writer = new WellFormedWriter(bytes.subarray(at, at + MAX_REPAIRED_BYTES));
  try {
    writer.value(0, 0);
  } catch (error) {
    if (error instanceof EndOfBytes && rest > MAX_REPAIRED_BYTES)
      throw tooComplex("one of its objects is damaged and very large");
    throw error;
  }
  return writer.text();
}

/** Returns the name [start, end), and escapes the bytes that PDFium treats as white space. */
export function wellFormedName(bytes: Uint8Array, start: number, end: number): string {
  return decodeLatin1(bytes, start, end).replace(/[\x80\xff]/g, (code) => `#${code.charCodeAt(0).toString(16)}`);
}

/** Writes a value in well-formed syntax. The writer reads each byte only a few times at any nesting depth. */
class WellFormedWriter {
  readonly #bytes: Uint8Array;
  readonly #out = new ByteWriter();
  /**
   * Start positions of arrays and dictionaries that are known to be malformed and have not been written yet. The last
   * element is the next to write.
   */
  readonly #malformed: number[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Returns a copy of the written text. */
  text(): Uint8Array {
    return concat(this.#out.parts());
  }

  /**
   * Writes the value at `at`. Returns the end of the value, as skipValue finds it. For the outermost value, returns
   * `at` instead.
   */
  value(at: number, depth: number): number {
    const [bytes, out] = [this.#bytes, this.#out];
    const isBracketed = bytes[at] === BRACKET_OPEN || isDictionary(bytes, at);
    const end = this.#malformed.at(-1) === at ? -1 : endOfWellFormed(bytes, at, depth, this.#malformed);
    if (end >= 0) out.copy(bytes, at, end);
    else if (isBracketed && depth < MAX_DEPTH) {
      this.#malformed.pop();
      return bytes[at] === BRACKET_OPEN ? this.#array(at, depth) : this.#dictionary(at, depth);
    } else if (bytes[at] === LESS_THAN && !isBracketed) this.#hexString(at);
    else if (bytes[at] === SLASH) out.text(wellFormedName(bytes, at, skipRegular(bytes, at + 1)));
    else out.text(readReference(bytes, at)?.text ?? "null");
    if (depth === 0) return at;
    return end >= 0 && isBracketed ? end : skipValue(bytes, at);
  }

  /**
   * Writes the entries that eachEntry visits, up to the bracket that ends the value. Brackets inside garbage also
   * count, as in skipValue.
   */
  #dictionary(at: number, depth: number): number {
    const [bytes, out] = [this.#bytes, this.#out];
    let open = 1;
    out.text("<<");
    at = skipWhite(bytes, at + 2);
    while (!isDictionaryEnd(bytes, at) && (open > 0 || depth === 0)) {
      if (bytes[at] !== SLASH) {
        open += nesting(bytes, at);
        at = skipWhite(bytes, skipToken(bytes, at));
        continue;
      }
      const keyEnd = skipRegular(bytes, at + 1);
      const start = skipWhite(bytes, keyEnd);
      const isEntry = !isDictionaryEnd(bytes, start);
      if (isEntry) {
        out.text(`${wellFormedName(bytes, at, keyEnd)} `);
        at = skipWhite(bytes, this.value(start, depth + 1));
        out.byte(SPACE);
        while (bytes[at] !== SLASH && !isDictionaryEnd(bytes, at)) at = skipWhite(bytes, skipValue(bytes, at));
      } else at = start; // A final key without a value is not an entry.
    }
    out.text(">>");
    for (; open > 0 && depth > 0; at = skipWhite(bytes, skipToken(bytes, at))) open += nesting(bytes, at);
    return at;
  }

  #array(at: number, depth: number): number {
    const [bytes, out] = [this.#bytes, this.#out];
    out.text("[");
    at = skipWhite(bytes, at + 1);
    while (bytes[at] !== BRACKET_CLOSE) {
      const reference = readReference(bytes, at);
      if (!reference && bytes[at] === UPPER_R && skipRegular(bytes, at) === at + 1)
        throw new Malformed("readers may disagree on a reference");
      if (reference) out.text(reference.text);
      at = skipWhite(bytes, reference?.end ?? this.value(at, depth + 1));
      out.byte(SPACE);
    }
    out.text("]");
    return at + 1;
  }

  #hexString(at: number): void {
    const end = skipHexString(this.#bytes, at);
    for (this.#out.byte(LESS_THAN); at < end; at++) if (isHexDigit(this.#bytes[at])) this.#out.byte(this.#bytes[at]!);
    this.#out.byte(GREATER_THAN);
  }
}

/** Reads a reference. As readers do, accepts other characters directly after the `R` of the reference. */
function readReference(bytes: Uint8Array, at: number): { text: string; end: number } | undefined {
  const numEnd = skipRegular(bytes, at);
  const num = readObjectNumber(bytes, at, numEnd);
  const start = num === undefined ? at : skipWhite(bytes, numEnd);
  const genEnd = skipRegular(bytes, start);
  const gen = start === at ? undefined : readObjectNumber(bytes, start, genEnd);
  const keyword = skipWhite(bytes, genEnd);
  if (num === undefined || gen === undefined || bytes[keyword] !== UPPER_R) return undefined;
  return { text: `${num} ${gen <= LARGEST_GENERATION ? gen : 0} R`, end: keyword + 1 };
}
