/** Reads JSON as it arrives (RFC 8259): the long files in it are received, and only the rest is text. */
import { Problem } from "../shared/problems.ts";
import {
  inPieces,
  isBase64,
  isDataUri,
  KEPT_UNITS,
  LONG_TEXT_BYTES,
  latin1,
  MAX_TEXT_BYTES,
  MalformedFile,
  receiveInline,
} from "./inlineFile.ts";
import type { MemoryShare } from "./memory.ts";
import { joined, type ReceiveLimits } from "./receive.ts";
import { RefusedUpload } from "./refusedUpload.ts";
import { TextMemory } from "./textMemory.ts";
import { UPLOAD_FIRST, type Upload } from "./upload.ts";

const [QUOTE, BACKSLASH, LETTER_U] = [0x22, 0x5c, 0x75];
const LINE_FEED = Buffer.from("\n");

/** The key before a string, and how far it is looked for. */
const KEY = /"(\w{1,20})"\s*:\s*"$/;
const BEFORE = 1000;
/** The keys of files: of the fields, of attachments, and of embedded resources (MCP). */
const FILES = ["file", "image", "blob", "data", "uri", "download_url"];
/** Those that may be base64 alone. */
const BARE = ["image", "blob", "data"];
/** As many files as a request has. */
const MAX_FILES = 2;
/** An escape that another one has to follow (RFC 8259, 7). */
const FIRST_HALF = /^\\u[dD][89abAB]/;
/** How many bytes of a string are looked at, to see whether it is base64. */
const BEGINNING = 1000;

/** A JSON text and the files that were in it. */
export class ReceivedJson {
  /** In the place of each file is a name that nobody can have known. */
  readonly text: string;
  /** For who finds nothing wrong with it: it has a string that is too long, and of which but the beginning is left. */
  readonly tooLong: Problem | undefined;
  readonly #files: ReadonlyMap<unknown, Upload>;

  constructor(text: string, files: ReadonlyMap<unknown, Upload> = new Map(), tooLong?: Problem) {
    this.text = text;
    this.#files = files;
    this.tooLong = tooLong;
  }

