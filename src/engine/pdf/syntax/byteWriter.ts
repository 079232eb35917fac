import { concat } from "../../bytes.ts";

/** Parts from this size on are not copied. */
const LARGE = 256 * 1024;
/** What a short mark takes: to make more room than is needed costs more than to let it grow. */
const CAPACITY = 4096;

/** A byte buffer that grows while it is written. Large parts are kept beside it by reference, and what it has of its own. */
export class ByteWriter {
  length = 0;
  #bytes: Uint8Array;
  /** Position in the buffer to write at, and start of the bytes that are not in `#finished` yet. */
  #at = 0;
  #from = 0;
  readonly #finished: Uint8Array[] = [];

  /** @param capacity bytes that fit before the buffer has to grow */
  constructor(capacity = CAPACITY) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** Appends `part`, which must not change afterwards. */
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
    // For short ranges, making a view and calling native code costs more than copying in JavaScript.
    if (end - start > 128) bytes.set(source.subarray(start, end), at);
    else for (let i = start; i < end; i++) bytes[at++] = source[i]!;
  }

  /** Appends a text, one byte per character. */
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

  /** Returns what has been written, as parts in order. */
  parts(): Uint8Array[] {
    return [...this.#finished, this.#bytes.subarray(this.#from, this.#at)];
  }

  /** Returns what has been written as one array. */
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
