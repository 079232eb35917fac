import { concat } from "../bytes.ts";

/** Longer parts are not copied. */
const LARGE = 256 * 1024;

/** A buffer that grows while it is written; what is large is kept beside it, as it is. */
export class ByteWriter {
  length = 0;
  #bytes: Uint8Array;
  /** Where writing goes on in the buffer, and from where on it is in no finished part. */
  #at = 0;
  #from = 0;
  readonly #finished: Uint8Array[] = [];

  /** Room for `capacity` bytes before it has to grow. */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** `part` must not change afterwards. */
  bytes(part: Uint8Array): void {
    if (part.length < LARGE) {
      this.copy(part, 0, part.length);
      return;
    }
    this.#finished.push(this.#bytes.subarray(this.#from, this.#at), part);
    this.#from = this.#at;
    this.length += part.length;
  }

  /** The bytes [start, end) of `source`. */
  copy(source: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    let at = this.#at;
    this.#advance(end - start);
    // A view and a call out of JavaScript cost more than a short copy.
    if (end - start > 128) bytes.set(source.subarray(start, end), at);
    else for (let i = start; i < end; i++) bytes[at++] = source[i]!;
  }

  /** One byte per character. */
  text(part: string): void {
    this.#reserve(part.length);
    const bytes = this.#bytes;
    const at = this.#at;
    for (let i = 0; i < part.length; i++) bytes[at + i] = part.charCodeAt(i);
    this.#advance(part.length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#at] = value;
    this.#advance(1);
  }

  /** What has been written, in order. */
  parts(): Uint8Array[] {
    return [...this.#finished, this.#bytes.subarray(this.#from, this.#at)];
  }

  /** What has been written, in one. */
  joined(): Uint8Array {
    const parts = this.parts();
    return parts.length === 1 ? parts[0]! : concat(parts);
  }

  #advance(count: number): void {
    this.#at += count;
    this.length += count;
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const written = this.#bytes.subarray(this.#from, this.#at);
    this.#bytes = new Uint8Array(Math.max(this.#bytes.length * 2, written.length + more));
    this.#bytes.set(written);
    this.#from = 0;
    this.#at = written.length;
  }
}