  /**
   * Parses the text, with an {@link Upload} for each file: one that is refused is a RefusedUpload.
   * @throws SyntaxError
   */
  parse(): unknown {
    if (this.#files.size === 0) return JSON.parse(this.text);
    return JSON.parse(this.text, (_, value) => this.#files.get(value) ?? value);
  }
}

/**
 * Reads a JSON text, which need not be well-formed. A string of more than {@link LONG_TEXT_BYTES} that is to be a file is
 * received as one, if its key is spelled without escapes.
 * @param announced how long the body is, if it tells
 * @throws Problem body_too_large if more than {@link MAX_TEXT_BYTES} are text, too_busy if there is no room for that,
 * or what `body` throws
 * @throws Error if a file cannot be kept
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
  readonly #text: Text;
  readonly #files = new Map<string, Upload>();
  #refused: RefusedUpload | undefined;
  #tooLong: Problem | undefined;
  /** Whether reading the body has failed. */
  #isBroken = false;
  /** What has come and has not been read. */
  #left: Uint8Array = new Uint8Array();
  /** Where in the text the string begins that is not over. */
  #string: number | undefined;
  /** Whether a backslash in the string is before the next byte, and is not one that is escaped itself. */
  #isEscaped = false;

  constructor(chunks: AsyncIterator<Uint8Array>, limits: ReceiveLimits, announced: number | undefined) {
    this.#chunks = chunks;
    this.#limits = limits;
    this.#announced = announced;
    this.#text = new Text(limits.memory);
  }

  async read(): Promise<ReceivedJson> {
    while (this.#left.length > 0 || (await this.#readOn())) {
      const string = this.#readText();
      if (string === undefined) continue;
      const key = this.#keyOfFile(string);
      await (key === undefined ? this.#shorten(string) : this.#receiveFile(key, string));
    }
    return new ReceivedJson(this.#text.toString(), this.#files, this.#tooLong);
  }

  async #readOn(): Promise<boolean> {
    this.#isBroken = true;
    const { done, value } = await this.#chunks.next();
    this.#isBroken = false;
    this.#left = done ? new Uint8Array() : value;
    return !done;
  }

  /** Reads on, to where a string becomes long at most: returns where that begins. */
  #readText(): number | undefined {
    const [bytes, start] = [this.#left, this.#text.length];
    for (let at = 0; at < bytes.length; at++) {
      const code = bytes[at];
      if (this.#string === undefined) {
        if (code === QUOTE) this.#string = start + at + 1;
      } else if (code === QUOTE && !this.#isEscaped) {
        this.#string = undefined;
      } else {
        this.#isEscaped = code === BACKSLASH && !this.#isEscaped;
        if (start + at - this.#string !== LONG_TEXT_BYTES) continue;
        this.#text.add(bytes.subarray(0, at + 1));
        this.#left = bytes.subarray(at + 1);
        return this.#string;
      }
    }
    this.#text.add(bytes);
    this.#left = new Uint8Array();
    return undefined;
  }

  /** Returns the key of a string that is to be a file, by how it begins. */
  #keyOfFile(string: number): string | undefined {
    const { bytes } = this.#text;
    const key = KEY.exec(latin1(bytes.subarray(Math.max(0, string - BEFORE), string)))?.[1] ?? "";
    if (!FILES.includes(key) || this.#files.size === MAX_FILES) return undefined;
    const beginning = latin1(bytes.subarray(string, string + BEGINNING));
    return isDataUri(beginning) || (BARE.includes(key) && isBase64(beginning)) ? key : undefined;
  }

  async #receiveFile(key: string, string: number): Promise<void> {
    const pieces = joined(this.#text.cut(string), this.#restOfString());
    const name = crypto.randomUUID();
    this.#text.add(Buffer.from(name));
    try {
      const isMost = key !== "image"; // nearly all of a long body is its PDF
      const file = () => receiveInline(pieces, new StringDecoder(), this.#limits, this.#announced, isMost);
      this.#files.set(name, this.#refused ?? (await file()));
    } catch (error) {
      if (this.#isBroken) throw error;
      if (error instanceof SyntaxError)
        this.#text.add(LINE_FEED); // which none in a string is: what was no JSON is none
      else if (error instanceof Problem || error instanceof MalformedFile) {
        this.#refused = new RefusedUpload(error);
        this.#files.set(name, this.#refused);
      } else throw error;
    }
    for await (const _ of this.#restOfString());
  }

  /** Leaves of a string that is too long as much as tells what is wrong with it. */
  async #shorten(string: number): Promise<void> {
    this.#text.cut(afterUnits(KEPT_UNITS, this.#text.bytes, string));
    this.#tooLong ??= new Problem(
      "body_too_large",
      `The body has a string of more than ${LONG_TEXT_BYTES} bytes that is no file: those are data URIs, and base64 in \`image\`. Send a URL as \`file\` instead, or ${UPLOAD_FIRST}.`,
    );
    for await (const _ of this.#restOfString());
  }

  /** Yields what is left of the string, up to its quote. */
  async *#restOfString(): AsyncGenerator<Uint8Array, undefined> {
    do {
      const bytes = this.#left;
      const end = closingQuote(bytes, this.#isEscaped);
      this.#isEscaped = end === undefined && isEscapedAt(bytes.length, bytes, this.#isEscaped);
      this.#left = bytes.subarray(end ?? bytes.length);
      yield bytes.subarray(0, end);
      if (end !== undefined) return;
    } while (await this.#readOn());
  }
}

/** Returns the offset behind about so many characters and escapes of a string, each whole, and no half of a pair. */
function afterUnits(count: number, bytes: Uint8Array, start: number): number {
  let [at, last] = [start, start];
  for (let units = 0; units < count; units++) {
    last = at;
    if (bytes[at] === BACKSLASH) at += bytes[at + 1] === LETTER_U ? 6 : 2;
    else
      do at++;
      while ((bytes[at]! & 0xc0) === 0x80);
  }
  return FIRST_HALF.test(latin1(bytes.subarray(last, at))) ? last : at;
}

/** Returns where in a part of a string the quote is that ends it. */
function closingQuote(bytes: Uint8Array, isFirstEscaped: boolean): number | undefined {
  for (let at = bytes.indexOf(QUOTE); at >= 0; at = bytes.indexOf(QUOTE, at + 1))
    if (!isEscapedAt(at, bytes, isFirstEscaped)) return at;
  return undefined;
}

/** Returns whether an odd number of backslashes is before a place in a part of a string. */
function isEscapedAt(at: number, bytes: Uint8Array, isFirstEscaped: boolean): boolean {
  let first = at;
  while (first > 0 && bytes[first - 1] === BACKSLASH) first--;
  const backslashes = at - first + (first === 0 && isFirstEscaped ? 1 : 0);
  return backslashes % 2 === 1;
}

/** Decodes the escapes in the pieces of a string. What is not ASCII becomes other letters, and none of base64's. */
class StringDecoder {
  #rest = "";

  /** @throws SyntaxError */
  decode(piece?: Uint8Array): string {
    const text = this.#rest + (piece ? latin1(piece) : "");
    const last = piece ? text.slice(-5).indexOf("\\") : -1; // it may go on in the next piece: \u002B
    const end = last < 0 ? text.length : Math.max(0, text.length - 5) + last;
    this.#rest = text.slice(end);
    return JSON.parse(`"${text.slice(0, end)}"`);
  }
}

/** What is text, as UTF-8. */
class Text {
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

  /** Takes all from an offset on out of the text, and returns it in pieces. */
  cut(from: number): Uint8Array[] {
    const pieces = inPieces(this.bytes.subarray(from));
    this.#memory.give(this.#bytes.length - from);
    this.#bytes = Buffer.from(this.bytes.subarray(0, from));
    this.#length = from;
    return pieces;
  }

  /** Decodes all that has come. */
  toString(): string {
    this.#memory.takeToRead();
    return new TextDecoder().decode(this.bytes);
  }
}

function tooMuchText(): Problem {
  return new Problem(
    "body_too_large",
    `The body has more than ${MAX_TEXT_BYTES} bytes beside its files, or is not JSON: files are data URIs in \`file\` and \`image\`, in double quotes. Send the PDF by itself as application/pdf, or a URL as \`file\`, or ${UPLOAD_FIRST}.`,
  );
}
