/** Caches what was read from the last text. Consecutive pages mostly have equal entries, such as the same /MediaBox. */
export class LastText<T> {
  #text: Uint8Array = new Uint8Array();
  #read: T | undefined;

  /**
   * Returns what was read from the last text if an equal text is at `at`. Otherwise returns undefined.
   * @param bytes bytes with a complete value at `at`
   */
  readAt(bytes: Uint8Array, at: number): T | undefined {
    const text = this.#text;
    for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return undefined;
    return this.#read;
  }

  /**
   * Replaces the cached text, and returns what was read from the new text.
   * @param text a complete array or dictionary, whose bytes must not change
   */
  put(text: Uint8Array, read: T): T {
    this.#text = text;
    this.#read = read;
    return read;
  }
}
