/** Reads JSON as it arrives (RFC 8259): the long files in it are received, and only the rest is text. */
import { Problem } from "../problems.ts";
import {
  decoding,
  isDataUri,
  LONG_TEXT_BYTES,
  latin1,
  MAX_TEXT_BYTES,
  receiveInline,
  TEXT_MEMORY,
} from "./inlineFile.ts";
import { type MemoryShare, noRoom } from "./memory.ts";
import { joined, type ReceiveLimits } from "./receive.ts";
import { UPLOAD_FIRST, type Upload } from "./upload.ts";

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** The key before a string. */
const KEY = /"(\w{1,20})"\s*:\s*"$/;
/** Keys in `file` and `image` that hold what these are: of attachments, and of embedded resources (MCP). */
const WITHIN = ["blob", "data", "uri", "download_url"];
/** Keys whose strings may be base64 alone. */
const BARE = ["image", "blob", "data"];
/** More files than a request has are text. */
const MAX_FILES = 2;

/** A JSON text and the files that were in it. */
export class ReceivedJson {
  /** In the place of each file is a name that nobody can have known. */
  readonly text: string;
  /** What is wrong with a file. */
  readonly refusal: Problem | undefined;
  readonly #files: ReadonlyMap<unknown, Upload>;

  constructor(text: string, files: ReadonlyMap<unknown, Upload> = new Map(), refusal?: Problem) {
    this.text = text;
    this.#files = files;
    this.refusal = refusal;
  }

  /**
   * Parses the text, with an {@link Upload} for each file.
   * @throws SyntaxError
   */
  parse(): unknown {
    if (this.#files.size === 0) return JSON.parse(this.text);
    return JSON.parse(this.text, (_, value) => this.#files.get(value) ?? value);
  }
}

/**
 * Reads a JSON text, which need not be well-formed. A string of more than {@link LONG_TEXT_BYTES} that is to be a file is
 * received as one; what is wrong with it is for the reader to throw, once it is known what the JSON is.
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
  #refusal: Problem | undefined;
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
      const field = this.#readText();
      if (field !== undefined) await this.#receiveFile(field, this.#string!);
    }
    return new ReceivedJson(new TextDecoder().decode(this.#text.bytes), this.#files, this.#refusal);
  }

  async #readOn(): Promise<boolean> {
    this.#isBroken = true;
    const { done, value } = await this.#chunks.next();
    this.#isBroken = false;
    this.#left = done ? new Uint8Array() : value;
    return !done;
  }

  /** Reads on, to where a string becomes long at most: returns the field whose file that is, if it is one. */
  #readText(): string | undefined {
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
        return this.#fieldAt(this.#string);
      }
    }
    this.#text.add(bytes);
    this.#left = new Uint8Array();
    return undefined;
  }

  /** Returns the field that a string belongs to, if that is a file, by what is before the string and its beginning. */
  #fieldAt(string: number): string | undefined {
    if (this.#files.size === MAX_FILES) return undefined;
    const before = latin1(this.#text.bytes.subarray(0, string));
    const key = KEY.exec(before.slice(-50))?.[1] ?? "";
    if (!BARE.includes(key) && !isDataUri(latin1(this.#text.bytes.subarray(string, string + 5)))) return undefined;
    if (key === "file" || key === "image") return key;
    if (!WITHIN.includes(key)) return undefined;
    return before.lastIndexOf('"image"') > before.lastIndexOf('"file"') ? "image" : "file";
  }

  async #receiveFile(field: string, string: number): Promise<void> {
    const beginning = this.#text.cut(string);
    const texts = unescaped(joined(beginning, this.#restOfString()), field);
    const expected = field === "file" ? this.#announced : 0; // nearly all of a long body is its PDF
    const name = crypto.randomUUID();
    this.#text.add(Buffer.from(name));
    try {
      if (!this.#refusal)
        this.#files.set(name, await receiveInline(texts, field, this.#limits, this.#announced, expected));
    } catch (error) {
      if (this.#isBroken || !(error instanceof Problem)) throw error;
      this.#refusal = error;
    }
    if (this.#refusal) for await (const _ of this.#restOfString());
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

/** Decodes the escapes in the pieces of a string. */
async function* unescaped(pieces: AsyncIterable<Uint8Array>, field: string): AsyncGenerator<string, undefined> {
  const decode = (text: string) => decoding(field, () => JSON.parse(`"${text}"`) as string);
  let rest = "";
  for await (const piece of pieces) {
    const text = rest + latin1(piece);
    const last = text.slice(-5).indexOf("\\"); // it may go on in the next piece: \u002B
    const end = last < 0 ? text.length : text.length - text.slice(-5).length + last;
    rest = text.slice(end);
    yield decode(text.slice(0, end));
  }
  yield decode(rest);
}

/** What is text, as UTF-8. Takes memory for those who read it, too. */
class Text {
  #bytes = Buffer.alloc(0);
  #length = 0;
  readonly #memory: MemoryShare;

  constructor(memory: MemoryShare) {
    this.#memory = memory;
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > MAX_TEXT_BYTES)
      throw new Problem(
        "body_too_large",
        `The body has more than ${MAX_TEXT_BYTES} bytes beside its files, which are data URIs in \`file\` and \`image\`. Send a URL as \`file\` instead, or ${UPLOAD_FIRST}.`,
      );
    if (length > this.#bytes.length) {
      const size = Math.max(length, Math.min(2 * this.#bytes.length, MAX_TEXT_BYTES));
      if (!this.#memory.take(TEXT_MEMORY * (size - this.#bytes.length))) throw noRoom();
      const larger = Buffer.alloc(size);
      larger.set(this.bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
  }

  /** Takes all from an offset on out of the text, and returns it. */
  cut(from: number): Buffer {
    const rest = Buffer.from(this.bytes.subarray(from));
    this.#memory.give(TEXT_MEMORY * (this.#bytes.length - from));
    this.#bytes = Buffer.from(this.bytes.subarray(0, from));
    this.#length = from;
    return rest;
  }
}
