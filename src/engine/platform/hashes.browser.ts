/**
 * Computes hashes in browsers, whose native hashes are asynchronous and lack MD5. The functions have the same interface
 * as the functions of hashes.ts.
 */
import { md5 as nobleMd5 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";

const SHA2 = { 256: sha256, 384: sha384, 512: sha512 };

/** Computes the MD5 hash of the concatenated parts. */
export function md5(...parts: readonly Uint8Array[]): Uint8Array {
  return digest(nobleMd5, parts);
}

/** Computes a SHA-2 hash of the concatenated parts. */
export function sha2(bits: 256 | 384 | 512, ...parts: readonly Uint8Array[]): Uint8Array {
  return digest(SHA2[bits], parts);
}

function digest(algorithm: typeof nobleMd5 | typeof sha256, parts: readonly Uint8Array[]): Uint8Array {
  const hash = algorithm.create();
  for (const part of parts) hash.update(part);
  return hash.digest();
}
