/**
 * Decides whether page content is well-formed: all readers execute the content to its end, and the content leaves
 * nothing open. The rules are stricter than ISO 32000-2, 7.8.2 and 8.2, because some readers stop at content that the
 * standard allows. Unusual content counts as malformed, because a false alarm costs little: the content is only
 * isolated from the mark.
 */
import { BACKSLASH, CARRIAGE_RETURN, LINE_FEED, PAREN_CLOSE, PAREN_OPEN, PERIOD } from "../syntax/characters.ts";
import { isWhite } from "../syntax/lexer.ts";
import { readInlineImage } from "./inlineImage.ts";
import {
  BEGIN_COMPATIBILITY,
  BEGIN_IMAGE,
  BEGIN_SEQUENCE,
  CATEGORIES,
  CATEGORY,
  COLOR,
  DEVICE_CMYK,
  DEVICE_RGB,
  DICTIONARY,
  EFFECT,
  END_SEQUENCE,
  NAME,
  NEXT,
  NO_EFFECT,
  NUMBER,
  NUMBERS,
  OTHER,
  OTHER_SIGNATURE,
  PAGE,
  RESTORE,
  SAVE,
  SIGNATURE,
  STRING,
  slotOf,
  TEXTS,
  UNCHANGED,
  VARIABLE,
  WHERE,
} from "./operators.ts";

/** Maximum number of saved graphics states (ISO 32000-1, Annex C). */
const MAX_SAVED = 28;
/** Maximum nesting depth of marked-content sequences. */
const MAX_SEQUENCES = 28;
/** Maximum number of operands. pdf.js stops at 33. */
const MAX_OPERANDS = 32;
/** Maximum nesting depth of arrays and dictionaries. */
const MAX_NESTING = 16;
/** Maximum length in bytes of a number, a name or an operator. Some readers have a fixed buffer for each token. */
const MAX_TOKEN = 127;
/** Maximum number of digits before the decimal point. Numbers of ten digits can exceed 32 bits. */
const MAX_DIGITS = 9;

/** Classes of bytes. `DIGIT` and all later classes consist of regular characters (ISO 32000-2, 7.2.3). */
const WHITE = 0;
const OPEN_STRING = 1;
const OPEN_ANGLE = 2;
const CLOSE_ANGLE = 3;
const OPEN_ARRAY = 4;
const CLOSE_ARRAY = 5;
const OPEN_NAME = 6;
const OPEN_COMMENT = 7;
const STRAY = 8;
const DIGIT = 9;
const SIGN = 10;
const POINT = 11;
const LETTER = 12;

const CLASS = new Uint8Array(256).fill(LETTER);
for (let code = 0; code < 256; code++) if (isWhite(code)) CLASS[code] = WHITE;
for (const [characters, kind] of [
  ["(", OPEN_STRING],
  ["<", OPEN_ANGLE],
  [">", CLOSE_ANGLE],
  ["[", OPEN_ARRAY],
  ["]", CLOSE_ARRAY],
  ["/", OPEN_NAME],
  ["%", OPEN_COMMENT],
  ["){}", STRAY],
  ["0123456789", DIGIT],
  ["+-", SIGN],
  [".", POINT],
] as const)
  for (const character of characters) CLASS[character.charCodeAt(0)] = kind;

/** Lookup table by byte value: whether the byte may be in a hexadecimal string. */
const IS_HEX = CLASS.map((kind, code) => Number(kind === WHITE || /[\dA-Fa-f]/.test(String.fromCharCode(code))));

/** Bit that stands for the color space of an inline image. The key is the number of color components. */
const COLORS_OF_IMAGE: Record<number, number> = { 3: DEVICE_RGB, 4: DEVICE_CMYK };

/** State of the surrounding operands, which is saved while an array or dictionary is open. */
interface Frame {
  readonly isArray: boolean;
  readonly kinds: number;
  readonly count: number;
  readonly seen: number;
  readonly keys: number;
}

/** Checks page content, stream after stream. */
class ContentSyntax {
  /** Bit set of the color spaces that the content checked so far selects; see `DEVICE_RGB` in operators.ts. */
  colors = 0;
  /**
   * Number of operators that name a resource, by the category of the resource. The last element counts the other
   * operators.
   */
  readonly uses = new Uint32Array(CATEGORIES.length + 1);
  #isMalformed = false;
  /**
   * Whether the previous stream ended with a regular character. Some readers then continue the last token of that
   * stream in the next stream.
   */
  #mayContinue = false;

  /** Kinds of the current operands, three bits each. The lowest three bits are the last operand. */
  #kinds = 0;
  #count = 0;
  /** Bit set of the kinds of the current operands. */
  #seen = 0;
  /** Number of names among the operands at even positions. In a dictionary, these are the positions of keys. */
  #keys = 0;
  readonly #frames: Frame[] = [];

  /** The kind of graphics object that is open, such as a path or a text object. */
  #object = PAGE;
  #saved = 0;
  #sequences = 0;
  #compatibility = 0;

