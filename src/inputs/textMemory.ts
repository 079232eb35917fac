import type { Problem } from "../shared/problems.ts";
import { MAX_TEXT_BYTES } from "./inlineFile.ts";
import { type MemoryShare, noRoom } from "./memory.ts";

/** Extra memory per byte of text: two bytes for the decoded string and two for the parsed value. */
const PARSING_BYTES_PER_BYTE = 4;

/** The part of a call's memory used for the text of its request, at most {@link MAX_TEXT_BYTES}. */
export class TextMemory {
  readonly #memory: MemoryShare;
  readonly #tooMuch: () => Problem;
  #bytes = 0;

  /**
   * Creates the text memory of a call.
   * @param tooMuch creates the error for a request with more than {@link MAX_TEXT_BYTES} of text
   */
  constructor(memory: MemoryShare, tooMuch: () => Problem) {
    this.#memory = memory;
    this.#tooMuch = tooMuch;
  }

  /**
   * Reserves memory for more text.
   * @throws Problem too_busy if memory is short, or the error of `tooMuch`
   */
  take(bytes: number): void {
    if (this.#bytes + bytes > MAX_TEXT_BYTES) throw this.#tooMuch();
    if (!this.#memory.take(bytes)) throw noRoom();
    this.#bytes += bytes;
  }

  /** Frees the memory of `bytes` bytes of text. */
  free(bytes: number): void {
    this.#memory.free(bytes);
    this.#bytes -= bytes;
  }

  /**
   * Reserves the memory needed to decode and parse the whole text.
   * @throws Problem too_busy
   */
  takeToRead(): void {
    if (!this.#memory.take(PARSING_BYTES_PER_BYTE * this.#bytes)) throw noRoom();
  }
}
