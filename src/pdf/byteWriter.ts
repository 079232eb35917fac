/** A buffer that grows while it is written. */
export class ByteWriter {
  length = 0;
  #bytes: Uint8Array;

  /** Room for `capacity` bytes before it has to grow. */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  bytes(part: Uint8Array): void {
    this.copy(part, 0, part.length);
  }

  /** The bytes [start, end) of `source`. */
  copy(source: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    let at = this.length;
    this.length += end - start;
    // A view and a call out of JavaScript cost more than a short copy.
    if (end - start > 128) bytes.set(source.subarray(start, end), at);
    else for (let i = start; i < end; i++) bytes[at++] = source[i]!;
  }

  /** One byte per character. */
  text(part: string): void {
    this.#reserve(part.length);
    const bytes = this.#bytes;
    const at = this.length;
    for (let i = 0; i < part.length; i++) bytes[at + i] = part.charCodeAt(i);
    this.length += part.length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.length++] = value;
  }

  /** What has been written, as a view that the next write may invalidate. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + more));
    larger.set(this.view());
    this.#bytes = larger;
  }
}
