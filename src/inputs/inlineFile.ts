/** Files that are written into a request: data URIs (RFC 2397) and bare base64 (RFC 4648), in either alphabet. */
import { Problem } from "../shared/problems.ts";
import type { ReceiveLimits } from "./receive.ts";
import { receiveUpload } from "./receiveUpload.ts";
import type { Upload } from "./upload.ts";

/** A text that is longer can only be a file. As long as an MCP message of a stranger, so that no way in reads it otherwise. */
export const LONG_TEXT_BYTES = 256 * 1024;

/** What is kept of a longer one, for who tells what is wrong with it: more UTF-16 code units than any field may have. */
export const KEPT_UNITS = 2200;

/** What the texts of a request may have together, beside its long files. */
export const MAX_TEXT_BYTES = 1_000_000;

/** A beginning is decoded in pieces of so many bytes: all that is before the comma of a data URI is in the first one. */
const PIECE = 64 * 1024;

/** How a long text begins that is base64, escaped as in JSON or not. One that begins with a slash is a JPEG's, or a path. */
const BASE64 = /^(?!\\?\/(?!9j))[\w+/=\\\s-]{1000}/;

/** Returns whether a text is a data URI, by how it begins. */
export function isDataUri(text: string): boolean {
  return /^data:/i.test(text);
}

/** A file that is written neither as a data URI in base64 nor as base64. Its message is the end of a sentence. */
export class MalformedFile extends Error {}

/** Returns an error as the Problem of a field, if it is a {@link MalformedFile}. */
export function problemOfFile(error: unknown, path: string): unknown {
  if (!(error instanceof MalformedFile)) return error;
  const { message, cause } = error;
  return new Problem("invalid_request", `\`${path}\` ${message}.`, { errors: [{ path, message }], cause });
}

/**
 * Returns the base64 of a data URI; bare base64 is returned as it is.
 * @throws MalformedFile
 */
export function payloadOf(source: string): string {
  if (!isDataUri(source)) return source;
  const comma = source.indexOf(",");
  if (comma < 0 || !/;\s*base64$/i.test(source.slice(0, comma)))
    throw new MalformedFile("must be a base64 data URI: data:<type>;base64,<data>");
  return source.slice(comma + 1);
}

/**
 * Decodes base64, with white space or without, and with or without padding.
 * @throws MalformedFile
 */
export function decodeBase64(text: string, alphabet = alphabetOf(text)): Uint8Array<ArrayBuffer> {
  return decoding(() => Uint8Array.fromBase64(text, { alphabet: alphabet ?? "base64" }));
}

/** Returns whether a long text may be base64, by how it begins. */
export function isBase64(text: string): boolean {
  return BASE64.test(text);
}

/** Returns the beginning of a file in pieces for {@link receiveInline}, of which each can be let go once it is decoded. */
export function inPieces(beginning: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < beginning.length; at += PIECE) pieces.push(Buffer.from(beginning.subarray(at, at + PIECE)));
  return pieces;
}

/** Returns bytes as text in which ASCII is itself. */
export function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

/** Makes text of bytes as they come; the rest, if nothing more comes. */
interface ToText {
  decode(bytes?: Uint8Array): string;
}

/**
 * Receives a long file as it comes: all of it is never in memory as text.
 * @param pieces the data URI or base64, the first of which has all that is before the comma
 * @param announced how long the body is, if it tells
 * @param isMost whether the file is nearly all of it
 * @throws MalformedFile, or what `pieces` and `toText` throw, or as {@link receiveUpload}
 */
export function receiveInline(
  pieces: AsyncIterable<Uint8Array>,
  toText: ToText,
  limits: ReceiveLimits,
  announced: number | undefined,
  isMost: boolean,
): Promise<Upload> {
  const decoder = new Decoder(toText);
  const bytes = (async function* () {
    // who waits for the next piece keeps nothing of the last one but its bytes
    for await (const piece of pieces) yield decoder.decode(piece);
    yield decoder.decode();
    yield decoder.end();
  })();
  const atMost = announced === undefined ? undefined : Math.ceil((announced * 3) / 4);
  return receiveUpload(bytes, limits, () => {}, atMost, isMost ? atMost : 0);
}

/** Decodes pieces of base64. What each becomes is valid until the next one is decoded. */
class Decoder {
  readonly #toText: ToText;
  #bytes = new Uint8Array();
  #rest = "";
  #alphabet: Alphabet | undefined;
  #isFirst = true;
  /** Whether there has been padding. */
  #isOver = false;

  constructor(toText: ToText) {
    this.#toText = toText;
  }

  decode(piece?: Uint8Array): Uint8Array {
    const text = this.#toText.decode(piece);
    const base64 = this.#rest + (this.#isFirst ? payloadOf(text) : text);
    this.#isFirst = false;
    const most = Math.ceil((base64.length * 3) / 4);
    if (most > this.#bytes.length) this.#bytes = new Uint8Array(most);
    this.#alphabet ??= alphabetOf(base64);
    const { read, written } = decoding(() =>
      this.#bytes.setFromBase64(base64, {
        alphabet: this.#alphabet ?? "base64",
        lastChunkHandling: "stop-before-partial",
      }),
    );
    if (this.#isOver && written > 0) throw new MalformedFile(NOT_BASE64);
    this.#rest = base64.slice(read).replaceAll(/\s+/g, ""); // less than four characters
    this.#isOver ||= written % 3 !== 0;
    return this.#bytes.subarray(0, written);
  }

  end(): Uint8Array {
    if (this.#isOver && this.#rest !== "") throw new MalformedFile(NOT_BASE64);
    return decodeBase64(this.#rest, this.#alphabet);
  }
}

const NOT_BASE64 = "is not valid base64: encode the whole file as in RFC 4648, and send all of that";

function decoding<T>(decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new MalformedFile(NOT_BASE64, { cause });
  }
}

type Alphabet = "base64" | "base64url";

/** Returns which of the alphabets a text is in (RFC 4648, 4 and 5), if it tells: a mixture is in none. */
function alphabetOf(text: string): Alphabet | undefined {
  if (text.includes("-") || text.includes("_")) return "base64url";
  return text.includes("+") || text.includes("/") ? "base64" : undefined;
}
