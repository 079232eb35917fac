import { Upload } from "../inputs/upload.ts";
import { sha256 } from "../sha256.ts";

/**
 * Returns the canonical form of a request: the operation and its checked fields, sorted by name. It is equal for
 * requests that ask for the same thing. An upload is represented by the SHA-256 of its bytes.
 */
export function canonicalForm(operation: string, fields: object): readonly unknown[] {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const entries = given.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    operation,
    entries.map(([name, value]) => [name, value instanceof Upload ? { sha256: value.sha256 } : value]),
  ];
}

/** Returns the fingerprint of a request: SHA-256, in hexadecimal, of its canonical form. */
export function fingerprintOf(canonical: readonly unknown[]): Promise<string> {
  return sha256(JSON.stringify(canonical));
}
