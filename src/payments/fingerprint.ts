/**
 * Tells one request from another: SHA-256 over the operation, its checked fields in a fixed order, and the payment's
 * signature. An upload counts by what it is as JSON: the hash of its bytes. In hexadecimal.
 *
 * The signature is in it because a settled authorization's nonce is public, while its result is for who signed it.
 */
export async function fingerprintOf(operation: string, fields: object, signature: string): Promise<string> {
  const entries = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([operation, entries, signature.toLowerCase()]);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
}
