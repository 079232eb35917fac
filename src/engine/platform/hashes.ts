/** Computes hashes with the runtime's OpenSSL or BoringSSL. */
import { createHash } from "node:crypto";

/** Computes the MD5 hash of the concatenated parts. MD5 is broken, but older PDF encryption requires it. */
export function md5(...parts: readonly Uint8Array[]): Uint8Array {
  return digest("md5", parts);
}

/** Computes a SHA-2 hash of the concatenated parts. */
export function sha2(bits: 256 | 384 | 512, ...parts: readonly Uint8Array[]): Uint8Array {
  return digest(`sha${bits}`, parts);
}

function digest(algorithm: string, parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}
