import { concat } from "../../bytes.ts";

/** Minimum length in bytes of a part that is referenced instead of copied. */
const LARGE = 256 * 1024;
/**
 * Initial capacity in bytes, which is enough for a short mark. Allocating a larger buffer would cost more than growing
 * a small buffer.
 */
const CAPACITY = 4096;

/** A byte buffer that grows as bytes are appended. Parts of `LARGE` bytes or more are referenced instead of copied. */
export class ByteWriter {
  length = 0;
  #bytes: Uint8Array;
  /** Write position in the buffer. */
  #at = 0;
  /** Start of the bytes in the buffer that are not in `#finished` yet. */
  #from = 0;
  readonly #finished: Uint8Array[] = [];

  /** @param capacity bytes that fit before the buffer must grow */
  constructor(capacity = CAPACITY) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** Appends `part`. The caller must not change `part` afterwards. */
  bytes(part: Uint8Array): void {
    if (part.length < LARGE) {
      this.copy(part, 0, part.length);
      return;
    }
    this.#finished.push(this.#bytes.subarray(this.#from, this.#at), part);
    this.#from = this.#at;
    this.length += part.length;
  }

  /** Appends the bytes [start, end) of `source`. */
  copy(source: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    let at = this.#at;
    this.#advance(end - start);
    // For short ranges, a JavaScript loop is faster than creating a view for native code.
    if (end - start > 128) bytes.set(source.subarray(start, end), at);
    else for (let i = start; i < end; i++) bytes[at++] = source[i]!;
  }

  /** Appends a text as Latin-1, one byte per character. */
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

  /** Returns the written bytes as parts in order. */
  parts(): Uint8Array[] {
    return [...this.#finished, this.#bytes.subarray(this.#from, this.#at)];
  }

  /** Returns the written bytes as one array. */
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
    if (written.length >= LARGE) {
      this.#finished.push(written);
      this.#bytes = new Uint8Array(Math.max(2 * LARGE, more));
      this.#from = 0;
      this.#at = 0;
      return;
    }
    this.#bytes = new Uint8Array(Math.max(this.#bytes.length * 2, written.length + more));
    this.#bytes.set(written);
    this.#from = 0;
    this.#at = written.length;
  }
}
