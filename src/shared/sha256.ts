/** Returns the SHA-256 of a text (as UTF-8) or of bytes, in hexadecimal. */
export async function sha256(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Prefix of the value that {@link identityOfParts} returns. */
const IN_PARTS = "parts:";

/**
 * Returns the identity of a file that was received in parts: a prefix, and the SHA-256 over the SHA-256 digests of the
 * parts in order. The prefix distinguishes this identity from the SHA-256 of a file that consists of these digests.
 * @param digests SHA-256 of each part, in hexadecimal
 */
export async function identityOfParts(digests: string[]): Promise<string> {
  return IN_PARTS + (await sha256(new Uint8Array(Buffer.from(digests.join(""), "hex"))));
}

/**
 * Returns the hash in a file's identity, in hexadecimal, and whether the file was received in parts.
 * @param identity the SHA-256 of the file, or the result of {@link identityOfParts}
 */
export function hashIn(identity: string): { hash: string; isOfParts: boolean } {
  const isOfParts = identity.startsWith(IN_PARTS);
  return { hash: isOfParts ? identity.slice(IN_PARTS.length) : identity, isOfParts };
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
