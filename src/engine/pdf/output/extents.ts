/**
 * Finds the end of each live object. The eraser then retains the whole object, and erases only superseded bytes after
 * it. Stream data may look like objects and cross-references, for example in an uncompressed PDF attachment.
 */
import { decodeLatin1 } from "../../bytes.ts";
import { LONGEST_REFERENCE_CHAIN, type Objects } from "../objects/objects.ts";
import { claimedEnd, dataStart, findEndobj, findWord, mayBeLength } from "../objects/streams.ts";
import type { ByteSource } from "../source/byteSource.ts";
import { runYielding } from "../source/meter.ts";
import { UPPER_R } from "../syntax/characters.ts";
import {
  eachEntry,
  isDictionary,
  isDigit,
  Malformed,
  nameIs,
  parseAt,
  readHeader,
  skipRegular,
  skipValue,
  skipWhite,
  startsWith,
  unlessMalformed,
} from "../syntax/lexer.ts";
import { parseValue, Reference, type Value } from "../syntax/values.ts";
import { Boundaries, SECTION, SUPERSEDED } from "./boundaries.ts";

/** Matches signs of superseded bytes between live objects: objects, cross-reference sections and ends of revisions. */
const REMAINS = /\d\s*obj|xref|trailer|%%EOF/;
/** Maximum length in bytes of white space and comments between live objects. Longer gaps count as superseded bytes. */
const LARGEST_GAP = 64 * 1024;
/**
 * Maximum distance in bytes that is searched for the end of an object if the source is not in memory. The distance is
 * the size of the source's cache.
 */
const LARGEST_SEARCH = 2 << 20;

/** Result of a check of all boundaries. */
interface Checked {
  boundaries: Boundaries;
  /** Whether superseded objects were found that the cross-reference does not list. */
  isIncomplete: boolean;
  /** Numbers of the pages among the live objects that were read. */
  pages: readonly number[];
}

/**
 * Drops the boundaries within live objects, because offsets in older sections may be wrong. If a superseded object
 * without a cross-reference entry follows a live object, adds a boundary between these objects.
 * @param suspects offsets of live objects that are always read; another live object is read only if the boundary that
 * follows it in the file may be wrong
 */
export async function checkBoundaries(
  objects: Objects,
  boundaries: Boundaries,
  suspects: ReadonlySet<number> | "all",
): Promise<Checked> {
  const check = new BoundaryCheck(objects, boundaries, suspects);
  await runYielding(
    objects.source.meter,
    () => check.step(),
    (slice) => objects.run(slice),
  );
  return { boundaries: check.checked, isIncomplete: check.isIncomplete, pages: check.pages };
}

/** Checks the boundaries in steps. A step that throws because bytes are not loaded yet can be repeated. */
class BoundaryCheck {
  isIncomplete = false;
  readonly checked: Boundaries;
  readonly pages: number[] = [];
  readonly #objects: Objects;
  readonly #boundaries: Boundaries;
  readonly #suspects: ReadonlySet<number> | "all";
  readonly #lengths = new Map<number, Value>();
  #next = 0;
  /** Largest end offset of the live objects that have been checked. */
  #reached = 0;

  constructor(objects: Objects, boundaries: Boundaries, suspects: ReadonlySet<number> | "all") {
    this.#objects = objects;
    this.#boundaries = boundaries;
    this.#suspects = suspects;
    this.checked = new Boundaries(boundaries.length + (suspects === "all" ? boundaries.length : suspects.size));
  }