  readonly #isTagged: boolean;

  /** @param isTagged whether the content belongs to the structure of a tagged PDF; see {@link checkContent} */
  constructor(isTagged: boolean) {
    this.#isTagged = isTagged;
  }

  /** Reads a stream. The end of a stream also ends a token (ISO 32000-2, 7.8.2). */
  read(bytes: Uint8Array): void {
    if (!this.#isMalformed && !this.#scan(bytes, bytes.length)) this.#isMalformed = true;
  }

  /** Returns whether the content is well-formed and leaves nothing open. */
  finish(): boolean {
    const open =
      this.#frames.length + this.#count + this.#saved + this.#sequences + this.#compatibility + (this.#object - PAGE);
    return !this.#isMalformed && open === 0;
  }

  /** Reads the bytes up to `end`. Returns whether these bytes are well-formed. */
  #scan(bytes: Uint8Array, end: number): boolean {
    if (end === 0) return true;
    if (this.#mayContinue && CLASS[bytes[0]!]! >= DIGIT && !this.#isTagged) return false;
    this.#mayContinue = CLASS[bytes[end - 1]!]! >= DIGIT;
    let kinds = this.#kinds;
    let count = this.#count;
    let seen = this.#seen;
    let at = 0;
    while (at < end) {
      const start = at;
      const kind = CLASS[bytes[at]!]!;
      if (kind === WHITE) {
        at++;
        continue;
      }
      if (kind >= DIGIT && kind < LETTER) {
        if (kind === SIGN) at++;
        const first = at;
        while (at < end && CLASS[bytes[at]!] === DIGIT) at++;
        let digits = at - first;
        if (digits > MAX_DIGITS) return false;
        if (at < end && bytes[at] === PERIOD) {
          const point = at++;
          while (at < end && CLASS[bytes[at]!] === DIGIT) at++;
          digits += at - point - 1;
        }
        if (digits === 0 || at - start > MAX_TOKEN || (at < end && CLASS[bytes[at]!]! >= DIGIT)) return false;
        kinds = (kinds << 3) | NUMBER;
        seen |= 1 << NUMBER;
        count++;
        continue;
      }
      if (kind === LETTER) {
        let packed = bytes[at++]!;
        for (let shift = 8; at < end && CLASS[bytes[at]!]! >= DIGIT; shift += 8, at++)
          if (shift < 32) packed |= bytes[at]! << shift;
        const length = at - start;
        if (length > MAX_TOKEN) return false;
        const slot = length <= 3 ? slotOf(packed) : -1;
        if (slot < 0) {
          if (isConstant(bytes, start, length)) {
            kinds = (kinds << 3) | OTHER;
            seen |= 1 << OTHER;
            count++;
            continue;
          }
          if (this.#compatibility === 0 || this.#frames.length > 0 || count > MAX_OPERANDS) return false;
        } else {
          const isAllowed = ((WHERE[slot]! >> this.#object) & 1) === 1 && this.#frames.length === 0;
          if (!isAllowed) return false;
          if (kinds !== SIGNATURE[slot] && kinds !== OTHER_SIGNATURE[slot]) {
            // The operands of a color operator must be numbers. In untagged content, a pattern name counts as
            // malformed, because pdf.js stops at a missing pattern.
            const isColor = seen === 1 << NUMBER || (this.#isTagged && isColorOrPattern(seen));
            if (SIGNATURE[slot] !== VARIABLE || !isColor || count > MAX_OPERANDS) return false;
          }
          if (COLOR[slot] !== 0) this.colors |= COLOR[slot]!;
          this.uses[CATEGORY[slot]!]!++;
          if (NEXT[slot] !== UNCHANGED) this.#object = NEXT[slot]!;
          const effect = EFFECT[slot]!;
          if (effect === BEGIN_IMAGE) {
            const image = readInlineImage(bytes, at, end);
            this.colors |= COLORS_OF_IMAGE[image.components] ?? 0;
            if (image.end < 0) return false;
            at = image.end;
          } else if (effect !== NO_EFFECT && !this.#apply(effect)) return false;
        }
        kinds = count = seen = 0;
        continue;
      }
      if (kind === OPEN_NAME) {
        at++;
        while (at < end && CLASS[bytes[at]!]! >= DIGIT) at++;
        if (at - start === 1 || at - start > MAX_TOKEN) return false;
        if (!this.#isTagged && isPattern(bytes, start, at)) return false;
        if ((count & 1) === 0) this.#keys++;
        kinds = (kinds << 3) | NAME;
        seen |= 1 << NAME;
        count++;
        continue;
      }
      if (kind === OPEN_COMMENT) {
        while (at < end && bytes[at] !== LINE_FEED && bytes[at] !== CARRIAGE_RETURN) at++;
        if (at === end) return false;
        continue;
      }
      if (kind === OPEN_STRING || (kind === OPEN_ANGLE && bytes[at + 1] !== bytes[at])) {
        at = kind === OPEN_STRING ? endOfString(bytes, at + 1, end) : endOfHexString(bytes, at + 1, end);
        if (at < 0) return false;
        kinds = (kinds << 3) | STRING;
        seen |= 1 << STRING;
        count++;
        continue;
      }
      // Only arrays are frequent among the tokens that remain here. The code below may therefore use fields, which are
      // slower than local variables.
      if (kind === STRAY) return false;
      if (kind === OPEN_ANGLE || kind === CLOSE_ANGLE) {
        if (bytes[at + 1] !== bytes[at]) return false;
        at++;
      }
      at++;
      if (kind === OPEN_ARRAY || kind === OPEN_ANGLE) {
        if (this.#frames.length === MAX_NESTING) return false;
        this.#frames.push({ isArray: kind === OPEN_ARRAY, kinds, count, seen, keys: this.#keys });
        kinds = count = seen = this.#keys = 0;
      } else {
        const frame = this.#frames.pop();
        if (frame === undefined || frame.isArray !== (kind === CLOSE_ARRAY)) return false;
        if (!frame.isArray && 2 * this.#keys !== count) return false;
        const value = frame.isArray ? arrayKind(seen) : DICTIONARY;
        kinds = (frame.kinds << 3) | value;
        seen = frame.seen | (1 << value);
        count = frame.count + 1;
        this.#keys = frame.keys;
      }
    }
    this.#kinds = kinds;
    this.#count = count;
    this.#seen = seen;
    return true;
  }

  /** Applies an effect of an operator. Returns whether the effect is allowed in the current state. */
  #apply(effect: number): boolean {
    switch (effect) {
      case SAVE:
        return ++this.#saved <= MAX_SAVED;
      case RESTORE:
        return --this.#saved >= 0;
      case BEGIN_SEQUENCE:
        return ++this.#sequences <= MAX_SEQUENCES;
      case END_SEQUENCE:
        return --this.#sequences >= 0;
      case BEGIN_COMPATIBILITY:
        this.#compatibility++;
        return true;
      default:
        return --this.#compatibility >= 0;
    }
  }
}

/** Returns the end of the string whose opening parenthesis precedes `at`, or -1 if the string is not closed. */
function endOfString(bytes: Uint8Array, at: number, end: number): number {
  for (let parens = 1; at < end; ) {
    const code = bytes[at++]!;
    if (code === BACKSLASH) at++;
    else if (code === PAREN_OPEN) parens++;
    else if (code === PAREN_CLOSE && --parens === 0) return at;
  }
  return -1;
}

/** Returns the end of the hexadecimal string whose opening bracket precedes `at`, or -1 if the string is malformed. */
function endOfHexString(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && IS_HEX[bytes[at]!] === 1) at++;
  return at < end && CLASS[bytes[at]!] === CLOSE_ANGLE ? at + 1 : -1;
}

/** The result of a check of page content. */
export interface CheckedContent {
  readonly isWellFormed: boolean;
  /**
   * Bit set of the color spaces that the content selects before its first malformed part; see `DEVICE_RGB` in
   * operators.ts.
   */
  readonly colors: number;
  /** Number of operators that name a resource, by the category of the resource; see `CATEGORIES` in operators.ts. */
  readonly uses: Readonly<ArrayLike<number>>;
}

/**
 * Checks the given streams of a page's /Contents together.
 * @param isTagged whether the content is part of the structure of a tagged PDF (ISO 32000-2, 14.7). Isolation would
 * break this structure. Patterns, and streams that end without white space, therefore count as well-formed in tagged
 * content. A reader may still stop at a missing pattern.
 */
export function checkContent(parts: readonly Uint8Array[], isTagged = false): CheckedContent {
  const syntax = new ContentSyntax(isTagged);
  for (const part of parts) syntax.read(part);
  return { isWellFormed: syntax.finish(), colors: syntax.colors, uses: syntax.uses };
}

function arrayKind(seen: number): number {
  if ((seen & ~(1 << NUMBER)) === 0) return NUMBERS;
  return (seen & ~((1 << NUMBER) | (1 << STRING))) === 0 ? TEXTS : OTHER;
}

const CONSTANTS = ["true", "false", "null"].map((word) => Array.from(word, (letter) => letter.charCodeAt(0)));

function isConstant(bytes: Uint8Array, start: number, length: number): boolean {
  return CONSTANTS.some((word) => word.length === length && word.every((code, i) => bytes[start + i] === code));
}

/** Returns whether the kinds of operands in `seen` may be a color or the name of a pattern. */
function isColorOrPattern(seen: number): boolean {
  return seen !== 0 && (seen & ~((1 << NUMBER) | (1 << NAME))) === 0;
}

const PATTERN = Array.from("/Pattern", (letter) => letter.charCodeAt(0));

/**
 * Returns whether a name is /Pattern, the color space of patterns. pdf.js stops if a color in this space does not name
 * a pattern.
 */
function isPattern(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start === PATTERN.length && PATTERN.every((code, i) => bytes[start + i] === code);
}
