import type { Problem } from "../shared/problems.ts";
import { MAX_TEXT_BYTES } from "./inlineFile.ts";
import { type MemoryShare, noRoom } from "./memory.ts";

/** Who reads a text has it as a string of two bytes for each of its own, and parsed, besides. */
const MORE_TO_READ = 4;

/** The part of a call's memory that is for the text of its request, of which there may be {@link MAX_TEXT_BYTES}. */
export class TextMemory {
  readonly #memory: MemoryShare;
  readonly #tooMuch: () => Problem;
  #bytes = 0;

  /** @param tooMuch creates the error of a request with more text */
  constructor(memory: MemoryShare, tooMuch: () => Problem) {
    this.#memory = memory;
    this.#tooMuch = tooMuch;
  }

  /**
   * Takes memory for so many bytes more.
   * @throws Problem too_busy if there is none, or what `tooMuch` creates
   */
  take(bytes: number): void {
    if (this.#bytes + bytes > MAX_TEXT_BYTES) throw this.#tooMuch();
    if (!this.#memory.take(bytes)) throw noRoom();
    this.#bytes += bytes;
  }

  /** Gives some of it back. */
  give(bytes: number): void {
    this.#memory.give(bytes);
    this.#bytes -= bytes;
  }

  /**
   * Takes what is needed to read all of the text, now that it has come.
   * @throws Problem too_busy
   */
  takeToRead(): void {
    if (!this.#memory.take(MORE_TO_READ * this.#bytes)) throw noRoom();
  }
}