  /**
   * Advances to the next live object. Returns false after the last live object.
   * @throws MissingRange if bytes must be fetched first. Call `step` again after the fetch.
   */
  step(): boolean {
    const boundaries = this.#boundaries;
    if (this.#next >= boundaries.length) return false;
    this.#objects.source.meter.charge("checkBoundary");
    if (!boundaries.isLive(this.#next)) {
      this.#retain(this.#next++);
      return true;
    }

    const offset = boundaries.offsetAt(this.#next);
    let first = this.#next + 1;
    while (this.#offset(first) === offset) first++;
    let next = first;
    while (next < boundaries.length && !boundaries.isLive(next)) next++;
    const isSuspect = this.#suspects === "all" || this.#suspects.has(offset);
    const hasUnverified = first < next && boundaries.kindAt(first) !== SUPERSEDED;
    const { end, page } = isSuspect || hasUnverified ? this.#read(offset, this.#offset(next)) : { end: offset };
    let kept = first;
    while (kept < next && boundaries.kindAt(kept) !== SUPERSEDED && this.#offset(kept) < end) kept++;
    const hasRemains = isSuspect && this.#hasRemains(end, this.#offset(kept));

    // No statement from here on throws MissingRange, so the changes below happen only once.
    if (kept > first || hasRemains) this.isIncomplete = true;
    if (page !== undefined) this.pages.push(page);
    this.#retain(this.#next);
    if (hasRemains) this.checked.add(end, SECTION);
    for (; kept < next; kept++) this.#retain(kept);
    this.#reached = Math.max(this.#reached, end);
    this.#next = next;
    return true;
  }

  /** Copies a boundary to the list of checked boundaries. */
  #retain(index: number): void {
    this.checked.add(this.#boundaries.offsetAt(index), this.#boundaries.kindAt(index));
  }

  /** Returns the offset of a boundary. Returns the length of the source for an index after the last boundary. */
  #offset(index: number): number {
    return index < this.#boundaries.length ? this.#boundaries.offsetAt(index) : this.#objects.source.length;
  }

  /**
   * Returns the end of the live object at `offset`, after its `endobj`. If the object is a page, also returns its
   * number. If a stream's /Length is wrong, the object ends at the latest at `next`, where the next live object begins.
   */
  #read(offset: number, next: number): { end: number; page?: number | undefined } {
    if (offset < this.#reached) return { end: next }; // the object begins within another live object
    const { source } = this.#objects;
    let end: number;
    let page: number | undefined;
    try {
      const object = parseAt(source, offset, describe, next - offset);
      end = offset + object.end;
      if (object.isPage && this.#isAt(object.num, offset)) page = object.num;
      if (object.isStream) {
        end = claimedEnd(source, end, this.#length(object.length)) ?? this.#endOfData(end, next);
        end = behindWord(source, end, "endstream");
      }
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      end = this.#find("endobj", offset, next);
    }
    return { end: behindWord(source, end, "endobj"), page };
  }

  #isAt(num: number, offset: number): boolean {
    const { table } = this.#objects;
    return table.offset(table.liveRow(num)) === offset;
  }

  /**
   * Returns the offset of the first `word` at or after `start`. Returns `next` if the word does not occur before
   * `next`.
   */
  #find(word: string, start: number, next: number): number {
    return findWord(this.#objects.source, start, this.#far(start, next), word) ?? next;
  }

  /** Returns the end of the range in which a search that begins at `start` looks for its result. */
  #far(start: number, next: number): number {
    return this.#objects.source.inMemory ? next : Math.min(next, start + LARGEST_SEARCH);
  }

  /**
   * Returns the end of the data that begin at `start` and have no correct /Length. Returns `next` if no end is found
   * before `next`.
   */
  #endOfData(start: number, next: number): number {
    const end = this.#find("endstream", start, next);
    return findEndobj(this.#objects.source, start, this.#far(start, end)) ?? end;
  }

  /**
   * Returns the value of a /Length, which may be at the end of a chain of references. Each referenced object is read
   * only once.
   */
  #length(value: Value | undefined): Value | undefined {
    for (let i = 0; i < LONGEST_REFERENCE_CHAIN && value instanceof Reference; i++) {
      const { num }: Reference = value;
      if (!this.#lengths.has(num)) this.#lengths.set(num, this.#numberOrReference(num));
      value = this.#lengths.get(num);
    }
    return value;
  }

  #numberOrReference(num: number): Value {
    const read = (bytes: Uint8Array, at: number) => (mayBeLength(bytes[at]) ? parseValue(bytes, at) : null);
    return unlessMalformed(() => this.#objects.at(num, read), null) ?? null;
  }

  #hasRemains(start: number, end: number): boolean {
    if (end - start > LARGEST_GAP) return true;
    return end > start && REMAINS.test(decodeLatin1(this.#objects.source.bytes(start, end)));
  }
}

/** Facts about an object. Positions are relative to the start of the object. */
interface Description {
  num: number;
  /** Whether the object is a dictionary whose /Type is /Page, and not a stream. */
  isPage: boolean;
  /** End of the object's value. For a stream, this is the start of its data. */
  end: number;
  isStream: boolean;
  length: Value | undefined;
}

function describe(bytes: Uint8Array, at: number): Description {
  const header = readHeader(bytes, at);
  if (!header) throw new Malformed("no object begins here");
  const { num, end: start } = header;
  let length: Value | undefined;
  let isPage = false;
  if (!isDictionary(bytes, start)) return { num, isPage, end: endOfValue(bytes, start), isStream: false, length };
  const end = eachEntry(bytes, start, (key, keyEnd, value, valueEnd) => {
    if (nameIs(bytes, key, keyEnd, "Length")) length = mayBeLength(bytes[value]) ? parseValue(bytes, value) : null;
    else if (nameIs(bytes, key, keyEnd, "Type")) isPage = nameIs(bytes, value, valueEnd, "Page");
  });
  const data = dataStart(bytes, skipWhite(bytes, end));
  return data < 0
    ? { num, isPage, end, isStream: false, length }
    : { num, isPage: false, end: data, isStream: true, length };
}

/** Returns the end of the value at `at`. The end of a reference is after its third token. */
function endOfValue(bytes: Uint8Array, at: number): number {
  const end = skipValue(bytes, at);
  const gen = skipWhite(bytes, end);
  if (!isDigit(bytes[at]) || !isDigit(bytes[gen])) return end;
  const letter = skipWhite(bytes, skipRegular(bytes, gen));
  return bytes[letter] === UPPER_R ? letter + 1 : end;
}

/** Returns the end of `word` if it follows `at`, after optional white space and comments. Otherwise returns `at`. */
function behindWord(source: ByteSource, at: number, word: string): number {
  if (at >= source.length) return at;
  const read = (bytes: Uint8Array, from: number) => {
    const start = skipWhite(bytes, from);
    skipRegular(bytes, start);
    return startsWith(bytes, start, word) ? at + start + word.length : at;
  };
  return unlessMalformed(() => parseAt(source, at, read), at);
}
