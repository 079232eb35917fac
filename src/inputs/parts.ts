/** Splits a multipart body into its parts in a streaming fashion (RFC 2046, 5.1.1; RFC 7578). */
import { parse as parseDisposition } from "content-disposition";

/** Maximum total size of a part's header lines, in bytes. */
const MAX_HEADER_BYTES = 4096;
const DASHES = Buffer.from("--");
const EMPTY_LINE = Buffer.from("\r\n\r\n");

/**
 * Thrown if a multipart body is malformed (RFC 2046) or ends early. The message continues a sentence that begins with
 * "the body".
 */
export class MalformedParts extends Error {}

/**
 * A part of a form. Read `data` to its end before requesting the next part. Each piece of `data` is valid until the
 * next piece is requested.
 */
export interface FormPart {
  name: string;
  isFile: boolean;
  /** Name of the file, if declared. */
  filename: string | undefined;
  /** The charset of a text part, if declared. */
  charset: string | undefined;
  data: AsyncGenerator<Uint8Array, undefined>;
}

/**
 * Yields the parts of a multipart body. The pieces of their `data` are views of the body's chunks, and are valid until
 * the next chunk is read.
 * @throws MalformedParts
 */
export async function* partsOf(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncGenerator<FormPart, undefined> {
  const scanner = new Scanner(body);
  try {
    const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`, "latin1");
    for await (const _ of scanner.upTo(delimiter)); // skips the preamble before the first part
    while (!(await scanner.startsWith(DASHES))) {
      yield { ...(await readHead(scanner)), data: scanner.upTo(delimiter) };
    }
    for await (const _ of scanner.rest());
  } finally {
    await scanner.close();
  }
}

/**
 * Returns the boundary that a Content-Type declares.
 * @throws MalformedParts if the Content-Type declares no boundary
 */
export function boundaryOf(contentType: string): string {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? token;
  if (!boundary || boundary.length > 200) throw new MalformedParts("has no boundary");
  return boundary;
}

/** Reads the header lines of a part. Returns the part's name, charset and file name, and whether the part is a file. */
async function readHead(scanner: Scanner): Promise<Omit<FormPart, "data">> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of scanner.upTo(EMPTY_LINE)) {
    length += piece.length;
    if (length > MAX_HEADER_BYTES) throw new MalformedParts("has a part with long headers");
    pieces.push(Buffer.from(piece));
  }
  const headers = new Map<string, string>();
  for (const line of Buffer.concat(pieces).toString("utf8").split("\r\n").slice(1)) {
    const colon = line.indexOf(":");
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const { name, filename } = parseDisposition(headers.get("content-disposition") ?? "", { multipart: true }).parameters;
  if (name === undefined) throw new MalformedParts("has a part without a name");
  const type = headers.get("content-type") ?? "";
  return {
    name,
    filename,
    isFile: filename !== undefined || /^application\/octet-stream\b/i.test(type),
    charset: /;\s*charset="?([^\s;"]+)/i.exec(type)?.[1],
  };
}

/** Searches the bytes of a body chunk by chunk, with the native search of the runtime. */
class Scanner {
  readonly #chunks: AsyncIterator<Uint8Array>;
  /**
   * Bytes that have been read but not yielded. The initial value is a line break: every delimiter begins with one, but
   * the first delimiter of a body may lack it.
   */
  #unread: Buffer = Buffer.from("\r\n");

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /**
   * Yields the bytes up to the next `delimiter`, and consumes the delimiter.
   * @throws MalformedParts if the body has no such delimiter
   */
  async *upTo(delimiter: Buffer): AsyncGenerator<Uint8Array, undefined> {
    for (;;) {
      const at = this.#unread.indexOf(delimiter);
      const safeEnd = at < 0 ? startOfPartialDelimiter(this.#unread, delimiter) : at;
      const piece = this.#unread.subarray(0, safeEnd);
      this.#unread = this.#unread.subarray(at < 0 ? safeEnd : at + delimiter.length);
      if (piece.length > 0) yield piece;
      if (at >= 0) return;
      if (!(await this.#readMore())) throw new MalformedParts("ends early");
    }
  }

  /** Returns whether the next bytes equal `expected`, without consuming them. */
  async startsWith(expected: Buffer): Promise<boolean> {
    while (this.#unread.length < expected.length && (await this.#readMore()));
    return this.#unread.subarray(0, expected.length).equals(expected);
  }

  /** Yields all remaining bytes. */
  async *rest(): AsyncGenerator<Uint8Array, undefined> {
    do {
      yield this.#unread;
      this.#unread = Buffer.alloc(0);
    } while (await this.#readMore());
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /**
   * Reads the next chunk and appends it to the unread bytes. The unread bytes are usually empty and never longer than a
   * delimiter.
   */
  async #readMore(): Promise<boolean> {
    // copies the unread bytes, because the next chunk may overwrite the last one
    const left = Buffer.from(this.#unread);
    const { done, value } = await this.#chunks.next();
    this.#unread = left;
    if (done) return false;
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.length);
    this.#unread = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    return true;
  }
}

/**
 * Returns the offset of the prefix of `delimiter` with which `bytes` ends, or the length of `bytes` if it ends with no
 * such prefix.
 */
function startOfPartialDelimiter(bytes: Buffer, delimiter: Buffer): number {
  const first = delimiter[0]!;
  for (let at = Math.max(0, bytes.length - delimiter.length + 1); at < bytes.length; at++) {
    if (bytes[at] === first && bytes.subarray(at).equals(delimiter.subarray(0, bytes.length - at))) return at;
  }
  return bytes.length;
}
