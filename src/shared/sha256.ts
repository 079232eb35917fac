/** Returns the SHA-256 of a text (as UTF-8) or of bytes, in hexadecimal. */
export async function sha256(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Hashes chunks as they pass through, with the runtime's native digest stream and without buffering. */
export class RunningSha256 {
  readonly #digest = new crypto.DigestStream("SHA-256");
  readonly #writer = this.#digest.getWriter();

  /** Yields each chunk after hashing it. */
  async *of(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      await this.#writer.write(chunk);
      yield chunk;
    }
  }

  /** Returns the hash of all chunks, in hexadecimal. */
  async end(): Promise<string> {
    await this.#writer.close();
    return new Uint8Array(await this.#digest.digest).toHex();
  }
}
