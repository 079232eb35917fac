/** Inline images of page content (ISO 32000-2, 8.9.7). */
import { GREATER_THAN, HASH, LESS_THAN, TILDE } from "../syntax/characters.ts";
import { isWhite, Malformed } from "../syntax/lexer.ts";
import { type Dictionary, parseValue, type Value } from "../syntax/values.ts";
import { eachWellFormedEntry } from "../syntax/wellFormed.ts";

/** Maximum length of an inline image's dictionary. Real ones have less than 200 bytes, and a color table up to 1,536. */
const MAX_DICTIONARY = 2048;
/** Maximum length of unfiltered data. */
const MAX_DATA = 1 << 20;

const UPPER_D = 0x44;
const UPPER_E = 0x45;
const UPPER_I = 0x49;
/** Length in a run-length code that ends the data. */
const END_OF_RUNS = 128;

const IN_DICTIONARY = 0;
/** Unfiltered data, of which `#left` bytes are left. */
const IN_SAMPLES = 1;
/** Data of a filter with an end mark. */
const IN_ASCII85 = 2;
const IN_ASCII_HEX = 3;
const IN_RUNS = 4;
/** Behind the data. */
const AT_WHITE = 5;
const AT_E = 6;
const AT_I = 7;
const AT_END = 8;

const FILTERS = new Map([
  ["ASCII85Decode", IN_ASCII85],
  ["A85", IN_ASCII85],
  ["ASCIIHexDecode", IN_ASCII_HEX],
  ["AHx", IN_ASCII_HEX],
  ["RunLengthDecode", IN_RUNS],
  ["RL", IN_RUNS],
]);
/** Filters that may follow one of these. */
const OTHER_FILTERS = new Set(["FlateDecode", "Fl", "LZWDecode", "LZW", "CCITTFaxDecode", "CCF", "DCTDecode", "DCT"]);
const COMPONENTS = new Map([
  ["DeviceGray", 1],
  ["G", 1],
  ["DeviceRGB", 3],
  ["RGB", 3],
  ["DeviceCMYK", 4],
  ["CMYK", 4],
  ["Indexed", 1],
  ["I", 1],
]);

/**
 * Recognizes the part of an inline image behind `BI`. Readers find the end of the data in different ways, so an image is
 * well-formed only if all of them find the same end: unfiltered data of the length that the dictionary says, or data of a
 * filter with a visible end mark. Others, such as Flate and CCITT data, would have to be decoded.
 */
export class InlineImage {
  isMalformed = false;
  isEnded = false;
  /** Number of components of the image's colors, once its dictionary has been read; 1 for an indexed image. */
  components = 0;
  #state = IN_DICTIONARY;
  readonly #dictionary = new Uint8Array(MAX_DICTIONARY);
  #length = 0;
  #left = 0;
  /** The last two bytes of the data. */
  #last = 0;

  /** Whether the content may end here: only the byte behind `EI` is missing. */
  get isComplete(): boolean {
    return this.#state === AT_END;
  }

  /** Reads on from `at`. Returns the offset behind the image, or `end`. */
  read(bytes: Uint8Array, at: number, end: number): number {
    while (at < end) {
      if (this.#state === AT_END) {
        this.isEnded = isWhite(bytes[at]!);
        this.isMalformed = !this.isEnded;
        return at;
      }
      this.#add(bytes[at++]!);
      if (this.isMalformed) return at;
    }
    return at;
  }

