import { type Meter, tooComplex } from "../source/meter.ts";
import { TERMINATOR_LENGTH, terminated } from "../syntax/lexer.ts";

const SIZE = 64 * 1024;
/** The most that one object may take: it is read at once, and while it is written anew, it is in memory several times. */
const LARGEST = 4 << 20;

/**
 * Checks the length in bytes of an object that is read at once.
 * @throws EngineError too_complex
 */
export function limitObject(length: number): void {
  if (length > LARGEST) throw tooComplex("one of its objects is too large");
}

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
   * @throws EngineError too_complex if it is too long, or too much is kept
   */
  copy(text: Uint8Array): Uint8Array {
    const length = text.length + TERMINATOR_LENGTH;
    limitObject(length);
    this.#meter.retain(length);
    if (length > SIZE / 4) return terminated(text);
    if (this.#used + length > this.#bytes.length) {
      this.#bytes = new Uint8Array(SIZE);
      this.#used = 0;
    }
    this.#used += length;
    return terminated(text, this.#bytes.subarray(this.#used - length, this.#used));
  }
}
