/** Returns the SHA-256 of a text (as UTF-8) or of bytes, in hexadecimal. */
export async function sha256(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** The SHA-256 of chunks as they pass, by the runtime's own stream: nothing of them is kept. */
export class RunningSha256 {
  readonly #digest = new crypto.DigestStream("SHA-256");
  readonly #writer = this.#digest.getWriter();

  /** Passes chunks on, each once it is hashed. */
  async *of(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      await this.#writer.write(chunk);
      yield chunk;
    }
  }

  /** Returns the hash of all that has passed, in hexadecimal. */
  async end(): Promise<string> {
    await this.#writer.close();
    return new Uint8Array(await this.#digest.digest).toHex();
  }
}
