import { type Meter, tooComplex } from "../source/meter.ts";
import { TERMINATOR_LENGTH, terminated } from "../syntax/lexer.ts";

const BUFFER_BYTES = 64 * 1024;
/**
 * Maximum length of one object in bytes. An object is read as a whole, and several copies of it are in memory during a
 * rewrite.
 */
const MAX_OBJECT_BYTES = 4 << 20;

/**
 * Checks the length in bytes of an object before the object is read as a whole.
 * @throws EngineError too_complex
 */
export function limitObject(length: number): void {
  if (length > MAX_OBJECT_BYTES) throw tooComplex("one of its objects is too large");
}

/** Allocates copies of short texts in shared buffers. A separate buffer would take more memory than most texts. */
export class Slab {
  readonly #meter: Meter;
  #bytes = new Uint8Array();
  #used = 0;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /**
   * Returns a copy of `text` that ends in white space and a delimiter, like the result of {@link terminated}.
   * @throws EngineError too_complex if the text is too long or too much memory is retained
   */
  copy(text: Uint8Array): Uint8Array {
    const length = text.length + TERMINATOR_LENGTH;
    limitObject(length);
    this.#meter.retain(length);
    if (length > BUFFER_BYTES / 4) return terminated(text);
    if (this.#used + length > this.#bytes.length) {
      this.#bytes = new Uint8Array(BUFFER_BYTES);
      this.#used = 0;
    }
    this.#used += length;
    return terminated(text, this.#bytes.subarray(this.#used - length, this.#used));
  }
}
