import { LINE_FEED } from "./characters.ts";
import type { Meter } from "./meter.ts";

const SIZE = 64 * 1024;

/** Keeps copies of short texts one after the other: a buffer for each would take more memory than most of them. */
export class Slab {
  readonly #meter: Meter;
  #bytes = new Uint8Array();
  #used = 0;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /**
   * Returns a copy of `text`, with white space after it that marks the end of its last token.
   * @throws EngineError too_complex if too much is kept
   */
  copy(text: Uint8Array): Uint8Array {
    const length = text.length + 1;
    this.#meter.keep(length);
    let copy: Uint8Array;
    if (length > SIZE / 4) copy = new Uint8Array(length);
    else {
      if (this.#used + length > this.#bytes.length) {
        this.#bytes = new Uint8Array(SIZE);
        this.#used = 0;
      }
      copy = this.#bytes.subarray(this.#used, this.#used + length);
      this.#used += length;
    }
    copy.set(text);
    copy[text.length] = LINE_FEED;
    return copy;
  }
}
