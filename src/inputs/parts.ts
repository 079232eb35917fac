/** Splits a multipart body into its parts, as it arrives (RFC 2046, 5.1.1; RFC 7578). */
import { parse as parseDisposition } from "content-disposition";

/** The longest that the header lines of a part may be, together. */
const MAX_HEAD = 4096;
const DASHES = Buffer.from("--");
const EMPTY_LINE = Buffer.from("\r\n\r\n");

/** A body that is not what RFC 2046 says a multipart one is, or that breaks off. */
export class MalformedParts extends Error {}

/**
 * A part of a form. `data` has to be read to its end before the next part is asked for; each piece of it is valid until the
 * next one is asked for.
 */
export interface FormPart {
  name: string;
  isFile: boolean;
  /** The encoding of a text, if the part names one. */
  charset: string | undefined;
  data: AsyncGenerator<Uint8Array, undefined>;
}

/**
 * Yields the parts of a multipart body, whose data are views of the body's chunks: each is used until the next one is read.
 * @throws MalformedParts
 */
export async function* partsOf(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncGenerator<FormPart, undefined> {
  const scanner = new Scanner(body);
  try {
    const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`, "latin1");
    for await (const _ of scanner.upTo(delimiter)); // what is before the first part is for nobody
    while (!(await scanner.begins(DASHES))) {
      yield { ...(await readHead(scanner)), data: scanner.upTo(delimiter) };
    }
    for await (const _ of scanner.rest());
  } finally {
    await scanner.close();
  }
}

function boundaryOf(contentType: string): string {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? token;
  if (!boundary || boundary.length > 200) throw new MalformedParts("has no boundary");
  return boundary;
}

/** Reads the header lines of a part, which say whose it is: its name, and whether it is a file. */
async function readHead(scanner: Scanner): Promise<Omit<FormPart, "data">> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of scanner.upTo(EMPTY_LINE)) {
    length += piece.length;
    if (length > MAX_HEAD) throw new MalformedParts("has a part with long headers");
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
    isFile: filename !== undefined || /^application\/octet-stream\b/i.test(type),
    charset: /;\s*charset="?([^\s;"]+)/i.exec(type)?.[1],
  };
}

/** The bytes of a body, which are searched by the runtime, block by block. */
class Scanner {
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** What has been read and not passed on. The line break before the first delimiter may be missing. */
  #left: Buffer = Buffer.from("\r\n");

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /**
   * Yields the bytes up to the next `delimiter`, which is passed over.
   * @throws MalformedParts if there is none
   */
  async *upTo(delimiter: Buffer): AsyncGenerator<Uint8Array, undefined> {
    for (;;) {
      const at = this.#left.indexOf(delimiter);
      const sure = at < 0 ? startOfRest(this.#left, delimiter) : at;
      const piece = this.#left.subarray(0, sure);
      this.#left = this.#left.subarray(at < 0 ? sure : at + delimiter.length);
      if (piece.length > 0) yield piece;
      if (at >= 0) return;
      if (!(await this.#readOn())) throw new MalformedParts("breaks off");
    }
  }

  /** Returns whether the next bytes are these; they are not passed over. */
  async begins(expected: Buffer): Promise<boolean> {
    while (this.#left.length < expected.length && (await this.#readOn()));
    return this.#left.subarray(0, expected.length).equals(expected);
  }

  /** Yields all that is left. */
  async *rest(): AsyncGenerator<Uint8Array, undefined> {
    do {
      yield this.#left;
      this.#left = Buffer.alloc(0);
    } while (await this.#readOn());
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** Reads the next chunk, and joins it to what is left, which is seldom more than nothing, and no longer than a delimiter. */
  async #readOn(): Promise<boolean> {
    const left = Buffer.from(this.#left); // a copy, since the next chunk may be in the place of the last one
    const { done, value } = await this.#chunks.next();
    this.#left = left;
    if (done) return false;
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.length);
    this.#left = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    return true;
  }
}

/** Returns where the bytes end that no delimiter can begin in, whose rest is still to come. */
function startOfRest(bytes: Buffer, delimiter: Buffer): number {
  const first = delimiter[0]!;
  for (let at = Math.max(0, bytes.length - delimiter.length + 1); at < bytes.length; at++) {
    if (bytes[at] === first && bytes.subarray(at).equals(delimiter.subarray(0, bytes.length - at))) return at;
  }
  return bytes.length;
}
