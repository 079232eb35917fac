/** Returns the SHA-256 of a text (as UTF-8) or of bytes, in hexadecimal. */
export async function sha256(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Passes chunks on, each hashed before it is; once all are through, `sha256` resolves to their hash, in hexadecimal. */
export function hashing(chunks: AsyncIterable<Uint8Array>): {
  chunks: AsyncGenerator<Uint8Array, undefined>;
  sha256(): Promise<string>;
} {
  const digest = new crypto.DigestStream("SHA-256");
  const writer = digest.getWriter();
  const through = async function* (): AsyncGenerator<Uint8Array, undefined> {
    for await (const chunk of chunks) {
      await writer.write(chunk);
      yield chunk;
    }
    await writer.close();
  };
  return { chunks: through(), sha256: async () => new Uint8Array(await digest.digest).toHex() };
}
