/** Files that are written into a request: data URIs (RFC 2397) and bare base64 (RFC 4648), in either alphabet. */
import { Problem } from "../problems.ts";
import type { ReceiveLimits } from "./receive.ts";
import { receiveUpload } from "./receiveUpload.ts";
import type { Upload } from "./upload.ts";

/** A text that is longer can only be a file. As long as an MCP message of a stranger, so that no way in reads it otherwise. */
export const LONG_TEXT_BYTES = 256 * 1024;

/** What the texts of a request may have together, beside its long files. */
export const MAX_TEXT_BYTES = 1_000_000;

/** Who reads a text has it as bytes, as a string of two bytes for each, and parsed. */
export const TEXT_MEMORY = 5;

/** Returns whether a text is a data URI, by how it begins. */
export function isDataUri(text: string): boolean {
  return /^data:/i.test(text);
}

/** Returns the base64 of a data URI; bare base64 is returned as it is. */
export function payloadOf(source: string, field: string): string {
  if (!isDataUri(source)) return source;
  const comma = source.indexOf(",");
  if (comma < 0 || !/;\s*base64$/i.test(source.slice(0, comma)))
    throw malformed(field, "must be a base64 data URI: data:<type>;base64,<data>");
  return source.slice(comma + 1);
}

/**
 * Decodes base64, with white space or without, and with or without padding.
 * @throws Problem invalid_request
 */
export function decodeBase64(text: string, field: string): Uint8Array<ArrayBuffer> {
  return decoding(field, () => Uint8Array.fromBase64(inOneAlphabet(text)));
}

/**
 * Receives a long file as it comes: all of it is never in memory as text.
 * @param texts the data URI or base64 in pieces, the first of which has all that is before the comma
 * @param atMost how many bytes can come, if that is known
 * @param expected as {@link receiveUpload}
 * @throws Problem invalid_request, or as {@link receiveUpload}
 */
export function receiveInline(
  texts: AsyncIterable<string>,
  field: string,
  limits: ReceiveLimits,
  atMost?: number,
  expected?: number,
): Promise<Upload> {
  return receiveUpload(decoded(texts, field), limits, () => {}, atMost, expected);
}

/** Returns bytes as text, for {@link receiveInline}: what is not ASCII will be refused. */
export function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}

/** Decodes pieces of base64. What each becomes is valid until the next one is asked for. */
async function* decoded(texts: AsyncIterable<string>, field: string): AsyncGenerator<Uint8Array, undefined> {
  let [isFirst, isOver, rest] = [true, false, ""];
  let bytes = new Uint8Array();
  for await (const text of texts) {
    const piece = rest + inOneAlphabet(isFirst ? payloadOf(text, field) : text);
    isFirst = false;
    if (piece.length > bytes.length) bytes = new Uint8Array(piece.length);
    const { read, written } = decoding(field, () =>
      bytes.setFromBase64(piece, { lastChunkHandling: "stop-before-partial" }),
    );
    rest = piece.slice(read).replaceAll(/\s+/g, ""); // less than four characters
    if (isOver && written > 0) throw notBase64(field);
    isOver ||= written % 3 !== 0; // padding ends it
    yield bytes.subarray(0, written);
  }
  if (isOver && rest !== "") throw notBase64(field);
  yield decodeBase64(rest, field);
}

/**
 * Does a step of decoding.
 * @throws Problem invalid_request where it throws
 */
export function decoding<T>(field: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw notBase64(field, cause);
  }
}

/** Replaces the letters of base64url (RFC 4648, 5). */
function inOneAlphabet(text: string): string {
  return text.replaceAll("-", "+").replaceAll("_", "/");
}

function notBase64(field: string, cause?: unknown): Problem {
  return malformed(field, "is not valid base64", cause);
}

function malformed(path: string, message: string, cause?: unknown): Problem {
  return new Problem("invalid_request", `\`${path}\` ${message}.`, { errors: [{ path, message }], cause });
}
