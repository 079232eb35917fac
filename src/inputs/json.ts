/**
 * Reads JSON in a streaming fashion (RFC 8259). Long files in the JSON are received separately, and only the remaining
 * JSON is buffered as text.
 */
import { Problem } from "../shared/problems.ts";
import {
  inPieces,
  isBase64,
  isDataUri,
  LONG_TEXT_BYTES,
  latin1,
  MAX_TEXT_BYTES,
  MalformedFile,
  receiveInline,
  TRUNCATED_UNITS,
} from "./inlineFile.ts";
import type { MemoryShare } from "./memory.ts";
import { joined, type ReceiveLimits } from "./receive.ts";
import { RefusedUpload } from "./refusedUpload.ts";
import { TextMemory } from "./textMemory.ts";
import { UPLOAD_FIRST, type Upload } from "./upload.ts";

const [QUOTE, BACKSLASH, LETTER_U] = [0x22, 0x5c, 0x75];
const LINE_FEED = Buffer.from("\n");

/**
 * Matches a JSON key directly before a string value. The pattern is applied to the `KEY_WINDOW` bytes that end at the
 * string's opening quote.
 */
const KEY = /"(\w{1,20})"\s*:\s*"$/;
const KEY_WINDOW = 1000;
/** Keys whose values may be files: request fields, attachments, and embedded resources (MCP). */
const FILE_KEYS = ["file", "image", "blob", "data", "uri", "download_url"];
/** Keys whose values may be bare base64. */
const BARE_BASE64_KEYS = ["file", "image", "blob", "data"];
/** Maximum number of files in a request. */
const MAX_FILES = 2;
/** The escape of a high surrogate. The escape of a low surrogate must follow (RFC 8259, 7). */
const HIGH_SURROGATE = /^\\u[dD][89abAB]/;
/** Number of bytes inspected at the beginning of a string to detect base64. */
const BEGINNING_BYTES = 1000;

/** A JSON text, and the files that were extracted from it. */
export class ReceivedJson {
  /** The text, with each file replaced by a random name that no caller can guess. */
  readonly text: string;
  /**
   * The error for a string that was too long and has been truncated. Throw it only if validation finds no other error.
   */
  readonly tooLong: Problem | undefined;
  readonly #files: ReadonlyMap<unknown, Upload>;

  constructor(text: string, files: ReadonlyMap<unknown, Upload> = new Map(), tooLong?: Problem) {
    this.text = text;
    this.#files = files;
    this.tooLong = tooLong;
  }

  /**
   * Parses the text and puts an {@link Upload} in place of each file, or a RefusedUpload if the file could not be
   * received.
   * @throws SyntaxError
   */
  parse(): unknown {
    if (this.#files.size === 0) return JSON.parse(this.text);
    return JSON.parse(this.text, (_, value) => this.#files.get(value) ?? value);
  }
}

/**
 * Reads a JSON text, which may be malformed. Receives a string as a file if it has more than {@link LONG_TEXT_BYTES}
 * bytes and its key is a file key spelled without escapes.
 * @param announced length of the whole body in bytes, if declared
 * @throws Problem body_too_large if the text exceeds {@link MAX_TEXT_BYTES}; too_busy if memory is short; Problems of
 * `body`
 * @throws Error if a file cannot be stored
 */
export async function readJson(
  body: AsyncIterable<Uint8Array>,
  limits: ReceiveLimits,
  announced?: number,
): Promise<ReceivedJson> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    return await new JsonReader(chunks, limits, announced).read();
  } finally {
    await chunks.return?.();
  }
}

class JsonReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #limits: ReceiveLimits;
  readonly #announced: number | undefined;
  readonly #text: TextBuffer;
  readonly #files = new Map<string, Upload>();
  #refused: RefusedUpload | undefined;
  #tooLong: Problem | undefined;
  /** Whether the latest read of the body has failed. */
  #isBroken = false;
  /** Bytes that have arrived but have not been processed. */
  #unread: Uint8Array = new Uint8Array();
  /** Offset in the text at which the current unterminated string begins. */
  #stringStart: number | undefined;
  /** Whether the next byte of the string is escaped, because an unescaped backslash precedes it. */
  #isEscaped = false;

  constructor(chunks: AsyncIterator<Uint8Array>, limits: ReceiveLimits, announced: number | undefined) {
    this.#chunks = chunks;
    this.#limits = limits;
    this.#announced = announced;
    this.#text = new TextBuffer(limits.memory);
  }

  async read(): Promise<ReceivedJson> {
    while (this.#unread.length > 0 || (await this.#readMore())) {
      const string = this.#readText();
      if (string === undefined) continue;
      const key = this.#keyOfFile(string);
      await (key === undefined ? this.#shorten(string) : this.#receiveFile(key, string));
    }
    return new ReceivedJson(this.#text.toString(), this.#files, this.#tooLong);
  }

  async #readMore(): Promise<boolean> {
    this.#isBroken = true;
    const { done, value } = await this.#chunks.next();
    this.#isBroken = false;
    this.#unread = done ? new Uint8Array() : value;
    return !done;
  }

  /**
   * Processes the unread bytes until a string exceeds {@link LONG_TEXT_BYTES}, and returns the offset of that string.
   * Returns undefined if all unread bytes were processed.
   */
  #readText(): number | undefined {
    const [bytes, start] = [this.#unread, this.#text.length];
    for (let at = 0; at < bytes.length; at++) {
      const code = bytes[at];
      if (this.#stringStart === undefined) {
        if (code === QUOTE) this.#stringStart = start + at + 1;
      } else if (code === QUOTE && !this.#isEscaped) {
        this.#stringStart = undefined;
      } else {
        this.#isEscaped = code === BACKSLASH && !this.#isEscaped;
        if (start + at - this.#stringStart !== LONG_TEXT_BYTES) continue;
        this.#text.add(bytes.subarray(0, at + 1));
        this.#unread = bytes.subarray(at + 1);
        return this.#stringStart;
      }
    }
    this.#text.add(bytes);
    this.#unread = new Uint8Array();
    return undefined;
  }

  /**
   * Returns the key of a string value that begins like a file. Returns undefined if the string is no file, or if
   * values of its key cannot be files.
   */
  #keyOfFile(string: number): string | undefined {
    const { bytes } = this.#text;
    const key = KEY.exec(latin1(bytes.subarray(Math.max(0, string - KEY_WINDOW), string)))?.[1] ?? "";
    if (!FILE_KEYS.includes(key) || this.#files.size === MAX_FILES) return undefined;
    const beginning = latin1(bytes.subarray(string, string + BEGINNING_BYTES));
    return isDataUri(beginning) || (BARE_BASE64_KEYS.includes(key) && isBase64(beginning)) ? key : undefined;
  }

  async #receiveFile(key: string, string: number): Promise<void> {
    const pieces = joined(this.#text.cut(string), this.#restOfString());
    const name = crypto.randomUUID();
    this.#text.add(Buffer.from(name));
    try {
      const isMostOfBody = key !== "image"; // a long body consists almost entirely of the PDF in `file`
      const file = () => receiveInline(pieces, new StringDecoder(), this.#limits, this.#announced, isMostOfBody);
      this.#files.set(name, this.#refused ?? (await file()));
    } catch (error) {
      if (this.#isBroken) throw error;
      if (error instanceof SyntaxError)
        this.#text.add(LINE_FEED); // a raw line feed keeps the string invalid, so that parsing the text fails
      else if (error instanceof Problem || error instanceof MalformedFile) {
        this.#refused = new RefusedUpload(error);
        this.#files.set(name, this.#refused);
      } else throw error;
    }
    for await (const _ of this.#restOfString());
  }

  /**
   * Truncates an overlong string to {@link TRUNCATED_UNITS}. The remaining length is enough for validation to reject
   * the field.
   */
  async #shorten(string: number): Promise<void> {
    this.#text.cut(afterUnits(TRUNCATED_UNITS, this.#text.bytes, string));
    this.#tooLong ??= new Problem(
      "body_too_large",
      `The body has a string of more than ${LONG_TEXT_BYTES} bytes that is not a file. Files are data URIs or base64. Send a URL as \`file\` instead, or ${UPLOAD_FIRST}.`,
    );
    for await (const _ of this.#restOfString());
  }

  /** Yields the rest of the string, without its closing quote. */
  async *#restOfString(): AsyncGenerator<Uint8Array, undefined> {
    do {
      const bytes = this.#unread;
      const end = closingQuote(bytes, this.#isEscaped);
      this.#isEscaped = end === undefined && isEscapedAt(bytes.length, bytes, this.#isEscaped);
      this.#unread = bytes.subarray(end ?? bytes.length);
      yield bytes.subarray(0, end);
      if (end !== undefined) return;
    } while (await this.#readMore());
  }
}

/**
 * Returns the offset after `count` characters or escapes of a string. Never splits a character, an escape or a
 * surrogate pair.
 */
function afterUnits(count: number, bytes: Uint8Array, start: number): number {
  let [at, last] = [start, start];
  for (let units = 0; units < count; units++) {
    last = at;
    if (bytes[at] === BACKSLASH) at += bytes[at + 1] === LETTER_U ? 6 : 2;
    else
      do at++;
      while ((bytes[at]! & 0xc0) === 0x80);
  }
  return HIGH_SURROGATE.test(latin1(bytes.subarray(last, at))) ? last : at;
}

/** Returns the offset of the quote that ends the string. Returns undefined if these bytes do not contain this quote. */
function closingQuote(bytes: Uint8Array, isFirstEscaped: boolean): number | undefined {
  for (let at = bytes.indexOf(QUOTE); at >= 0; at = bytes.indexOf(QUOTE, at + 1))
    if (!isEscapedAt(at, bytes, isFirstEscaped)) return at;
  return undefined;
}

/** Returns whether the byte at an offset is escaped, that is, whether an odd number of backslashes precedes it. */
function isEscapedAt(at: number, bytes: Uint8Array, isFirstEscaped: boolean): boolean {
  let first = at;
  while (first > 0 && bytes[first - 1] === BACKSLASH) first--;
  const backslashes = at - first + (first === 0 && isFirstEscaped ? 1 : 0);
  return backslashes % 2 === 1;
}

/**
 * Decodes the escapes in the pieces of a string. Turns non-ASCII bytes into Latin-1 letters. Base64 decoding rejects
 * these letters.
 */
class StringDecoder {
  #rest = "";

  /** @throws SyntaxError */
  decode(piece?: Uint8Array): string {
    const text = this.#rest + (piece ? latin1(piece) : "");
    const last = piece ? text.slice(-5).indexOf("\\") : -1; // an escape such as \u002B may be split between two pieces
    const end = last < 0 ? text.length : Math.max(0, text.length - 5) + last;
    this.#rest = text.slice(end);
    return JSON.parse(`"${text.slice(0, end)}"`);
  }
}

/** A growing UTF-8 buffer for the text outside files. */
class TextBuffer {
  #bytes = Buffer.alloc(0);
  #length = 0;
  readonly #memory: TextMemory;

  constructor(memory: MemoryShare) {
    this.#memory = new TextMemory(memory, tooMuchText);
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) {
      const size = Math.max(length, Math.min(2 * this.#bytes.length, MAX_TEXT_BYTES));
      this.#memory.take(size - this.#bytes.length);
      const larger = Buffer.alloc(size);
      larger.set(this.bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
  }

  /** Removes everything after an offset and returns it in pieces. */
  cut(from: number): Uint8Array[] {
    const pieces = inPieces(this.bytes.subarray(from));
    this.#memory.free(this.#bytes.length - from);
    this.#bytes = Buffer.from(this.bytes.subarray(0, from));
    this.#length = from;
    return pieces;
  }

  /** Decodes the whole text. */
  toString(): string {
    this.#memory.takeToRead();
    return new TextDecoder().decode(this.bytes);
  }
}

function tooMuchText(): Problem {
  return new Problem(
    "body_too_large",
    `The body has more than ${MAX_TEXT_BYTES} bytes outside its files, or is not JSON. Files are data URIs or base64 in \`file\` and \`image\`, in double quotes. Send the PDF alone as application/pdf, or a URL as \`file\`, or ${UPLOAD_FIRST}.`,
  );
}