  #add(code: number): void {
    const before = this.#last;
    this.#last = ((before << 8) | code) & 0xffff;
    switch (this.#state) {
      case IN_DICTIONARY:
        if (isWhite(code) && before === ((UPPER_I << 8) | UPPER_D)) this.#describe();
        else if (this.#length === MAX_DICTIONARY) this.isMalformed = true;
        else this.#dictionary[this.#length++] = code;
        break;
      case IN_SAMPLES:
        // Some readers take the first `EI` before white space for the end.
        if (isWhite(code) && before === ((UPPER_E << 8) | UPPER_I)) this.isMalformed = true;
        if (--this.#left === 0) this.#state = AT_WHITE;
        break;
      case IN_ASCII85:
        if (before % 256 === TILDE) {
          this.isMalformed = code !== GREATER_THAN;
          this.#state = AT_WHITE;
        } else this.isMalformed = code > TILDE;
        break;
      case IN_ASCII_HEX:
        if (code === GREATER_THAN) this.#state = AT_WHITE;
        else this.isMalformed = !isWhite(code) && Number.isNaN(Number.parseInt(String.fromCharCode(code), 16));
        break;
      case IN_RUNS:
        if (isWhite(code) && before === ((UPPER_E << 8) | UPPER_I)) this.isMalformed = true;
        if (this.#left > 0) this.#left--;
        else if (code === END_OF_RUNS) this.#state = AT_WHITE;
        else this.#left = code < END_OF_RUNS ? code + 1 : 1;
        break;
      case AT_WHITE:
        this.isMalformed = !isWhite(code);
        this.#state = AT_E;
        break;
      case AT_E:
        if (isWhite(code)) break;
        this.isMalformed = code !== UPPER_E;
        this.#state = AT_I;
        break;
      case AT_I:
        this.isMalformed = code !== UPPER_I;
        this.#state = AT_END;
        break;
    }
  }

  /** Reads the dictionary, and sets where its data end. */
  #describe(): void {
    // The two letters of `ID` are replaced by the end of the dictionary.
    const text = new Uint8Array(this.#length + 2);
    text[0] = text[1] = LESS_THAN;
    text.set(this.#dictionary.subarray(0, this.#length - 2), 2);
    text[this.#length] = text[this.#length + 1] = GREATER_THAN;
    const entries = dictionaryOf(text);
    this.#state = entries ? this.#dataOf(entries) : -1;
    this.isMalformed = this.#state < 0;
    this.#last = 0;
  }

  /** Returns the state for data with this dictionary; -1 if their end is not certain. */
  #dataOf(entries: Dictionary): number {
    let isAmbiguous = false;
    const get = (short: string, long: string) => {
      if (entries.has(short) && entries.has(long)) isAmbiguous = true;
      return entries.get(short) ?? entries.get(long);
    };
    const size = (value: Value | undefined) =>
      typeof value === "number" && Number.isInteger(value) && value > 0 && value < 1 << 16 ? value : 0;
    const [width, height] = [size(get("W", "Width")), size(get("H", "Height"))];
    const isMask = get("IM", "ImageMask") === true;
    const bits = isMask ? 1 : size(get("BPC", "BitsPerComponent"));
    const space = get("CS", "ColorSpace");
    const family = Array.isArray(space) ? space[0] : space;
    const components = isMask ? 1 : typeof family === "string" ? (COMPONENTS.get(family) ?? 0) : 0;
    this.components = components;
    const length = height * Math.ceil((width * bits * components) / 8);
    if (length === 0 || length > MAX_DATA || ![1, 2, 4, 8].includes(bits)) return -1;
    const filters = get("F", "Filter");
    if (isAmbiguous || entries.has("L") || entries.has("Length")) return -1;
    const [filter, ...others] = Array.isArray(filters) ? filters : [filters];
    if (filter === undefined) {
      this.#left = length;
      return IN_SAMPLES;
    }
    const isKnown = others.every(
      (other) => typeof other === "string" && (FILTERS.has(other) || OTHER_FILTERS.has(other)),
    );
    return isKnown && typeof filter === "string" ? (FILTERS.get(filter) ?? -1) : -1;
  }
}

/** Parses a dictionary. Returns undefined if it is malformed or has a key twice. */
function dictionaryOf(text: Uint8Array): Dictionary | undefined {
  try {
    let count = 0;
    if (text.includes(HASH) || eachWellFormedEntry(text, 0, () => count++) !== text.length) return undefined;
    const entries = parseValue(text, 0);
    return entries instanceof Map && entries.size === count ? entries : undefined;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
