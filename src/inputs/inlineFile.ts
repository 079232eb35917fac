/**
 * Files embedded in a request, as data URIs (RFC 2397) or as bare base64 in the standard or the URL-safe alphabet (RFC
 * 4648).
 */
import { Problem } from "../shared/problems.ts";
import type { ReceiveLimits } from "./receive.ts";
import { receiveUpload } from "./receiveUpload.ts";
import type { Upload } from "./upload.ts";

/**
 * Maximum length of a string that is parsed as text. A longer string can only be a file. The limit equals the maximum
 * length of an unpaid MCP message, so that HTTP and MCP treat strings alike.
 */
export const LONG_TEXT_BYTES = 256 * 1024;

/**
 * Length, in UTF-16 code units, to which an overlong string is truncated. It exceeds the limit of every field, so
 * validation still rejects the string.
 */
export const TRUNCATED_UNITS = 2200;

/** Maximum total size of a request's text, in bytes, excluding its files. */
export const MAX_TEXT_BYTES = 1_000_000;

/**
 * Size of the pieces in which the buffered beginning of a file is decoded. The first piece contains everything before
 * the comma of a data URI.
 */
const PIECE_BYTES = 64 * 1024;

/**
 * The beginning of a long base64 string, JSON-escaped or not. A string that begins with a slash is a path, unless it
 * begins like a JPEG (`/9j`).
 */
const BASE64_BEGINNING = /^(?!\\?\/(?!9j))[\w+/=\\\s-]{1000}/;

/** Returns whether a text begins like a data URI. */
export function isDataUri(text: string): boolean {
  return /^data:/i.test(text);
}

/**
 * Thrown for a file that is neither a base64 data URI nor valid base64. The message completes a sentence that begins
 * with the field name.
 */
export class MalformedFile extends Error {}

/** Converts a {@link MalformedFile} to a Problem for the field `path`. Returns other errors unchanged. */
export function problemOfFile(error: unknown, path: string): unknown {
  if (!(error instanceof MalformedFile)) return error;
  const { message, cause } = error;
  return new Problem("invalid_request", `\`${path}\` ${message}.`, { errors: [{ path, message }], cause });
}

/**
 * Returns the base64 part of a data URI. Returns bare base64 unchanged.
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
 * Decodes base64. Allows white space and missing padding.
 * @throws MalformedFile
 */
export function decodeBase64(text: string, alphabet = alphabetOf(text)): Uint8Array<ArrayBuffer> {
  return decoding(() => Uint8Array.fromBase64(text, { alphabet: alphabet ?? "base64" }));
}

/** Returns whether a long text begins like base64. */
export function isBase64(text: string): boolean {
  return BASE64_BEGINNING.test(text);
}

/**
 * Copies the buffered beginning of a file into pieces for {@link receiveInline}. Each piece can be freed as soon as it
 * is decoded.
 */
export function inPieces(beginning: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < beginning.length; at += PIECE_BYTES)
    pieces.push(Buffer.from(beginning.subarray(at, at + PIECE_BYTES)));
  return pieces;
}

/** Decodes bytes as Latin-1, which leaves ASCII unchanged. */
export function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

/** A streaming decoder from bytes to text. A call without bytes flushes the buffered rest. */
interface ToText {
  decode(bytes?: Uint8Array): string;
}

/**
 * Receives a long embedded file in a streaming fashion, without holding all of its text in memory.
 * @param pieces the data URI or base64; the first piece contains everything before the comma
 * @param announced length of the whole request body in bytes, if declared
 * @param isMostOfBody whether the file makes up nearly the whole body
 * @throws MalformedFile if the text is not a valid data URI or base64
 * @throws the errors of `pieces`, of `toText` and of {@link receiveUpload}
 */
export function receiveInline(
  pieces: AsyncIterable<Uint8Array>,
  toText: ToText,
  limits: ReceiveLimits,
  announced: number | undefined,
  isMostOfBody: boolean,
): Promise<Upload> {
  const decoder = new Decoder(toText);
  const bytes = (async function* () {
    // no variable refers to the text of a piece, so that the text can be freed while the next piece is awaited
    for await (const piece of pieces) yield decoder.decode(piece);
    yield decoder.decode();
    yield decoder.end();
  })();
  const atMost = announced === undefined ? undefined : Math.ceil((announced * 3) / 4);
  return receiveUpload(bytes, limits, () => {}, atMost, isMostOfBody ? atMost : 0);
}

/** Decodes base64 piece by piece. The returned bytes are valid until the next call. */
class Decoder {
  readonly #toText: ToText;
  #bytes = new Uint8Array();
  #rest = "";
  #alphabet: Alphabet | undefined;
  #isFirst = true;
  /** Whether padding has been read. No data may follow the padding. */
  #isPadded = false;

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
    if (this.#isPadded && written > 0) throw new MalformedFile(NOT_BASE64);
    // keeps the incomplete last group, which has fewer than four characters
    this.#rest = base64.slice(read).replaceAll(/\s+/g, "");
    this.#isPadded ||= written % 3 !== 0;
    return this.#bytes.subarray(0, written);
  }

  end(): Uint8Array {
    if (this.#isPadded && this.#rest !== "") throw new MalformedFile(NOT_BASE64);
    return decodeBase64(this.#rest, this.#alphabet);
  }
}

const NOT_BASE64 = "is not valid base64: encode the whole file as in RFC 4648 and send the complete result";

function decoding<T>(decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new MalformedFile(NOT_BASE64, { cause });
  }
}

type Alphabet = "base64" | "base64url";

/**
 * Returns the base64 alphabet of a text (RFC 4648, 4 and 5), or undefined if the text fits both. A text that mixes the
 * alphabets fails to decode.
 */
function alphabetOf(text: string): Alphabet | undefined {
  if (text.includes("-") || text.includes("_")) return "base64url";
  return text.includes("+") || text.includes("/") ? "base64" : undefined;
}
