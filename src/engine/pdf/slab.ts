import { TERMINATOR_LENGTH, terminated } from "./lexer.ts";
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
   * Returns a copy of `text`, with its end marked as {@link terminated} does.
   * @throws EngineError too_complex if too much is kept
   */
  copy(text: Uint8Array): Uint8Array {
    const length = text.length + TERMINATOR_LENGTH;
    this.#meter.keep(length);
    if (length > SIZE / 4) return terminated(text);
    if (this.#used + length > this.#bytes.length) {
      this.#bytes = new Uint8Array(SIZE);
      this.#used = 0;
    }
    this.#used += length;
    return terminated(text, this.#bytes.subarray(this.#used - length, this.#used));
  }
}
