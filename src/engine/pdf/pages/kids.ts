/** Reads the arrays of /Kids and /Contents (ISO 32000-2, 7.7.3.2 and 7.8.2). */
import { BRACKET_CLOSE, UPPER_R } from "../syntax/characters.ts";
import {
  isDictionary,
  isDigit,
  Malformed,
  readObjectNumber,
  skipRegular,
  skipValue,
  skipWhite,
  wordIs,
} from "../syntax/lexer.ts";

/**
 * The references and direct dictionaries of a /Kids or /Contents array. A page tree may have millions of elements. Each
 * element is therefore stored as one number: the object number of a reference, or the negated offset of a dictionary.
 */
export class KidList {
  readonly #codes: number[] = [];

  get length(): number {
    return this.#codes.length;
  }

  addReference(num: number): void {
    this.#codes.push(num);
  }

  /** @param at offset of the dictionary in the text that contains the array; never 0 */
  addDictionary(at: number): void {
    this.#codes.push(-at);
  }

  /** Returns the object number of the reference at `index`, or undefined for a direct dictionary. */
  numberAt(index: number): number | undefined {
    const code = this.#codes[index]!;
    return code >= 0 ? code : undefined;
  }

  /**
   * Returns the offset of the direct dictionary at `index` in the text that contains the array. Returns undefined for a
   * reference.
   */
  offsetAt(index: number): number | undefined {
    const code = this.#codes[index]!;
    return code < 0 ? -code : undefined;
  }

  /** Returns the object numbers of the references among the elements [from, to). */
  numbers(from = 0, to = this.length): number[] {
    return this.#codes.slice(from, to).filter((code) => code >= 0);
  }
}

/** The references and dictionaries among the elements of an array. */
export interface Kids {
  kids: KidList;
  /**
   * Whether no element was omitted and every reference is plain. A plain reference has generation 0 and contains no
   * comment.
   */
  isPlain: boolean;
}

/** Maximum length of a plain reference in bytes. A longer reference may contain a comment. */
const LONGEST_PLAIN = 20;

/**
 * Reads the /Kids or /Contents array at `at`.
 * @throws the errors of {@link eachElement}
 */
export function readKids(text: Uint8Array, at: number): Kids {
  const kids = new KidList();
  let isPlain = true;
  eachElement(text, at, (kind, start, end, num, gen) => {
    if (kind === "dictionary") kids.addDictionary(start);
    else {
      if (kind === "reference") kids.addReference(num);
      isPlain &&= kind === "reference" && gen === 0 && isDigit(text[start]) && end - start <= LONGEST_PLAIN;
    }
  });
  return { kids, isPlain };
}

/** Kind of an element of an array. A reference to object 0 has the kind "other", because there is no such object. */
type ElementKind = "reference" | "dictionary" | "other";

/**
 * Visits the elements of the array at `at`. Each element occupies the bytes [start, end). `num` and `gen` are 0 for an
 * element that is not a reference.
 * @throws Malformed if an element cannot be skipped, or if it may be a reference but is malformed
 */
function eachElement(
  text: Uint8Array,
  at: number,
  visit: (kind: ElementKind, start: number, end: number, num: number, gen: number) => void,
): void {
  at = skipWhite(text, at + 1);
  while (text[at] !== BRACKET_CLOSE) {
    const start = at;
    const end = skipValue(text, start);
    at = skipWhite(text, end);
    const num = readObjectNumber(text, start, end);
    const genEnd = num === undefined ? at : skipRegular(text, at);
    const gen = readObjectNumber(text, at, genEnd);
    const keyword = gen === undefined ? at : skipWhite(text, genEnd);
    if (num !== undefined && gen !== undefined && text[keyword] === UPPER_R) {
      visit(num > 0 ? "reference" : "other", start, keyword + 1, num, gen);
      at = skipWhite(text, keyword + 1);
    } else if (wordIs(text, start, end, "R")) throw new Malformed("an array element may be a malformed reference");
    else visit(isDictionary(text, start) ? "dictionary" : "other", start, end, 0, 0);
  }
}
