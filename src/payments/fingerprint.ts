/**
 * Tells one request from another: SHA-256 over the operation, its checked fields in a fixed order, and the payment's
 * signature. An upload counts by its bytes, everything else by its text. In hexadecimal.
 *
 * The signature is in it because a settled authorization's nonce is public, while its result is for who signed it.
 */
export async function fingerprintOf(operation: string, fields: object, signature: string): Promise<string> {
  const entries = await Promise.all(
    Object.entries(fields)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(async ([name, value]) => [
        name,
        value instanceof Blob ? { sha256: await sha256(await value.arrayBuffer()) } : value,
      ]),
  );
  return sha256(new TextEncoder().encode(JSON.stringify([operation, entries, signature.toLowerCase()])));
}

async function sha256(bytes: BufferSource): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
