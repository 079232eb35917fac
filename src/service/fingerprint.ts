import { Upload } from "../inputs/upload.ts";
import { sha256 } from "../sha256.ts";

/**
 * The canonical form of a request, which is equal for requests that ask for the same: the operation and its checked fields
 * in a fixed order. An upload counts by the hash of its bytes.
 */
export function canonicalForm(operation: string, fields: object): readonly unknown[] {
  const entries = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    operation,
    entries.map(([name, value]) => [name, value instanceof Upload ? { sha256: value.sha256 } : value]),
  ];
}

/**
 * Tells one request from another: SHA-256 over its canonical form and the payment's signature, in hexadecimal. The signature
 * is in it because a settled authorization's nonce is public, while its result is for who signed it.
 */
export function fingerprintOf(canonical: readonly unknown[], signature: string): Promise<string> {
  return sha256(JSON.stringify([...canonical, signature.toLowerCase()]));
}
