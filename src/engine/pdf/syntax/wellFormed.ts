/**
 * Values that all readers read alike: those written as ISO 32000-2, 7.3 has it. Of any others each makes something else:
 * at garbage in a dictionary, MuPDF gives up the whole object, and PDFium and this engine skip it. What goes into the
 * output anew is written so that they agree.
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

/** How deep values may be nested: PDFium gives up an object at 64. */
const DEEPEST = 50;

/**
 * Returns the end of the value at `at`, which may be a reference, if it is sound; otherwise -1.
 * @param malformed receives where the arrays and dictionaries begin that hold what is not sound, the innermost first
 * @throws EndOfBytes if the bytes end within it
 */
export function endOfWellFormed(bytes: Uint8Array, at: number, depth = 0, malformed?: number[]): number {
  if (bytes[at] !== BRACKET_OPEN && !isDictionary(bytes, at)) return endOfToken(bytes, at);
  const end = WALK.from(at, depth).advance(bytes);
  if (end < 0 && malformed) malformed.push(...WALK.open().reverse());
  return end;
}

/** The end of a value that is neither an array nor a dictionary. */
function endOfToken(bytes: Uint8Array, at: number): number {
  const code = bytes[at];
  if (code === SLASH) return endOfName(bytes, at);
  if (code === PAREN_OPEN) return skipLiteralString(bytes, at);
  return code === LESS_THAN ? endOfHexString(bytes, at) : endOfWord(bytes, at);
}

/** Looks for the end of a sound value, as {@link endOfWellFormed} does, which a long one takes too long for. */
export class WellFormedWalk {
  /** How far it has come. */
  at = 0;
  #count = 0;
  #room = DEEPEST;
  /** Where the arrays and dictionaries begin that `at` is in. */
  readonly #open = new Uint32Array(DEEPEST);

  /** Begins at the value at `at`, which is in `depth` arrays and dictionaries that are not looked at. */
  from(at: number, depth = 0): this {
    this.at = at;
    this.#count = 0;
    this.#room = DEEPEST - depth;
    return this;
  }

  /** Where the arrays and dictionaries begin that the walk has ended in, the outermost first. */
  open(): number[] {
    return [...this.#open.subarray(0, this.#count)];
  }

  /**
   * Goes on until the value ends, or `limit` is reached.
   * @returns the value's end, -1 if it is not sound, and 0 if it goes on
   * @throws EndOfBytes if the bytes end within it
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
      // What ends here ends, and of the dictionary around it the next key is passed.
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

/** The walk of whoever does it at once: to make one takes longer than to walk over most values. */
const WALK = new WellFormedWalk();

/**
 * Visits the entries of the dictionary whose `<<` is at `at`, as {@link eachEntry} does, as long as they are sound.
 * @returns the position after `>>`; -1 if the dictionary is not sound
 * @throws EndOfBytes if the bytes end within it
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

/** The end of a name; -1 if a byte of it is white space to PDFium. */
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

/** The end of a number, `true`, `false`, `null` or a reference. */
function endOfWord(bytes: Uint8Array, at: number): number {
  const end = skipRegular(bytes, at);
  const digits = skipDigits(bytes, at);
  if (digits === end) return digits > at ? endOfReference(bytes, end) : -1;
  return endOfNumber(bytes, at) === end || isKeyword(bytes, at, end) ? end : -1;
}

/** The end of the number that a word begins with; `at` if it begins with none. */
function endOfNumber(bytes: Uint8Array, at: number): number {
  let end = at;
  let hasDigits = false;
  for (; isDigit(bytes[end]) || isSign(bytes[end]); end++) hasDigits ||= isDigit(bytes[end]);
  return hasDigits ? end : at;
}

function isKeyword(bytes: Uint8Array, at: number, end: number): boolean {
  return wordIs(bytes, at, end, "null") || wordIs(bytes, at, end, "true") || wordIs(bytes, at, end, "false");
}

/** The end of the reference whose object number ends at `end`, or else that; -1 if readers may not see it. */
function endOfReference(bytes: Uint8Array, end: number): number {
  const gen = skipWhite(bytes, end);
  const genEnd = skipDigits(bytes, gen);
  if (genEnd === gen) return end;
  const keyword = skipWhite(bytes, genEnd);
  if (keyword === genEnd || bytes[keyword] !== UPPER_R) return end;
  return isGeneration(bytes, gen, genEnd) && skipRegular(bytes, keyword) === keyword + 1 ? keyword + 1 : -1;
}

/** Returns whether a reference may have the number [start, end) for its generation: MuPDF takes no larger one. */
function isGeneration(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start === 1 || (readInteger(bytes, start, end) ?? Number.POSITIVE_INFINITY) <= LARGEST_GENERATION;
}

/** How much of a value is written soundly, in bytes: it is done at once, and takes long. */
const LARGEST_MENDED = 512 * 1024;

/**
 * Returns the value at `at` as this engine reads it, written soundly: what is no entry of a dictionary is left out, what
 * is no value is null.
 * @throws Malformed if its brackets do not match, or an array may have a reference that readers do not agree on
 * @throws EngineError too_complex if it is very long
 */
export function wellFormedText(bytes: Uint8Array, at: number): Uint8Array {
  const rest = bytes.length - at;
  const writer = new WellFormedWriter(bytes.subarray(at, at + LARGEST_MENDED));
  try {
    writer.value(0, 0);
  } catch (error) {
    if (error instanceof EndOfBytes && rest > LARGEST_MENDED) throw tooComplex("an object is damaged, and very large");
    throw error;
  }
  return writer.text();
}

/** Returns the name [start, end) so that no byte of it is white space to PDFium. */
export function wellFormedName(bytes: Uint8Array, start: number, end: number): string {
  return decodeLatin1(bytes, start, end).replace(/[\x80\xff]/g, (code) => `#${code.charCodeAt(0).toString(16)}`);
}

/** Writes a value soundly, looking at each of its bytes a few times, however deep they are. */
class WellFormedWriter {
  readonly #bytes: Uint8Array;
  readonly #out = new ByteWriter();
  /** Where arrays and dictionaries begin that are known not to be sound, and not written yet, the next one last. */
  readonly #malformed: number[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Returns a copy of what has been written. */
  text(): Uint8Array {
    return concat(this.#out.parts());
  }

  /** Writes the value at `at`, and returns where it ends, as skipValue does; not so for the outermost one. */
  value(at: number, depth: number): number {
    const [bytes, out] = [this.#bytes, this.#out];
    const isBracketed = bytes[at] === BRACKET_OPEN || isDictionary(bytes, at);
    const end = this.#malformed.at(-1) === at ? -1 : endOfWellFormed(bytes, at, depth, this.#malformed);
    if (end >= 0) out.copy(bytes, at, end);
    else if (isBracketed && depth < DEEPEST) {
      this.#malformed.pop();
      return bytes[at] === BRACKET_OPEN ? this.#array(at, depth) : this.#dictionary(at, depth);
    } else if (bytes[at] === LESS_THAN && !isBracketed) this.#hexString(at);
    else if (bytes[at] === SLASH) out.text(wellFormedName(bytes, at, skipRegular(bytes, at + 1)));
    else out.text(readReference(bytes, at)?.text ?? "null");
    if (depth === 0) return at;
    return end >= 0 && isBracketed ? end : skipValue(bytes, at);
  }

  /** Writes the entries that eachEntry would find, unless one of the brackets between them ends the value before. */
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
      } else at = start; // a last key that has no value is no entry
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
        throw new Malformed("something may be a reference, and cannot be read");
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

/** Reads a reference as readers do, which something may follow without white space. */
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
